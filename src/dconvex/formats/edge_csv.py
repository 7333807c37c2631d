"""Edges as CSV with the columns parent and child (or from and to, source and target); a row without a child is a node."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from dconvex.formats.edge_draft import EdgeDraft
from dconvex.formats.scanner import Scanner
from dconvex.graph.dag import Dag
from dconvex.names import Name

HEADERS = (("parent", "child"), ("from", "to"), ("source", "target"))
CELL = re.compile(r'"((?:[^"]++|"")*+)"|([^",\r\n]*+)')
COMMA, NEW_LINE = re.compile(r","), re.compile(r"\r?\n|\r|\Z")
UNFIT = re.compile(r"[\ud800-\udfff]")
PLAIN = re.compile(r'[^",\r\n]++')


def parse(text: str, path: str) -> Dag:
    """The graph whose edges are the rows."""
    scanner = Scanner(text, path)
    rows = _rows(scanner)
    header = [name.strip().lower().removeprefix("\ufeff") for name, _ in next(rows, [])]
    pair = next((pair for pair in HEADERS if set(pair) <= set(header)), None)
    if pair is None:
        scanner.fail(f"expected a header with parent and child, found {','.join(header)[:60]!r}", 0)
    columns = [header.index(name) for name in pair]
    draft = EdgeDraft(scanner)
    for row in rows:
        if len(row) == 1 and not row[0][0]:  # a blank line
            continue
        if len(row) <= max(columns):
            scanner.fail(f"expected {len(header)} cells, found {len(row)}", row[-1][1])
        (parent, position), (child, where) = (row[column] for column in columns)
        if not parent:
            scanner.fail("expected the name of the parent", position)
        if child:
            draft.add_edge(parent, child, where)
        else:
            draft.add_node(parent)
    return draft.dag()


def _rows(scanner: Scanner) -> Iterator[list[tuple[str, int]]]:
    """The cells of each row, and where they begin."""
    text, position = scanner.text, 0
    while position < len(text):
        row: list[tuple[str, int]] = []
        while True:
            cell = CELL.match(text, position)
            assert cell is not None  # it matches the empty string too
            quoted, plain = cell.groups()
            row.append((plain.strip() if quoted is None else quoted.replace('""', '"'), position))
            position = cell.end()
            if not (comma := COMMA.match(text, position)):
                break
            position = comma.end()
        end = NEW_LINE.match(text, position)
        if not end:
            scanner.fail(f"expected ',' or the end of the line, found {text[position : position + 1]!r}", position)
        yield row
        position = end.end()


def render(dag: Dag) -> str:
    """A row for each edge, those into one node in the order of its parents, and one for each node without any."""
    rows = ["parent,child\n"]
    for node in dag.nodes:
        parents = dag.parents(node)
        rows += [f"{_spelled(parent)},{_spelled(node)}\n" for parent in parents]
        if not parents and not dag.children(node):
            rows.append(f"{_spelled(node)},\n")
    return "".join(rows)


def _spelled(name: Name) -> str:
    text = str(name)
    if PLAIN.fullmatch(text) and text == text.strip():
        return text
    return '"' + text.replace('"', '""') + '"'


def unfit(names: Sequence[Name]) -> list[Name]:
    """Integers, which would come back as text, the empty name, and what UTF-8 cannot hold."""
    return [name for name in names if isinstance(name, int) or not name or UNFIT.search(name)]
