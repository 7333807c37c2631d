"""NET, the language of Hugin, as Hugin, GeNIe, pyAgrum, pgmpy and others write it.

    net { node_size = (80 40); }
    node rain { states = ("no" "yes"); }
    node wet { states = ("dry" "wet"); }
    potential ( rain ) { data = ( 0.8 0.2 ); }
    potential ( wet | rain ) { data = (( 0.9 0.1 ) % rain=no
                                       ( 0.2 0.8 )); }

Parents are in the order of the table's axes, the node's own states vary fastest; how the brackets nest is ignored. Node
names must be words in Hugin, so other names become words, with the true ones in our own attributes (`spelling`). Other
attributes are ignored. Some programs leave out the block `net`, or have dots and brackets in names.

    continuous node x { }
    continuous node y { }
    potential ( x ) { data = ( normal ( 0, 1 ) ); }
    potential ( y | x ) { data = ( normal ( 1.5 + 2*x, 0.25 ) ); }

A network of continuous nodes is linear Gaussian; the second number of `normal` is a variance. Networks with both kinds, and
other nodes than these, are refused.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dconvex.arrays import Floats
from dconvex.errors import UnknownVariableError
from dconvex.formats.draft import Draft, MissingTable, row_major
from dconvex.formats.file_format import Format, all_fit
from dconvex.formats.gaussian_draft import GaussianDraft
from dconvex.formats.linear_terms import Terms
from dconvex.formats.rows import FILE_ROWS
from dconvex.formats.scanner import Excerpt, Scanner, blank
from dconvex.formats.spelling import LINE, NOTES, WORD, Spellings, notes, spelled
from dconvex.names import Label, Name
from dconvex.network.family import Regression, Table
from dconvex.network.network import BayesianNetwork
from dconvex.network.probability_tables import RowRule

INSIDE = r'(?:[^"\\]++|\\.)*+'
STRING = f'"{INSIDE}"'
COMMENT = re.compile(rf"{STRING}?+|(%[^\n]*+)", re.DOTALL)  # a string without an end goes on to the end of the text
BLOCK = re.compile(r"(net|potential|continuous\s++node|(?:discrete\s++)?node)\b")
OTHER_BLOCK = re.compile(
    r"(interval\s++node|(?:(?:discrete|continuous)\s++)?(?:utility|decision|function)|class|instance)\b\s*+([\w-]*+)"
)
BRACKETS = r"\([\w.,-]*+\)"
"""As in the name `parent(x,y)`."""
NAME = re.compile(rf"[\w.-]++(?:{BRACKETS}[\w.-]*+)*+")
OPEN, CLOSE = re.compile(r"\{"), re.compile(r"\}")
ATTRIBUTE = re.compile(rf'(\w++)\s*+=\s*+((?:[^;{{}}"]++|{STRING})*+);', re.DOTALL)
PART = rf'((?:[^()|{{}};"]++|{BRACKETS})*+)'
SCOPE = re.compile(rf"\(\s*+{PART}(?:\|{PART})?\)")
NORMAL = re.compile(r"\s*+(\(?)\s*+normal(?=\s*+\()")
ITEM = re.compile(rf'"({INSIDE})"|([^\s,()"]++)', re.DOTALL)
WORD_OF_NET = re.compile(
    rf"(?!(?:net|class|node|utility|decision|function|discrete|continuous|interval|potential|data)$){WORD.pattern}"
)
LABEL_OF_NET = re.compile(rf'(?![^"\\]*+["\\]){LINE.pattern}')
NEXT_ROW = "\n" + 12 * " "


@dataclass(frozen=True, slots=True)
class _Block:
    """A node with its name, or a potential with its scope."""

    kind: str
    position: int
    names: list[str]
    parents: list[str]
    attributes: dict[str, Excerpt]


def parse(text: str, path: str, rows: RowRule = FILE_ROWS) -> BayesianNetwork:
    """The network in a NET text; blocks may be in any order."""
    return drafted(text, path, rows).network()


def drafted(text: str, path: str, rows: RowRule) -> Draft | GaussianDraft:
    """What is in a NET text."""
    scanner = Scanner(_without_comments(text), path)
    blocks = [_block(scanner, is_first=True)]
    while scanner.skip_space() < len(scanner.text):
        blocks.append(_block(scanner, is_first=False))
    potentials = [block for block in blocks if block.kind == "potential"]
    continuous = {block.names[0]: block for block in blocks if block.kind == "continuous node"}
    if continuous:
        return _gaussian_draft(scanner, continuous, potentials, [block for block in blocks if block.kind == "node"])
    draft = Draft(scanner, "potential", rows)
    for block in blocks:
        if block.kind == "node":
            _add_variable(scanner, draft, block)
    for block in potentials:
        _add_family(scanner, draft, block)
    return draft


def _block(scanner: Scanner, *, is_first: bool) -> _Block:
    position = scanner.skip_space()
    if other := scanner.take(OTHER_BLOCK):
        kind, name = other.groups()
        readable = "only discrete and linear Gaussian chance nodes can be read"
        scanner.fail(f"{name!r} is a {' '.join(kind.split())}; {readable}", position)
    expected = "'net'" if is_first else "'node' or 'potential'"
    kind = " ".join(scanner.expect(BLOCK, expected).group().split()).removeprefix("discrete ")
    if kind == "net" and not is_first:
        scanner.fail(f"expected {expected}, found 'net'", position)
    if kind == "net":
        return _Block(kind, position, [], [], _attributes(scanner))
    position = scanner.skip_space()
    if kind != "potential":
        name = scanner.expect(NAME, "the name of a node").group()
        return _Block(kind, position, [name], [], _attributes(scanner))
    scope = scanner.expect(SCOPE, "'( name | names )'")
    children, parents = ([] if part is None else NAME.findall(part) for part in scope.groups())
    if len(children) != 1:
        scanner.fail(f"expected one name before '|', found {len(children)}", position)
    return _Block(kind, position, children, parents, _attributes(scanner))


def _gaussian_draft(
    scanner: Scanner, continuous: Mapping[str, _Block], potentials: Sequence[_Block], discrete: Sequence[_Block]
) -> GaussianDraft:
    """A network of continuous nodes, each with a normal distribution around a linear expression."""
    if discrete:
        problem = f"{discrete[0].names[0]!r} is discrete and {next(iter(continuous))!r} continuous"
        scanner.fail(f"{problem}; mixed networks cannot be read", discrete[0].position)
    draft = GaussianDraft(scanner)
    for block in potentials:
        name = block.names[0]
        if name not in continuous:
            scanner.fail(str(UnknownVariableError(name, continuous)), block.position)
        data = _data(scanner, block)
        start = NORMAL.match(data.text)
        if start is None:
            data.fail(f"expected 'normal ( mean, variance )', found {data.text.strip()[:40]!r}")
        inside = data.text.rstrip()
        if start.group(1):
            inside = inside.removesuffix(")")
        rest = scanner.excerpt(data.start + start.end(), data.start + len(inside))
        draft.add(name, block.position, block.parents, Terms(rest, is_variance=True).normal_alone(), _notes(continuous[name]))
    for name, block in continuous.items():
        if name not in draft.entries:
            scanner.fail(f"expected a potential for {name!r}, found none", block.position)
    return draft


def _notes(block: _Block) -> dict[str, str]:
    return {key: " ".join(_items(block.attributes[key])) for key in NOTES if key in block.attributes}


def _without_comments(text: str) -> str:
    """The text with comments replaced by blanks: every position keeps its line and column."""
    return COMMENT.sub(lambda found: blank(found) if found.group(1) else found.group(), text) if "%" in text else text


def _attributes(scanner: Scanner) -> dict[str, Excerpt]:
    """The values of a block's attributes."""
    scanner.expect(OPEN, "'{'")
    found: dict[str, Excerpt] = {}
    while not scanner.take(CLOSE):
        attribute = scanner.expect(ATTRIBUTE, "'name = value;' or '}'")
        found[attribute.group(1)] = scanner.excerpt(*attribute.span(2))
    return found


def _add_variable(scanner: Scanner, draft: Draft, node: _Block) -> None:
    [name] = node.names
    if "states" not in node.attributes:
        scanner.fail(f"expected 'states' in the node {name!r}", node.position)
    draft.add_noted_variable(name, node.position, _states(node.attributes), _notes(node))


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


def _add_family(scanner: Scanner, draft: Draft, block: _Block) -> None:
    data = block.attributes.get("data")
    if data is not None and data.text.count("(") != data.text.count(")"):
        data.fail("expected as many '(' as ')'")
    table = MissingTable(scanner, _no_data(block), block.position) if data is None else row_major(data)
    draft.add_family(block.names[0], block.position, block.parents, table)


def _data(scanner: Scanner, block: _Block) -> Excerpt:
    if "data" not in block.attributes:
        scanner.fail(_no_data(block), block.position)
    return block.attributes["data"]


def _no_data(block: _Block) -> str:
    other = "; tables that a model computes cannot be read" if "model_data" in block.attributes else ""
    return f"expected 'data' in the potential of {block.names[0]!r}{other}"


def render(network: BayesianNetwork) -> str:
    """The network as NET, a row of a table on each line."""
    words = spelled(network.dag.nodes, WORD_OF_NET)
    titles = spelled(network.dag.nodes, LABEL_OF_NET)
    if network.kind == "gaussian":
        nodes = (_rendered_node("continuous node", name, words, titles[name], ()) for name in network.dag.nodes)
    else:
        nodes = (_rendered_node("node", name, words, titles[name], labels) for name, labels in network.states.items())
    potentials = (_rendered_potential(network.family(name), words) for name in network.dag.nodes)
    return "".join(["net\n{\n}\n", *nodes, *potentials])


def _rendered_node(kind: str, name: Name, words: Spellings, title: str, labels: tuple[Label, ...]) -> str:
    states = spelled(labels, LABEL_OF_NET)
    listed = " ".join(f'"{states[label]}"' for label in labels)
    texts = ({} if title == words[name] else {"label": title}) | notes(name, words, labels, states)
    attributes = [
        *([f"    states = ({listed});\n"] if labels else []),
        *(f'    {key} = "{text}";\n' for key, text in texts.items()),
    ]
    return f"{kind} {words[name]}\n{{\n{''.join(attributes)}}}\n"


def _rendered_potential(family: Table | Regression, words: Spellings) -> str:
    given = f" | {' '.join(words[parent] for parent in family.parents)}" if family.parents else ""
    data = _bracketed(family.values) if isinstance(family, Table) else f"( {_normal(family, words)} )"
    return f"potential ( {words[family.variable]}{given} )\n{{\n    data = {data};\n}}\n"


def _normal(own: Regression, words: Spellings) -> str:
    terms = [repr(own.intercept), *(f"{value!r}*{words[parent]}" for parent, value in own.coefficients.items())]
    return f"normal ( {' + '.join(terms)}, {own.variance!r} )"


def _bracketed(values: Floats) -> str:
    """The numbers with a pair of brackets for each axis."""
    if values.ndim == 1:
        return f"({' '.join(map(repr, values.tolist()))})"
    return f"({NEXT_ROW.join(map(_bracketed, values))})"


FORMAT = Format(
    name="Hugin NET",
    suffixes=(".net",),
    kinds=frozenset({"discrete", "gaussian"}),
    parse=parse,
    drafted=drafted,
    render=render,
    replacements=all_fit,
)
