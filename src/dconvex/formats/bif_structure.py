"""The graph of a BIF file, whose tables, and even states, may be missing."""

from __future__ import annotations

import re
from collections.abc import Sequence

from dconvex.errors import UnknownVariableError
from dconvex.formats.bif import BLOCK, IN_BRACES, IN_BRACKETS, NAME, SEMICOLON, UNHOLDABLE, quoted, without_comments, word
from dconvex.formats.edge_draft import EdgeDraft
from dconvex.formats.scanner import Scanner
from dconvex.graph.dag import Dag
from dconvex.names import Name

BODY = re.compile(r'\{((?:[^{}"]++|"[^"]*+"|\{(?:[^{}"]++|"[^"]*+")*+\})*+)\}')
IS_INTEGER = re.compile(r"\bproperty\s++dconvex_name_type\s*+=\s*+int\s*+;")
TABLES = re.compile(r"\b(?:table|default)\b\s*+[\d.]|\)\s*+[\d.]")
INTEGER = re.compile(r"-?\d{1,4300}", re.ASCII)


def has_tables(text: str) -> bool:
    """Whether there are numbers in a BIF text, rows or whole tables."""
    return bool(TABLES.search(text))


def parse(text: str, path: str) -> Dag:
    """The graph: a node for each variable, and edges from the parents that its `probability` block names."""
    scanner = Scanner(without_comments(text, path), path)
    names: dict[str, Name] = {}
    families: list[tuple[int, list[str]]] = []
    while scanner.skip_space() < len(scanner.text):
        keyword = scanner.expect(BLOCK, "'network', 'variable' or 'probability'").group()
        if keyword == "network":
            scanner.take(NAME)
            scanner.expect(IN_BRACES, "a block in '{' and '}'")
        elif keyword == "variable":
            _add_variable(scanner, names)
        else:
            position = scanner.skip_space()
            scope = scanner.expect(IN_BRACKETS, "'(' names ')'")
            families.append((position, [word(found) for found in NAME.finditer(scope.group(1))]))
            if not scanner.take(SEMICOLON):
                scanner.expect(BODY, "';' or a block in '{' and '}'")
    draft = EdgeDraft(scanner)
    for name in names.values():
        draft.add_node(name)
    for position, members in families:
        if not members:
            scanner.fail("expected a name between '(' and ')'", position)
        if unknown := [member for member in members if member not in names]:
            scanner.fail(str(UnknownVariableError(unknown[0], names)), position)
        child, *parents = members
        for parent in parents:
            draft.add_edge(names[parent], names[child], position)
    return draft.dag()


def _add_variable(scanner: Scanner, names: dict[str, Name]) -> None:
    position = scanner.skip_space()
    spelled = word(scanner.expect(NAME, "the name of a variable"))
    body = scanner.expect(BODY, "a block in '{' and '}'")
    is_integer = IS_INTEGER.search(body.group(1)) and INTEGER.fullmatch(spelled)
    name: Name = int(spelled) if is_integer else spelled
    if spelled in names or name in names.values():
        scanner.fail(f"the variable {spelled!r} is defined twice", position)
    names[spelled] = name


def render(dag: Dag) -> str:
    """Variables without states, and `probability` blocks without numbers."""
    blocks = ["network unknown {\n}\n"]
    for node in dag.nodes:
        inside = "  property dconvex_name_type = int ;\n" if isinstance(node, int) else ""
        blocks.append(f"variable {quoted(node)} {{\n{inside}}}\n")
    for node in dag.nodes:
        given = ", ".join(map(quoted, dag.parents(node)))
        blocks.append(f"probability ( {quoted(node)}{' | ' if given else ''}{given} ) {{\n}}\n")
    return "".join(blocks)


def unfit(names: Sequence[Name]) -> list[Name]:
    """Names that BIF cannot quote, and integers that are spelled like a text."""
    texts = {name for name in names if isinstance(name, str)}
    return [name for name in names if UNHOLDABLE.search(str(name)) or (isinstance(name, int) and str(name) in texts)]
