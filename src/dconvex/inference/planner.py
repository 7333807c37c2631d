"""Choosing how to answer: on the kept clusters, on the hull or on the whole network, by what each costs.

Plans are programs for the kernels, and never depend on the values of evidence, so they are kept for the next question of the
same kind. `TooLargeError` is raised here, before anything is allocated.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from dconvex.errors import TooLargeError
from dconvex.graph.adjacency import Adjacency
from dconvex.graph.convexity import convex_hull
from dconvex.graph.dag import Dag
from dconvex.graph.tree import ClusterTree
from dconvex.inference.families import FamilyIndex, Question, SmallQuestion, packed_question
from dconvex.inference.plan import Candidate
from dconvex.inference.tables import Head, Store

Floats: TypeAlias = NDArray[np.float64]
Longs: TypeAlias = NDArray[np.int64]
Key: TypeAlias = tuple[int, ...]

PLANS_KEPT, BYTES_KEPT = 4096, 1 << 28
"""So many plans are kept, and so many bytes of them; the oldest goes first."""
LARGEST = 2.0**62
"""Larger numbers of multiplications and of bytes are not told apart."""
SHARED_BY = 1000
"""A table that is derived serves later questions too: so many of them are taken to share its cost."""
PLANNING_ONE = 20_000
"""Planning the elimination of one variable takes about as long as so many multiplications."""
CHEAP, CHEAP_FOR_EACH = 1_000_000, 10
"""Where fewer multiplications could be saved, in all or for each number of the program, nothing else is compared.

Looking would cost more: a long chain takes longer to plan than to execute.
"""


class Ending:
    """What a program ends in: one table, one for each variable asked, or all of them left for tracing back."""

    ANSWER, MARGINALS, TRACE = range(3)


@dataclass(slots=True, eq=False)
class Plan:
    """A program, the tables it works on, and what it was chosen from."""

    program: Longs
    arena: int
    """The number of entries in the memory that it works in."""
    size: int
    """The number of entries in the result."""
    multiplications: int
    derived_cost: float
    """Multiplications for the tables that it needs and that are not the network's own; `SHARED_BY` questions share them."""
    peak_bytes: int
    uses_all_evidence: bool
    store: Store
    network: Literal["pruned", "hull", "whole"]
    ending: int
    candidates: tuple[Candidate, ...] = ()
    key: tuple[Any, ...] = ()
    """Under which it is kept."""

    @property
    def total(self) -> float:
        """Its own multiplications, and its share of those for derived tables."""
        return self.multiplications + self.derived_cost / SHARED_BY

    @property
    def is_dear(self) -> bool:
        """Whether another plan might save enough; none saves the writing of the result."""
        savable = self.multiplications - 2 * self.size + self.derived_cost / SHARED_BY
        return savable >= CHEAP and savable >= CHEAP_FOR_EACH * len(self.program)

    @property
    def leaves(self) -> Longs:
        """The tables it needs."""
        sources = _sources(self.program)
        return sources[sources >= 0]

    @property
    def derived(self) -> Longs:
        """The tables it needs that are not the network's own."""
        return derived_tables(self.program, len(self.store.index.dag))

    @property
    def axes(self) -> Longs:
        """The variables of the program's axes: first those summed out, in order."""
        first = self.program[Head.AXES]
        return self.program[first : first + self.program[Head.AXIS_COUNT]]

    @property
    def order(self) -> Longs:
        """The variables in the order in which they are summed out."""
        return self.axes[: self.program[Head.ELIMINATED]]

    @property
    def outs(self) -> list[tuple[int, int, int]]:
        """Of each result: its variable, where it begins, its size."""
        first = self.program[Head.OUTS]
        found = self.program[first + 1 : first + 1 + 3 * self.program[first]].reshape(-1, 3)
        return [(variable, start, size) for variable, start, size in found.tolist()]

    def largest_table(self) -> Longs:
        """The variables of the largest table."""
        program, table, scopes = self.program, self.program[Head.LARGEST], self.program[Head.SCOPES]
        pool = scopes + program[Head.TABLES] + 1
        scope = program[pool + program[scopes + table] : pool + program[scopes + table + 1]]
        return self.axes[scope]


class HullStore(Store):
    """The tables of a small network and of its hull; they are copied from a larger store when they are first needed."""

    def __init__(self, index: FamilyIndex, larger: Store, nodes: Longs, tables: Longs) -> None:
        super().__init__(index, larger.states[nodes])
        self.larger, self.nodes, self.tables = larger, nodes, tables

    def derive(self, tables: Longs) -> None:
        if np.isnan(self.floor[: len(self.nodes)]).any():
            self.larger.derive(self.tables)
            if not self.larger.lost.isdisjoint(self.tables.tolist()):
                self.lost.update(range(self.index.table_count))
                return
            self.fill(np.concatenate([self.larger.table(table).reshape(-1) for table in self.tables.tolist()]))
        super().derive(tables)


class Planner:
    """Makes plans for one store and keeps them."""

    def __init__(self, store: Store, *, is_one_distribution: bool) -> None:
        self.store, self.is_one_distribution = store, is_one_distribution
        self._kept: dict[Any, Plan] = {}
        self._bytes = 0
        self._lock = threading.Lock()

    def plan(
        self, asked: Key, observed: Key, likely: Key, ending: int, limit: int, latest: Key = (), *,
        beside: Key = (), is_checked: bool = True, is_whole: bool = False, shows_impossible: bool = True,
    ) -> Plan:  # fmt: skip
        """The cheapest plan that fits (without `is_checked` it may be too large), or that on the whole network.

        Where clusters disagree, those of the variables `beside` are kept too, though nothing is asked of them.
        """
        key = (asked, observed, likely, ending, limit, latest, beside, is_whole, shows_impossible)
        plan = self._kept.get(key)
        if plan is None:
            question = asked, observed, likely, latest, beside
            network: Literal["pruned", "whole"] = "whole" if is_whole else "pruned"
            plan = self._planned(question, network, ending, limit, shows_impossible)
            if not is_whole and self.is_one_distribution and (plan.is_dear or plan.peak_bytes > limit):
                plan = self._cheapest(plan, question, limit, shows_impossible)
            plan.key = key
            self._keep(key, plan)
        if is_checked and plan.peak_bytes > limit:
            raise self._too_large(plan, limit)
        return plan

    def sound(self, plan: Plan) -> Plan:
        """The plan, once its tables are there; where a table is lost, one that works on the network's own."""
        plan.store.derive(plan.leaves)
        if not plan.store.lost or plan.store.lost.isdisjoint(plan.leaves.tolist()):
            return plan
        asked, observed, likely, ending, limit, latest, beside, _, shows_impossible = plan.key
        given = asked, observed, likely, ending, limit, latest
        return self.sound(self.plan(*given, beside=beside, is_whole=True, shows_impossible=shows_impossible))

    def __len__(self) -> int:
        return len(self._kept)

    def __getstate__(self) -> dict[str, Any]:
        return {"store": self.store, "is_one_distribution": self.is_one_distribution}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _kept={}, _bytes=0, _lock=threading.Lock())

    def _keep(self, key: Any, plan: Plan) -> None:
        with self._lock:
            if self._kept.setdefault(key, plan) is not plan:  # another thread was first
                return
            self._bytes += plan.program.nbytes
            while len(self._kept) > PLANS_KEPT or (self._bytes > BYTES_KEPT and len(self._kept) > 1):
                self._bytes -= self._kept.pop(next(iter(self._kept))).program.nbytes

    def _planned(
        self, question: Question, network: Literal["pruned", "whole"], ending: int, limit: int, shows_impossible: bool
    ) -> Plan:
        program, (_, _, arena, size, multiplications, cost, peak, uses_all_evidence) = self.store.plan(
            packed_question(question, network == "whole", self.is_one_distribution, shows_impossible, ending, limit)
        )
        if cost < 0:
            cost, most = self._priced(derived_tables(program, len(self.store.index.dag)))
            peak = max(peak, most)
        return Plan(program, arena, size, multiplications, cost, peak, uses_all_evidence, self.store, network, ending)

    def _priced(self, derived: Longs) -> tuple[int, int]:
        """What these tables cost, and the most bytes that one of them takes."""
        self.store.price(derived)
        cost, peak = self.store.prices[derived].T
        return int(min(cost.sum(), LARGEST)), int(min(peak.max(initial=0.0), LARGEST))

    def _cheapest(self, pruned: Plan, question: Question, limit: int, shows_impossible: bool) -> Plan:
        """The plan on the kept clusters, or one on the whole network or on the hull that costs less."""
        plans = [pruned, self._planned(question, "whole", pruned.ending, limit, shows_impossible)]
        asked = question[0]
        if pruned.ending == Ending.ANSWER and asked:
            hull = self._on_hull(question, limit, shows_impossible)
            plans += [hull] if hull else []
        return _best(plans, limit)

    def _on_hull(self, question: Question, limit: int, shows_impossible: bool) -> Plan | None:
        """Ask the hull of the question within the kept clusters, as a cluster of its own.

        None where that is all of them, or where some evidence does not matter, so that the numbers of the rest would shift.
        """
        small = self.small_network(*question[:3])
        inside = np.flatnonzero(small.needed | small.roles)
        if not small.needed[inside].all():
            return None
        local = np.full(len(small.nodes), -1, np.int64)
        local[inside] = np.arange(len(inside))
        dag = Dag.from_arrays(
            tuple(range(len(inside))),
            Adjacency.from_lists(
                local[small.parents[small.parent_start[v] : small.parent_start[v + 1]]].tolist() for v in inside
            ),
        )
        place = {int(node): number for number, node in enumerate(small.nodes[inside].tolist())}
        asked, observed, likely, latest, beside = (tuple(place[node] for node in part if node in place) for part in question)
        moved = asked, observed, likely, latest, beside
        hull = convex_hull(dag, [v for part in moved for v in part])
        if len(hull) == len(dag) or any(len(new) < len(old) for new, old in zip(moved, question, strict=True)):
            return None
        index = FamilyIndex.of(dag, ClusterTree([hull, dag.nodes], [(0, 1)], mode="any"))
        below = small.tables[inside]
        store = HullStore(index, self.store, small.nodes[inside], below)
        planner = Planner(store, is_one_distribution=False)
        plan = planner._planned(moved, "pruned", Ending.ANSWER, limit, shows_impossible)
        cost, peak = self._priced(below[below >= len(self.store.index.dag)])
        peak = max(plan.peak_bytes + 8 * len(store.values), peak)
        # the tables of the hull are derived for this question alone, so they count in full; those below it are kept
        return replace(plan, network="hull", peak_bytes=peak, derived_cost=plan.derived_cost * SHARED_BY + cost)

    def small_network(
        self, asked: Sequence[int], observed: Sequence[int], likely: Sequence[int], *, is_whole: bool = False
    ) -> SmallQuestion:
        """The small network of a question."""
        question = asked, observed, likely, (), ()
        return self.store.index.small_question(question, is_whole=is_whole, is_free=self.is_one_distribution)

    def _too_large(self, plan: Plan, limit: int) -> TooLargeError:
        names, tree = self.store.index.dag.names, self.store.index.tree
        scope = plan.largest_table()
        if isinstance(plan.store, HullStore):
            scope = plan.store.nodes[scope]
        members = {names[place] for place in scope.tolist()}
        blame = max(range(len(tree)), key=lambda place: len(tree.clusters[place] & members), default=None)
        shown = ", ".join(map(str, sorted(members, key=str)[:6]))
        what = f"the table over {len(members)} variables ({shown}{', …' if len(members) > 6 else ''}) in cluster {blame}"
        way_out = 'Ask for marginals instead of a joint, give more evidence, raise max_bytes, or use method="sampling".'
        return TooLargeError(what, plan.peak_bytes, limit, way_out, blame)


def derived_tables(program: Longs, own: int) -> Longs:
    """The tables that a program loads and that are not the network's own."""
    if program[Head.IS_TOO_LARGE] or not program[Head.DERIVED]:
        return np.empty(0, np.int64)
    sources = _sources(program)
    return sources[sources >= own]


def _sources(program: Longs) -> Longs:
    """The tables that a program loads, likelihoods as negative numbers."""
    first = program[Head.LEAVES]
    return program[first + 1 : first + 1 + program[first]]


def _best(plans: list[Plan], limit: int) -> Plan:
    best = min(plans, key=lambda plan: (plan.peak_bytes > limit, plan.peak_bytes if plan.peak_bytes > limit else plan.total))
    method: Literal["elimination", "propagation"] = "propagation" if best.ending == Ending.MARGINALS else "elimination"
    compared = tuple(Candidate(plan.network, method, int(plan.total), plan.peak_bytes) for plan in plans)
    return replace(best, candidates=compared)
