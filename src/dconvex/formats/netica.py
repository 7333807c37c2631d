"""DNE and DNET, Netica's format; read only.

    bnet weather {
    node rain { kind = NATURE; discrete = TRUE; states = (no, yes); parents = (); probs = (0.8, 0.2); };
    node wet { kind = NATURE; discrete = TRUE; states = (dry, wet); parents = (rain);
      probs = ((0.9, 0.1),    // rain = no
               (0.2, 0.8)); };
    };

The last parent varies fastest of the parents, the node's own states within that. `functable` lists the state of a
deterministic node for each row. Nodes that are continuous are read where their `levels` cut them into states. Decisions,
utilities, nodes that depend on parameters (`param`) and nodes without a table are refused.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from dconvex.formats.computed_tables import deterministic
from dconvex.formats.draft import Draft, MissingTable, ReadTable, row_major
from dconvex.formats.file_format import Format, all_fit
from dconvex.formats.nested_blocks import Block, items, read_blocks
from dconvex.formats.rows import FILE_ROWS
from dconvex.formats.scanner import Scanner
from dconvex.network.network import BayesianNetwork
from dconvex.network.probability_tables import RowRule

KINDS = {"DECISION": "a decision", "UTILITY": "a utility", "ASSUME": "an assumption", "DISCONNECTED": "disconnected"}


def parse(text: str, path: str, rows: RowRule = FILE_ROWS) -> BayesianNetwork:
    """The network in a DNE text."""
    return drafted(text, path, rows).network()


def drafted(text: str, path: str, rows: RowRule) -> Draft:
    """What is in a DNE text."""
    scanner, root = read_blocks(text, path)
    if root.kind != "bnet":
        scanner.fail(f"expected 'bnet', found {root.kind[:40]!r}", root.position)
    parameters = {block.name for block in root.blocks if block.kind == "param"}
    draft = Draft(scanner, "table", rows)
    for node in root.blocks:
        if node.kind == "node":
            _add_node(scanner, draft, node, parameters)
    return draft


def _add_node(scanner: Scanner, draft: Draft, node: Block, parameters: set[str]) -> None:
    kind = node.word("kind") or "NATURE"
    if kind in KINDS:
        scanner.fail(f"{node.name!r} is {KINDS[kind]}; only chance and deterministic nodes can be read", node.position)
    parents, states = node.words("parents"), _states(scanner, node)
    if own := [parent for parent in parents if parent in parameters]:
        scanner.fail(f"{node.name!r} depends on the parameter {own[0]!r}, and such nodes cannot be read", node.position)
    draft.add_variable(node.name, node.position, node.name, states)
    draft.add_family(node.name, node.position, parents, _table(scanner, node, states))


def _states(scanner: Scanner, node: Block) -> list[str]:
    """The states by name; without names their numbers, or the intervals between the levels of a continuous node."""
    if states := node.words("states"):
        return states
    levels, is_discrete = node.words("levels"), node.word("discrete") != "FALSE"
    if levels and not is_discrete:
        return [f"{low} - {high}" for low, high in itertools.pairwise(levels)]
    if levels:
        return levels
    count = node.word("numstates")
    if not count.isdecimal() or not 0 < int(count) < 1 << 20:
        scanner.fail(f"expected 'states' in the node {node.name!r}", node.position)
    return [f"#{number}" for number in range(int(count))]


def _table(scanner: Scanner, node: Block, states: Sequence[str]) -> ReadTable:
    if "probs" in node.values:
        return row_major(node.values["probs"])
    if "functable" not in node.values:
        problem = f"expected 'probs' or 'functable' in the node {node.name!r}, which has no table"
        return MissingTable(scanner, problem, node.position)
    value = node.values["functable"]
    chosen = [(_state(word, states), position) for word, position in items(value)]
    return deterministic(node.name, states, chosen, value)


def _state(word: str, states: Sequence[str]) -> str:
    """A state by name, or by number as in `#1`."""
    number = word.removeprefix("#")
    is_number = word.startswith("#") and number.isdecimal() and len(number) < 10
    return states[int(number)] if is_number and int(number) < len(states) else word


FORMAT = Format(
    name="Netica DNE",
    suffixes=(".dne", ".dnet"),
    kinds=frozenset({"discrete"}),
    parse=parse,
    drafted=drafted,
    render=None,
    replacements=all_fit,
)
