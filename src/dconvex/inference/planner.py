"""Choosing how to answer: on the kept clusters, on the hull or on the whole network, by what each costs.

Plans never depend on the numbers of tables or on the states observed, so they are kept for the next question of the same kind.
`TooLargeError` is raised here, before anything is allocated.
"""

from __future__ import annotations

from dataclasses import replace
from typing import final

import numpy as np

from dconvex._core import Ending, NetworkPart, Question, RunReport, Status
from dconvex.arrays import Floats
from dconvex.inference.evidence import Evidence, Variables
from dconvex.inference.hull import hull_plan
from dconvex.inference.plan import Plan
from dconvex.inference.query_plan import Candidate
from dconvex.inference.table_store import TableStore
from dconvex.locks import Lock

# looking up the members of an enumeration takes longer than the rest of a small step
PRUNED, WHOLE = NetworkPart.PRUNED, NetworkPart.WHOLE
ANSWER, MARGINALS, TRACE = Ending.ANSWER, Ending.MARGINALS, Ending.TRACE
NEEDS_TABLES = Status.NEEDS_TABLES

PLANS_KEPT, BYTES_KEPT = 4096, 1 << 28
"""At most this many plans are kept, and this many bytes of them; the oldest goes first."""
PLANNING_ONE = 20_000
"""Planning the elimination of one variable takes about as long as this many multiplications."""
CHEAP, CHEAP_FOR_EACH = 1_000_000, 10
"""Where fewer multiplications could be saved, in all or for each number of the program, nothing else is compared.

Looking would cost more: a long chain takes longer to plan than to execute.
"""


@final
class Planner:
    """Makes plans for one store, keeps and runs them. In a coherent model all clusters agree, so that any plan is right."""

    def __init__(self, store: TableStore, *, coherent: bool) -> None:
        self.store, self.coherent = store, coherent
        self._kept: dict[Question, Plan] = {}
        self._bytes = 0
        self._lock = Lock()

    def question(self, targets: Variables, evidence: Evidence, limit: int, context: Variables = ()) -> Question:
        """What is the joint distribution of the targets? All evidence is looked at that costs little to look at."""
        return Question(
            targets, evidence.observed, evidence.soft, context=context, coherent=self.coherent, shows_impossible=True,
            max_bytes=limit,
        )  # fmt: skip

    def evidence_question(self, evidence: Evidence, limit: int, context: Variables) -> Question:
        """How probable is the evidence, in the network of a question about the context?"""
        return self.question((), evidence, limit, () if self.coherent else context)

    def marginals_question(self, targets: Variables, evidence: Evidence, limit: int) -> Question:
        """What is the distribution of each target?"""
        return Question(
            targets, evidence.observed, evidence.soft, coherent=self.coherent, shows_impossible=True,
            ending=MARGINALS, max_bytes=limit,
        )  # fmt: skip

    def most_probable_question(self, targets: Variables, evidence: Evidence, limit: int) -> Question:
        """What are the most probable states of the targets?"""
        return Question(
            targets, evidence.observed, evidence.soft, map_variables=targets, coherent=self.coherent, shows_impossible=True,
            ending=TRACE, max_bytes=limit,
        )  # fmt: skip

    def ancestors_question(self, evidence: Evidence, limit: int) -> Question:
        """Which states of the evidence's ancestors fit it? They are drawn at random."""
        return Question(
            (), evidence.observed, evidence.soft, network=WHOLE, coherent=self.coherent, shows_impossible=True,
            ending=TRACE, max_bytes=limit,
        )  # fmt: skip

    def plan(self, question: Question) -> Plan:
        """The plan of a question; one that takes too much memory is refused."""
        found = self._kept.get(question) or self._made(question)
        if found.peak_bytes > question.max_bytes:
            raise found.too_large()
        return found

    def found(self, question: Question) -> Plan:
        """The cheapest plan that fits, or if none does, the smallest."""
        return self._kept.get(question) or self._made(question)

    def run(self, plan: Plan, evidence: Evidence, n_jobs: int = 1) -> tuple[Plan, RunReport, Floats]:
        """Run a plan for one row of evidence: the plan that was run in the end, its report and its result."""
        result = np.empty(plan.size)
        report = plan.program.run(plan.store.tables, evidence.states, evidence.native, result, n_jobs)
        if report.status is NEEDS_TABLES:
            return self.run(self.sound(plan), evidence, n_jobs)
        return plan, report, result

    def sound(self, chosen: Plan) -> Plan:
        """The plan, once its tables are there; where a table is underflowed, one that works on the network's own."""
        wanted = chosen.program.tables
        chosen.store.derive(wanted)
        if not chosen.store.tables.is_any_underflowed(wanted):
            return chosen
        return self.sound(self.plan(_in_whole_network(chosen.question)))

    def __len__(self) -> int:
        return len(self._kept)

    def __reduce__(self) -> tuple[object, ...]:
        return _planner, (self.store, self.coherent)  # plans are made again

    def _made(self, question: Question) -> Plan:
        plan = Plan.of(self.store, question)
        is_free = self.coherent and question.network is PRUNED
        if is_free and (_is_expensive(plan) or plan.peak_bytes > question.max_bytes):
            plan = self._cheapest(plan)
        self._keep(question, plan)
        return plan

    def _keep(self, question: Question, new: Plan) -> None:
        with self._lock:
            if self._kept.setdefault(question, new) is not new:  # another thread was first
                return
            self._bytes += new.program.own_bytes
            while len(self._kept) > PLANS_KEPT or (self._bytes > BYTES_KEPT and len(self._kept) > 1):
                self._bytes -= self._kept.pop(next(iter(self._kept))).program.own_bytes

    def _cheapest(self, pruned: Plan) -> Plan:
        """The plan on the kept clusters, or one on the whole network or on the hull that costs less."""
        question = pruned.question
        plans = [pruned, Plan.of(self.store, _in_whole_network(question))]
        if question.ending is ANSWER and question.targets and (hull := hull_plan(self.store, question)):
            plans.append(hull)
        return _best(plans, question.max_bytes)


def _planner(store: TableStore, coherent: bool) -> Planner:
    return Planner(store, coherent=coherent)


def _is_expensive(plan: Plan) -> bool:
    """Whether another plan might save enough; none saves the writing of the result."""
    savable = plan.total - 2 * plan.size
    return savable >= CHEAP and savable >= CHEAP_FOR_EACH * plan.program.length


def _in_whole_network(question: Question) -> Question:
    """The same question, answered among the ancestors in the whole network."""
    return Question(
        question.targets, question.observed, question.soft, map_variables=question.map_variables, context=question.context,
        network=WHOLE, coherent=question.coherent, shows_impossible=question.shows_impossible,
        ending=question.ending, max_bytes=question.max_bytes, sliced=question.sliced,
    )  # fmt: skip


def _best(plans: list[Plan], max_bytes: int) -> Plan:
    def rank(one: Plan) -> tuple[bool, float]:
        is_too_large = one.peak_bytes > max_bytes
        return is_too_large, one.peak_bytes if is_too_large else one.total

    best = min(plans, key=rank)
    compared = tuple(Candidate(one.network, best.method, int(one.total), one.peak_bytes) for one in plans)
    return replace(best, compared=compared)
