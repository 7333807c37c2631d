"""Choosing how to answer: on the kept clusters, on the hull or on the whole network, by what each costs.

Plans never depend on the numbers of tables or on the states observed, so they are kept for the next question of the same kind.
`TooLargeError` is raised here, before anything is allocated.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from dconvex._core import (
    Ending,
    Likelihoods,
    NetworkPart,
    Output,
    Program,
    Question,
    Ragged,
    RunReport,
    SmallNetwork,
    Status,
    TableLayout,
    Tables,
    derivation_cost,
    plan,
    small_network,
)
from dconvex.clusters.cluster_index import ClusterIndex
from dconvex.errors import TooLargeError
from dconvex.graph.convexity import convex_hull
from dconvex.graph.dag import Dag
from dconvex.graph.tree import ClusterTree
from dconvex.inference.plan import Candidate
from dconvex.inference.tables import CopiedTables, TableStore
from dconvex.locks import Lock

Floats: TypeAlias = NDArray[np.float64]
Indices: TypeAlias = NDArray[np.int32]
Variables: TypeAlias = tuple[int, ...]

# looking up the members of an enumeration takes longer than the rest of a small step
FINE = Status.FINE
PRUNED, WHOLE = NetworkPart.PRUNED, NetworkPart.WHOLE
ANSWER, MARGINALS = Ending.ANSWER, Ending.MARGINALS

PLANS_KEPT, BYTES_KEPT = 4096, 1 << 28
"""At most this many plans are kept, and this many bytes of them; the oldest goes first."""
SHARED_BY = 1000
"""A derived table serves later questions too: this many of them are taken to share its cost."""
PLANNING_ONE = 20_000
"""Planning the elimination of one variable takes about as long as this many multiplications."""
CHEAP, CHEAP_FOR_EACH = 1_000_000, 10
"""Where fewer multiplications could be saved, in all or for each number of the program, nothing else is compared.

Looking would cost more: a long chain takes longer to plan than to execute.
"""


@dataclass(slots=True, eq=False)
class Plan:
    """A program, the tables that it loads, and what it was chosen from."""

    question: Question
    program: Program
    store: TableStore
    network: Literal["pruned", "hull", "whole"]
    derived_cost: float
    """Multiplications for the tables that it needs and that are not the network's own; `SHARED_BY` questions share them."""
    peak_bytes: int
    nodes: Indices | None = None
    """On the hull: the variable of the model that each variable of the program is."""
    candidates: tuple[Candidate, ...] = ()
    uses_all_evidence: bool = field(init=False)
    size: int = field(init=False)
    """Of the result."""

    def __post_init__(self) -> None:
        self.uses_all_evidence, self.size = self.program.uses_all_evidence, self.program.result_size

    @property
    def multiplications(self) -> int:
        return self.program.cost

    @property
    def total(self) -> float:
        """Its own multiplications, and its share of those for derived tables."""
        return self.program.cost + self.derived_cost / SHARED_BY

    @property
    def is_expensive(self) -> bool:
        """Whether another plan might save enough; none saves the writing of the result."""
        savable = self.total - 2 * self.size
        return savable >= CHEAP and savable >= CHEAP_FOR_EACH * self.program.length

    @property
    def outputs(self) -> list[Output]:
        """Of each result: its variable, where it begins, its size."""
        return self.program.outputs

    def named(self, variables: Indices) -> Indices:
        """Variables of the program as variables of the model."""
        return variables if self.nodes is None else self.nodes[variables]

    def run(self, states: Variables, likelihoods: Likelihoods) -> tuple[RunReport, Floats]:
        """Execute the program for one row of evidence."""
        result = np.empty(self.size)
        return self.program.run(self.store.tables, states, likelihoods, result), result

    def run_rows(self, states: Indices) -> tuple[Floats, NDArray[np.bool_]]:
        """Execute the program for rows of observed states: results by row, and whether each is possible."""
        results = np.empty((len(states), self.size))
        statuses = self.program.run_rows(self.store.tables, states, results)
        return results, statuses == FINE.value

    def trace(self, states: Variables, likelihoods: Likelihoods, rows: int, seed: int | None) -> Indices | None:
        """The states of the axes, the most probable ones or rows at random; None where the evidence is impossible."""
        status, found = self.program.trace(self.store.tables, states, likelihoods, rows, seed)
        return found if status is FINE else None


class Planner:
    """Makes plans for one store and keeps them. In a coherent model all clusters agree, so that any plan is right."""

    def __init__(self, store: TableStore, *, coherent: bool) -> None:
        self.store, self.coherent = store, coherent
        self._kept: dict[Question, Plan] = {}
        self._bytes = 0
        self._lock = Lock()

    def plan(self, question: Question, *, is_checked: bool = True) -> Plan:
        """The cheapest plan that fits (without `is_checked` it may be too large), or that on the whole network."""
        found = self._kept.get(question)
        if found is None:
            found = self._planned(question)
            is_free = self.coherent and question.network is PRUNED
            if is_free and (found.is_expensive or found.peak_bytes > question.max_bytes):
                found = self._cheapest(found)
            self._keep(found)
        if is_checked and found.peak_bytes > question.max_bytes:
            raise self._too_large(found)
        return found

    def sound(self, chosen: Plan) -> Plan:
        """The plan, once its tables are there; where a table is underflowed, one that works on the network's own."""
        wanted = chosen.program.tables
        chosen.store.derive(wanted)
        if not chosen.store.tables.is_any_underflowed(wanted):
            return chosen
        return self.sound(self.plan(_in_whole_network(chosen.question)))

    def __len__(self) -> int:
        return len(self._kept)

    def __getstate__(self) -> dict[str, Any]:
        return {"store": self.store, "coherent": self.coherent}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(state["store"], coherent=state["coherent"])  # type: ignore[misc]

    def _keep(self, new: Plan) -> None:
        with self._lock:
            if self._kept.setdefault(new.question, new) is not new:  # another thread was first
                return
            self._bytes += new.program.own_bytes
            while len(self._kept) > PLANS_KEPT or (self._bytes > BYTES_KEPT and len(self._kept) > 1):
                self._bytes -= self._kept.pop(next(iter(self._kept))).program.own_bytes

    def _planned(self, question: Question) -> Plan:
        program = plan(self.store.layout, question)
        network: Literal["pruned", "whole"] = "whole" if question.network is WHOLE else "pruned"
        cost, peak = program.derivation_cost(self.store.tables)
        return Plan(question, program, self.store, network, cost, max(program.peak_bytes, peak))

    def _cheapest(self, pruned: Plan) -> Plan:
        """The plan on the kept clusters, or one on the whole network or on the hull that costs less."""
        asked = pruned.question
        plans = [pruned, replace(self._planned(_in_whole_network(asked)), question=asked)]
        if asked.ending is ANSWER and asked.targets:
            hull = self._on_hull(asked)
            plans += [hull] if hull else []
        return _best(plans, asked.max_bytes)

    def _on_hull(self, question: Question) -> Plan | None:
        """Ask the hull of the question within the kept clusters, as a cluster of its own.

        None where that is all of them, or where some evidence does not matter, so that the numbers of the rest would shift.
        """
        small = self.small_network(question.targets, question.observed, question.soft)
        inside = np.flatnonzero(small.is_requisite | (small.roles > 0))
        if not small.is_requisite[inside].all():
            return None
        local = np.full(len(small), -1, np.int64)
        local[inside] = np.arange(len(inside))
        parents = [local[small.parents[v]].tolist() for v in inside.tolist()]
        dag = Dag.from_arrays(tuple(range(len(inside))), Ragged.from_lists(parents))
        nodes, tables = small.nodes[inside], small.tables[inside]
        number = {node: index for index, node in enumerate(nodes.tolist())}
        named = (question.targets, question.observed, question.soft, question.context)
        if any(node not in number for part in named for node in part):
            return None
        targets, observed, soft, context = (tuple(number[node] for node in part) for part in named)
        hull = convex_hull(dag, [*targets, *observed, *soft, *context])
        if len(hull) == len(dag):
            return None
        index = ClusterIndex.of(dag, ClusterTree([hull, dag.nodes], [(0, 1)], mode="any"))
        layout = TableLayout(index.core, self.store.states[nodes])
        store = TableStore(index, Tables(layout, len(nodes)), CopiedTables(self.store, tables))
        planner = Planner(store, coherent=False)
        moved = Question(
            targets, observed, soft, context=context, shows_impossible=question.shows_impossible, max_bytes=question.max_bytes
        )
        found = planner._planned(moved)
        cost, peak = derivation_cost(self.store.tables, tables)  # nothing for the network's own
        peak = max(found.peak_bytes + 8 * int(layout.offsets[-1]), peak)
        # the tables of the hull are derived for this question alone, so they count in full; those below it are kept
        cost += int(found.derived_cost * SHARED_BY)
        return Plan(question, found.program, store, "hull", cost, peak, nodes)

    def small_network(
        self, targets: Sequence[int], observed: Sequence[int], soft: Sequence[int], *, network: NetworkPart = PRUNED
    ) -> SmallNetwork:
        """The small network of a question."""
        return small_network(self.store.index.core, Question(targets, observed, soft, network=network, coherent=self.coherent))

    def _too_large(self, refused: Plan) -> TooLargeError:
        names, tree = self.store.index.dag.names, self.store.index.tree
        members = {names[variable] for variable in refused.named(refused.program.largest_scope).tolist()}
        blame = max(range(len(tree)), key=lambda cluster: len(tree.clusters[cluster] & members), default=None)
        shown = ", ".join(map(str, sorted(members, key=str)[:6]))
        what = f"the table over {len(members)} variables ({shown}{', …' if len(members) > 6 else ''}) in cluster {blame}"
        way_out = 'Ask for marginals instead of a joint, give more evidence, raise max_bytes, or use method="sampling".'
        return TooLargeError(what, refused.peak_bytes, refused.question.max_bytes, way_out, blame)


def _in_whole_network(question: Question) -> Question:
    """The same question, answered among the ancestors in the whole network."""
    return Question(
        question.targets, question.observed, question.soft, map_variables=question.map_variables, context=question.context,
        network=WHOLE, coherent=question.coherent, shows_impossible=question.shows_impossible,
        ending=question.ending, max_bytes=question.max_bytes,
    )  # fmt: skip


def _best(plans: list[Plan], max_bytes: int) -> Plan:
    def rank(one: Plan) -> tuple[bool, float]:
        is_too_large = one.peak_bytes > max_bytes
        return is_too_large, one.peak_bytes if is_too_large else one.total

    best = min(plans, key=rank)
    method: Literal["elimination", "propagation"] = "propagation" if best.question.ending is MARGINALS else "elimination"
    compared = tuple(Candidate(one.network, method, int(one.total), one.peak_bytes) for one in plans)
    return replace(best, candidates=compared)
