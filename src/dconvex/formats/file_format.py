"""A file format, and how names are changed to those that it can hold."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias, cast

from dconvex.errors import FormatError
from dconvex.graph.dag import Dag
from dconvex.names import Label, Name
from dconvex.network.family import Table
from dconvex.network.network import BayesianNetwork
from dconvex.network.probability_tables import RowRule

Renaming: TypeAlias = dict[Name | tuple[Name, Label], Name | Label]
"""Variable → its name in the file, (variable, state) → the state's name in the file; only those that change."""


class Drafted(Protocol):
    """What is in a file, read as far as a graph needs it: `Draft` or `GaussianDraft`."""

    def network(self) -> BayesianNetwork:
        """The network, with its tables."""

    @property
    def has_tables(self) -> bool:
        """Whether there are tables."""

    def dag(self) -> Dag:
        """The graph, whose tables may be missing."""


@dataclass(frozen=True)
class Format:
    """A file format. `parse` takes the text, the path for its errors, and which rows are corrected; `render` takes networks
    that the format can hold, and is None where a format is only read.
    """

    name: str
    suffixes: tuple[str, ...]
    kinds: frozenset[str]
    parse: Callable[[str, str, RowRule], BayesianNetwork]
    render: Callable[[BayesianNetwork], str] | None
    replacements: Callable[[Sequence[Name | Label]], Mapping[Name | Label, Name | Label]]
    """New names for those that would not be read back from the file as they are, type included."""
    drafted: Callable[[str, str, RowRule], Drafted] | None = None
    """What is in a file, where a file may hold a graph without tables."""


def all_fit(names: Sequence[Name | Label]) -> dict[Name | Label, Name | Label]:
    """The replacements of a format that holds every name."""
    return {}


def fitted(network: BayesianNetwork, form: Format, *, rename: bool) -> tuple[BayesianNetwork, Renaming]:
    """The network as `form` can hold it; without `rename`, a name that it cannot hold is a `FormatError`."""
    changes: Renaming = {**form.replacements(network.dag.nodes)}  # type: ignore[dict-item]
    for node, labels in network.states.items():
        changes |= {(node, label): new for label, new in form.replacements(labels).items()}
    if changes and not rename:
        culprit = next(iter(changes))
        what = f"the state {culprit[1]!r} of {culprit[0]!r}" if isinstance(culprit, tuple) else f"the name {culprit!r}"
        raise FormatError(f"{form.name} cannot hold {what}; rename=True writes {changes[culprit]!r} and returns all changes")
    return (_renamed(network, changes) if changes else network), changes


def _renamed(network: BayesianNetwork, changes: Renaming) -> BayesianNetwork:
    """The same tables under other names; the order of nodes may change, the order of parents does not."""
    new = {node: cast("Name", changes.get(node, node)) for node in network.dag.nodes}
    families = {node: cast(Table, network.family(node)) for node in network.dag.nodes}
    dag = Dag.from_parents({new[node]: [new[parent] for parent in own.parents] for node, own in families.items()})
    tables = {new[node]: own.values for node, own in families.items()}
    states = {new[node]: [changes.get((node, s), s) for s in own] for node, own in network.states.items()}
    return BayesianNetwork.discrete(dag, tables, states)
