"""What is executed to answer a question about tables: a program, and what it was chosen from."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal, final

import numpy as np

from dconvex._core import Ending, NetworkPart, Output, Program, Question, SmallNetwork, Status, small_network
from dconvex._core import plan as compiled
from dconvex.amounts import amount
from dconvex.arrays import Flags, Floats, Indices
from dconvex.clusters.cluster_index import ClusterIndex
from dconvex.errors import TooLargeError
from dconvex.inference.evidence import Evidence
from dconvex.inference.query_plan import Candidate
from dconvex.inference.table_store import TableStore

WHOLE = NetworkPart.WHOLE  # looking up the members of an enumeration takes longer than the rest of a small step

SHARED_BY = 1000
"""A derived table serves later questions too: this many of them are taken to share its cost."""


@final
@dataclass(slots=True, eq=False)
class Plan:
    """A program, the tables that it loads, and what it was chosen from. `explain` describes it, and nothing else.

    It never changes; to enforce that would take as long as planning a small question.
    """

    index: ClusterIndex
    """Of the model."""
    question: Question
    """What the program was planned for; on the hull, what is asked of the model."""
    program: Program
    store: TableStore
    network: Literal["pruned", "hull", "whole"]
    derived_cost: float
    """Multiplications for the tables that it needs and that are not the network's own; `SHARED_BY` questions share them."""
    peak_bytes: int
    nodes: Indices | None = None
    """On the hull: the variable of the model that each variable of the program is."""
    compared: tuple[Candidate, ...] = ()
    """The ways to answer that were compared; empty if there was nothing to gain by that."""
    uses_all_evidence: bool = field(init=False)
    size: int = field(init=False)
    """Of the result."""

    def __post_init__(self) -> None:
        self.uses_all_evidence, self.size = self.program.uses_all_evidence, self.program.result_size

    @classmethod
    def of(cls, store: TableStore, question: Question) -> Plan:
        """The plan in the part of the network that the question names."""
        program = compiled(store.layout, question)
        cost, peak = program.derivation_cost(store.tables)
        network: Literal["pruned", "whole"] = "whole" if question.network is WHOLE else "pruned"
        return cls(store.index, question, program, store, network, cost, max(program.peak_bytes, peak))

    @property
    def multiplications(self) -> int:
        return self.program.cost

    @property
    def total(self) -> float:
        """Its own multiplications, and its share of those for derived tables."""
        return self.program.cost + self.derived_cost / SHARED_BY

    @property
    def outputs(self) -> list[Output]:
        """Of each result: its variable, where it begins, its size."""
        return self.program.outputs

    def run_rows(self, states: Indices) -> tuple[Floats, Flags]:
        """Run the program for rows of observed states: results by row, and whether each row is possible."""
        results = np.empty((len(states), self.size))
        statuses = self.program.run_rows(self.store.tables, states, results)
        return results, statuses == Status.FINE.value

    def trace(self, evidence: Evidence, rows: int = 1, seed: int | None = None) -> Indices | None:
        """The states of the axes, the most probable ones or rows at random; None where the evidence is impossible."""
        status, found = self.program.trace(self.store.tables, evidence.states, evidence.native, rows, seed)
        return found if status is Status.FINE else None

    # --- what was kept and dropped, and why

    def small_network(self) -> SmallNetwork:
        """The small network that the program was made from, or on the hull, that the hull lies in."""
        return small_network(self.index.core, self.question)

    def requisite(self) -> list[int]:
        """The evidence that matters for the targets."""
        given = [*self.question.observed, *self.question.soft]
        if not self.question.targets:
            return given
        small = self.small_network()
        reached = set(small.nodes[small.is_reached].tolist())
        return [variable for variable in given if variable in reached]

    def kept_variables(self) -> list[int]:
        """The variables of the small network, without barren ones."""
        if self.nodes is not None:
            return sorted(self.nodes.tolist())
        small = self.small_network()
        return sorted(small.nodes[small.is_requisite | (small.roles > 0)].tolist())

    def barren_variables(self) -> list[int]:
        """Variables of the kept clusters that do not matter."""
        return sorted({*self.small_network().nodes.tolist()} - {*self.kept_variables()})

    def kept_clusters(self) -> list[int]:
        """The clusters that answer: those of the targets and of the evidence that is looked at."""
        question = self.question
        looked_at = self.requisite() if question.coherent else [*question.observed, *question.soft]
        return [*map(int, self.index.kept_clusters([*question.targets, *looked_at]))]

    def order(self) -> list[int]:
        """The variables in the order in which they are summed out."""
        return [*map(int, self.named(self.program.order))]

    @property
    def derived(self) -> int:
        """How many tables come from other clusters."""
        return len(self.program.derived) if self.question.coherent else 0

    @property
    def method(self) -> Literal["elimination", "propagation"]:
        return "propagation" if self.question.ending is Ending.MARGINALS else "elimination"

    @property
    def candidates(self) -> tuple[Candidate, ...]:
        return self.compared or (Candidate(self.network, self.method, self.multiplications, self.peak_bytes),)

    def named(self, variables: Indices) -> Indices:
        """Variables of the program as variables of the model."""
        return variables if self.nodes is None else self.nodes[variables]

    def too_large(self) -> TooLargeError:
        """The error that names its largest table."""
        what, cluster = largest_table(self.index, self.named(self.program.largest_scope).tolist())
        way_out = 'Ask for marginals instead of a joint, give more evidence, raise max_bytes, or use method="sampling".'
        return TooLargeError(what, self.peak_bytes, self.question.max_bytes, way_out, cluster)


def largest_table(index: ClusterIndex, scope: Iterable[int]) -> tuple[str, int | None]:
    """A table that is too large, as an error names it, and the cluster that holds most of its variables."""
    names, tree = index.dag.names, index.tree
    members = {names[variable] for variable in scope}
    cluster = max(range(len(tree)), key=lambda number: len(tree.clusters[number] & members), default=None)
    shown = ", ".join(map(str, sorted(members, key=str)[:6]))
    what = f"the table over {amount(len(members), 'variable')} ({shown}{', …' if len(members) > 6 else ''})"
    return f"{what} in cluster {cluster}", cluster
