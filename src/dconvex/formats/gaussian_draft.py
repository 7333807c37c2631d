"""A linear Gaussian network while its file is read: regressions are added in any order and checked at the end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from dconvex.errors import CycleError, DconvexError, FormatError, UnknownVariableError
from dconvex.formats.linear_terms import Linear
from dconvex.formats.scanner import Scanner
from dconvex.formats.spelling import NAME_NOTE, meanings
from dconvex.graph.dag import Dag
from dconvex.names import Name, checked_name
from dconvex.network.network import BayesianNetwork


@dataclass(frozen=True, slots=True)
class _Entry:
    position: int
    name: Name
    parents: tuple[str, ...]
    regression: Linear


@dataclass(slots=True)
class GaussianDraft:
    """Variables by their key in the file; positions in the text are for errors."""

    scanner: Scanner
    entries: dict[str, _Entry] = field(default_factory=dict)

    def add(
        self, key: str, position: int, parents: Sequence[str], regression: Linear, notes: Mapping[str, str] | None = None
    ) -> None:
        """A variable, whose true name is in its notes, if these change it (see `spelling`)."""
        if key in self.entries:
            self.scanner.fail(f"the variable {key!r} is defined twice", position)
        for variable in regression.coefficients:
            if variable not in parents:
                self.scanner.fail(f"{key!r} depends on {variable!r}, which is not among its parents", position)
        try:
            names = meanings((notes or {}).get(NAME_NOTE, ""))
            self.entries[key] = _Entry(position, checked_name(names.get(key, key)), tuple(parents), regression)
        except (DconvexError, ValueError) as error:
            self.scanner.fail(f"the name of {key!r} is not valid: {error}", position)

    @property
    def has_tables(self) -> bool:
        """Whether there are numbers: there are, for each variable."""
        return True

    def dag(self) -> Dag:
        """The graph alone."""
        return self.network().dag

    def network(self) -> BayesianNetwork:
        """The network, or a `FormatError` at the first thing that is wrong."""
        names = {key: entry.name for key, entry in self.entries.items()}
        if len(set(names.values())) < len(names):
            twice = next(key for key, name in names.items() if list(names.values()).count(name) > 1)
            self.scanner.fail(f"two variables are called {names[twice]!r}", self.entries[twice].position)
        for entry in self.entries.values():
            for parent in entry.parents:
                if parent not in names:
                    self.scanner.fail(str(UnknownVariableError(parent, names)), entry.position)
        try:
            dag = Dag.from_parents({entry.name: [names[p] for p in entry.parents] for entry in self.entries.values()})
            regressions = {
                entry.name: (
                    entry.regression.constant,
                    {names[parent]: entry.regression.coefficients.get(parent, 0.0) for parent in entry.parents},
                    entry.regression.variance,
                )
                for entry in self.entries.values()
            }
            return BayesianNetwork.gaussian(dag, regressions)
        except FormatError:
            raise
        except DconvexError as error:
            culprit = error.cycle[0] if isinstance(error, CycleError) else getattr(error, "variable", None)
            position = next((entry.position for entry in self.entries.values() if entry.name == culprit), 0)
            self.scanner.fail(str(error), position)
