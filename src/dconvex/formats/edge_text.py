"""Edge lists as they are typed, a line for each:

    # what we know
    smoking -> lung cancer
    smoking -> bronchitis -> dyspnoea
    "C#"

A line with one name is a node without edges. Names are text; one with an arrow, a comment sign, quotes or blanks around it is
quoted as in JSON. Comments begin with # or //. Arrows are ->, --> and →.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from dconvex.formats.edge_draft import EdgeDraft
from dconvex.formats.scanner import Scanner
from dconvex.graph.dag import Dag
from dconvex.names import Name

ARROW = re.compile(r"[ \t]*+(?:-{1,2}>|→)[ \t]*+")
QUOTED = re.compile(r'"(?:[^"\\\r\n]++|\\[^\r\n])*+"')
PLAIN = re.compile(r"""(?:(?!-{1,2}>|→|\#|//|["\r\n\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]).)++""")
BLANKS = re.compile(r"[ \t\ufeff]*+")
END = re.compile(r"(?:(?:\#|//)[^\n]*+)?\r?(?:\n|\Z)")


def parse(text: str, path: str) -> Dag:
    """The graph of an edge list."""
    scanner = Scanner(text, path)
    draft = EdgeDraft(scanner)
    position = 0
    while position < len(text):
        position = _line(text, position, draft)
    return draft.dag()


def _line(text: str, position: int, draft: EdgeDraft) -> int:
    """Read a line; where the next one begins."""
    position = _after(BLANKS, text, position)
    if end := END.match(text, position):
        return max(end.end(), position + 1)
    name, start, position = _name(text, position, draft)
    draft.add_node(name)
    while arrow := ARROW.match(text, position):
        parent, edge = name, start
        name, start, position = _name(text, arrow.end(), draft)
        draft.add_edge(parent, name, edge)
    position = _after(BLANKS, text, position)
    end = END.match(text, position)
    if not end:
        draft.scanner.fail(
            f"expected '->', a comment or the end of the line, found {text[position : position + 1]!r}", position
        )
    return end.end()


def _name(text: str, position: int, draft: EdgeDraft) -> tuple[Name, int, int]:
    """A name, where it begins, and where it ends."""
    if quoted := QUOTED.match(text, position):
        try:
            return str(json.loads(quoted.group())), position, quoted.end()
        except ValueError:
            draft.scanner.fail("expected a name quoted as in JSON", position)
    plain = PLAIN.match(text, position)
    name = plain.group().strip() if plain else ""
    if not plain or not name:
        draft.scanner.fail("expected a name", position)
    return name, position, plain.end()


def _after(pattern: re.Pattern[str], text: str, position: int) -> int:
    found = pattern.match(text, position)
    return found.end() if found else position


def render(dag: Dag) -> str:
    """A line for each edge, those into one node in the order of its parents, and one for each node without any."""
    lines = []
    for node in dag.nodes:
        parents = dag.parents(node)
        lines += [f"{_spelled(parent)} -> {_spelled(node)}\n" for parent in parents]
        if not parents and not dag.children(node):
            lines.append(f"{_spelled(node)}\n")
    return "".join(lines)


def _spelled(name: Name) -> str:
    text = str(name)
    found = PLAIN.fullmatch(text)
    return text if found and text == text.strip() else json.dumps(text)


def unfit(names: Sequence[Name]) -> list[Name]:
    """Integers, which would come back as text."""
    return [name for name in names if isinstance(name, int)]
