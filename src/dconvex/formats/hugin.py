"""NET, the language of Hugin, as Hugin, GeNIe, pyAgrum, pgmpy and others write it.

    net { node_size = (80 40); }
    node rain { states = ("no" "yes"); }
    node wet { states = ("dry" "wet"); }
    potential ( rain ) { data = ( 0.8 0.2 ); }
    potential ( wet | rain ) { data = (( 0.9 0.1 ) % rain=no
                                       ( 0.2 0.8 )); }

Parents are in the order of the table's axes, the node's own states vary fastest; how the brackets nest is ignored. Node
names must be words in Hugin, so other names become words, with the true ones in our own attributes (`spelling`). Other
attributes are ignored. Nodes other than discrete chance nodes are refused.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping
from typing import cast

from dconvex.arrays import Floats
from dconvex.formats.draft import Draft, row_major
from dconvex.formats.file_format import Format, all_fit
from dconvex.formats.rows import FILE_ROWS
from dconvex.formats.scanner import Excerpt, Scanner, blank
from dconvex.formats.spelling import LINE, NOTES, WORD, Spellings, notes, spelled
from dconvex.names import Label, Name
from dconvex.network.family import Table
from dconvex.network.network import BayesianNetwork
from dconvex.network.probability_tables import RowRule

INSIDE = r'(?:[^"\\]++|\\.)*+'
STRING = f'"{INSIDE}"'
COMMENT = re.compile(rf"{STRING}?+|(%[^\n]*+)", re.DOTALL)  # a string without an end goes on to the end of the text
NET, BLOCK = re.compile(r"net\b"), re.compile(r"(?:potential|(?:discrete\s++)?node)\b")
OTHER_BLOCK = re.compile(
    r"((?:continuous|interval)\s++node|(?:(?:discrete|continuous)\s++)?(?:utility|decision|function)|class|instance)"
    r"\b\s*+([\w-]*+)"
)
NAME = re.compile(r"[\w-]++")
OPEN, CLOSE = re.compile(r"\{"), re.compile(r"\}")
ATTRIBUTE = re.compile(rf'(\w++)\s*+=\s*+((?:[^;{{}}"]++|{STRING})*+);', re.DOTALL)
SCOPE = re.compile(r"\(\s*+([^()|{};\"]*+)(?:\|([^()|{};\"]*+))?\)")
ITEM = re.compile(rf'"({INSIDE})"|([^\s,()"]++)', re.DOTALL)
WORD_OF_NET = re.compile(
    rf"(?!(?:net|class|node|utility|decision|function|discrete|continuous|interval|potential|data)$){WORD.pattern}"
)
LABEL_OF_NET = re.compile(rf'(?![^"\\]*+["\\]){LINE.pattern}')
NEXT_ROW = "\n" + 12 * " "


def parse(text: str, path: str, rows: RowRule = FILE_ROWS) -> BayesianNetwork:
    """The network in a NET text; after `net`, blocks may be in any order."""
    scanner = Scanner(_without_comments(text), path)
    draft = Draft(scanner, "potential", rows)
    _keyword(scanner, NET, "'net'")
    _attributes(scanner)
    while scanner.skip_space() < len(scanner.text):
        if _keyword(scanner, BLOCK, "'node' or 'potential'") == "potential":
            _add_family(scanner, draft)
        else:
            _add_variable(scanner, draft)
    return draft.network()


def _without_comments(text: str) -> str:
    """The text with comments replaced by blanks: every position keeps its line and column."""
    return COMMENT.sub(lambda found: blank(found) if found.group(1) else found.group(), text) if "%" in text else text


def _keyword(scanner: Scanner, pattern: re.Pattern[str], expected: str) -> str:
    position = scanner.skip_space()
    if other := scanner.take(OTHER_BLOCK):
        kind, name = other.groups()
        scanner.fail(f"{name!r} is a {' '.join(kind.split())}; only discrete chance nodes can be read", position)
    return scanner.expect(pattern, expected).group()


def _attributes(scanner: Scanner) -> dict[str, Excerpt]:
    """The values of a block's attributes."""
    scanner.expect(OPEN, "'{'")
    found: dict[str, Excerpt] = {}
    while not scanner.take(CLOSE):
        attribute = scanner.expect(ATTRIBUTE, "'name = value;' or '}'")
        found[attribute.group(1)] = scanner.excerpt(*attribute.span(2))
    return found


def _add_variable(scanner: Scanner, draft: Draft) -> None:
    position = scanner.skip_space()
    name = scanner.expect(NAME, "the name of a node").group()
    attributes = _attributes(scanner)
    if "states" not in attributes:
        scanner.fail(f"expected 'states' in the node {name!r}", position)
    notes_of_name = {key: " ".join(_items(attributes[key])) for key in NOTES if key in attributes}
    draft.add_noted_variable(name, position, _states(attributes), notes_of_name)


def _states(attributes: Mapping[str, Excerpt]) -> list[str]:
    """The states; where Hugin leaves them empty, since they are numbers or intervals, these are the names."""
    states = _items(attributes["states"])
    values = _items(attributes["state_values"]) if "state_values" in attributes else []
    if any(states) or not values:
        return states
    if len(values) == len(states) + 1:
        return [f"{low} - {high}" for low, high in itertools.pairwise(values)]
    return values


def _items(value: Excerpt) -> list[str]:
    """The words and strings, without the brackets around them."""
    found = (item.groups() for item in ITEM.finditer(value.text))
    return [word if string is None else re.sub(r"\\(.)", r"\1", string, flags=re.DOTALL) for string, word in found]


def _add_family(scanner: Scanner, draft: Draft) -> None:
    position = scanner.skip_space()
    scope = scanner.expect(SCOPE, "'( name | names )'")
    children, parents = ([] if part is None else NAME.findall(part) for part in scope.groups())
    if len(children) != 1:
        scanner.fail(f"expected one name before '|', found {len(children)}", position)
    attributes = _attributes(scanner)
    if "data" not in attributes:
        other = "; tables that a model computes cannot be read" if "model_data" in attributes else ""
        scanner.fail(f"expected 'data' in the potential of {children[0]!r}{other}", position)
    data = attributes["data"]
    if data.text.count("(") != data.text.count(")"):
        data.fail("expected as many '(' as ')'")
    draft.add_family(children[0], position, parents, row_major(data))


def render(network: BayesianNetwork) -> str:
    """The network as NET, a row of a table on each line."""
    words = spelled(network.dag.nodes, WORD_OF_NET)
    titles = spelled(network.dag.nodes, LABEL_OF_NET)
    nodes = (_rendered_node(name, words, titles[name], labels) for name, labels in network.states.items())
    potentials = (_rendered_potential(cast(Table, network.family(name)), words) for name in network.dag.nodes)
    return "".join(["net\n{\n}\n", *nodes, *potentials])


def _rendered_node(name: Name, words: Spellings, title: str, labels: tuple[Label, ...]) -> str:
    states = spelled(labels, LABEL_OF_NET)
    listed = " ".join(f'"{states[label]}"' for label in labels)
    texts = ({} if title == words[name] else {"label": title}) | notes(name, words, labels, states)
    attributes = [f"    states = ({listed});\n", *(f'    {key} = "{text}";\n' for key, text in texts.items())]
    return f"node {words[name]}\n{{\n{''.join(attributes)}}}\n"


def _rendered_potential(table: Table, words: Spellings) -> str:
    given = f" | {' '.join(words[parent] for parent in table.parents)}" if table.parents else ""
    return f"potential ( {words[table.variable]}{given} )\n{{\n    data = {_bracketed(table.values)};\n}}\n"


def _bracketed(values: Floats) -> str:
    """The numbers with a pair of brackets for each axis."""
    if values.ndim == 1:
        return f"({' '.join(map(repr, values.tolist()))})"
    return f"({NEXT_ROW.join(map(_bracketed, values))})"


FORMAT = Format(
    name="Hugin NET",
    suffixes=(".net",),
    kinds=frozenset({"discrete"}),
    parse=parse,
    render=render,
    replacements=all_fit,
)
