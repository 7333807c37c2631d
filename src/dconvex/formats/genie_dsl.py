"""DSL, GeNIe's format before XDSL; read only.

    net weather {
     node rain { TYPE = CPT; PARENTS = ();
      DEFINITION = { NAMESTATES = (no, yes); PROBABILITIES = (0.8, 0.2); }; };
     node wet { TYPE = CPT; PARENTS = (rain);
      DEFINITION = { NAMESTATES = (dry, wet); PROBABILITIES = (0.9, 0.1, 0.2, 0.8); }; };
    };

A node's own states vary fastest, those of its first parent slowest. Deterministic nodes (`TRUTHTABLE`) and noisy-MAX nodes
become tables; other kinds are refused.
"""

from __future__ import annotations

from dconvex.formats.computed_tables import deterministic, noisy_max
from dconvex.formats.draft import Draft, MissingTable, ReadTable, row_major
from dconvex.formats.file_format import Format, all_fit
from dconvex.formats.nested_blocks import Block, items, read_blocks
from dconvex.formats.rows import FILE_ROWS
from dconvex.formats.scanner import Excerpt, Scanner
from dconvex.network.network import BayesianNetwork
from dconvex.network.probability_tables import RowRule


def parse(text: str, path: str, rows: RowRule = FILE_ROWS) -> BayesianNetwork:
    """The network in a DSL text."""
    return drafted(text, path, rows).network()


def drafted(text: str, path: str, rows: RowRule) -> Draft:
    """What is in a DSL text."""
    scanner, root = read_blocks(text, path)
    if root.kind != "net":
        scanner.fail(f"expected 'net', found {root.kind[:40]!r}", root.position)
    draft = Draft(scanner, "DEFINITION", rows)
    for node in root.blocks:
        if node.kind == "node":
            _add_node(scanner, draft, node)
    return draft


def _add_node(scanner: Scanner, draft: Draft, node: Block) -> None:
    definition = node.inside("DEFINITION")
    if definition is None:
        scanner.fail(f"expected a DEFINITION in the node {node.name!r}", node.position)
    states = definition.words("NAMESTATES")
    draft.add_variable(node.name, node.position, node.name, states)
    draft.add_family(node.name, node.position, node.words("PARENTS"), _table(scanner, node, definition, states))


def _table(scanner: Scanner, node: Block, definition: Block, states: list[str]) -> ReadTable:
    def value(key: str) -> Excerpt:
        if key not in definition.values:
            scanner.fail(f"expected {key} in the DEFINITION of {node.name!r}", definition.position)
        return definition.values[key]

    kind = node.word("TYPE")
    if kind == "CPT" and "PROBABILITIES" not in definition.values:
        problem = f"expected PROBABILITIES in the DEFINITION of {node.name!r}"
        return MissingTable(scanner, problem, definition.position)
    if kind == "CPT":
        return row_major(value("PROBABILITIES"))
    if kind == "TRUTHTABLE":
        chosen = value("RESULTINGSTATES")
        return deterministic(node.name, states, list(items(chosen)), chosen)
    if kind != "NOISY_MAX":
        scanner.fail(f"{node.name!r} is of type {kind[:40]!r}; only CPT, TRUTHTABLE and NOISY_MAX can be read", node.position)
    return noisy_max(value("STRENGTHS"), value("PROBABILITIES"))


FORMAT = Format(
    name="GeNIe DSL",
    suffixes=(".dsl",),
    kinds=frozenset({"discrete"}),
    parse=parse,
    drafted=drafted,
    render=None,
    replacements=all_fit,
)
