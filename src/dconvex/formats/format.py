"""What a file format is to the rest of the library, and how names are fitted to what it can hold."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from dconvex.errors import FormatError
from dconvex.graph.dag import Dag
from dconvex.names import Label, Name
from dconvex.network.families import Regression, Table
from dconvex.network.network import BayesianNetwork

Renaming: TypeAlias = dict[Name | tuple[Name, Label], str]
"""Variable → its name in the file, and (variable, state) → the state's name in the file; only what was changed."""


@dataclass(frozen=True)
class Format:
    """One file format. `parse` gets the text and the path for its errors; `render` gets only networks that fit."""

    name: str
    suffixes: tuple[str, ...]
    kinds: frozenset[str]
    parse: Callable[[str, str], BayesianNetwork]
    render: Callable[[BayesianNetwork], str]
    holds: Callable[[Name | Label], bool]
    """Whether a name or label can stand in the file and be read back, type included."""
    spelled_apart: bool
    """Whether 1 and "1" are different in the file."""


def cell_count(sizes: Iterable[int]) -> int:
    """The number of cells of a table; once it is beyond anything that fits in memory, the rest is not multiplied."""
    cells = 1
    for size in sizes:
        cells *= size
        if cells > 1 << 60:
            break
    return cells


def fitted(network: BayesianNetwork, form: Format, *, rename: bool) -> tuple[BayesianNetwork, Renaming]:
    """The network as `form` can hold it; without `rename`, whatever would have to change is a `FormatError`."""
    if network.kind not in form.kinds:
        raise FormatError(f"{form.name} cannot hold a {network.kind} network")
    changes: Renaming = dict(_replacements(network.dag.nodes, form).items())
    for node, labels in network.states.items():
        changes |= {(node, label): spelling for label, spelling in _replacements(labels, form).items()}
    if changes and not rename:
        culprit = next(iter(changes))
        what = f"the state {culprit[1]!r} of {culprit[0]!r}" if isinstance(culprit, tuple) else f"the name {culprit!r}"
        raise FormatError(f"{form.name} cannot hold {what}; rename=True writes {changes[culprit]!r} and tells the mapping")
    return (_renamed(network, changes) if changes else network), changes


def _replacements(names: Sequence[Name | Label], form: Format) -> dict[Name | Label, str]:
    """New spellings for the names that the format cannot hold, or cannot tell from an earlier one."""
    seen: set[Name | Label] = set()
    unfit: list[Name | Label] = []
    for name in names:
        in_file = name if form.spelled_apart else str(name)
        if in_file in seen or not form.holds(name):
            unfit.append(name)
        seen.add(in_file)
    taken = set(map(str, names))
    fresh: dict[Name | Label, str] = {}
    for name in unfit:
        fresh[name] = _fresh(name, taken)
        taken.add(fresh[name])
    return fresh


def _fresh(name: Name | Label, taken: set[str]) -> str:
    """A plain word like `name` that is not taken yet."""
    stem = re.sub(r"[^A-Za-z0-9]+", "_", str(name)).strip("_") or "unnamed"
    stem = stem if stem[0].isalpha() else f"x_{stem}"
    spellings = itertools.chain([stem], (f"{stem}_{count}" for count in itertools.count(2)))
    return next(spelling for spelling in spellings if spelling not in taken)


def _renamed(network: BayesianNetwork, changes: Renaming) -> BayesianNetwork:
    """The same numbers under other names; the canonical order of nodes may change, the order of parents does not."""
    new = {node: changes.get(node, node) for node in network.dag.nodes}
    families = {node: network.family(node) for node in network.dag.nodes}
    dag = Dag.from_parents({new[node]: [new[parent] for parent in own.parents] for node, own in families.items()})
    tables = {new[node]: own.values for node, own in families.items() if isinstance(own, Table)}
    states = {new[node]: [changes.get((node, s), s) for s in own] for node, own in network.states.items()}
    if network.kind == "discrete":
        return BayesianNetwork.discrete(dag, tables, states)
    regressions = {
        new[node]: (own.intercept, {new[p]: value for p, value in own.coefficients.items()}, own.variance)
        for node, own in families.items()
        if isinstance(own, Regression)
    }
    return BayesianNetwork.gaussian(dag, regressions)
