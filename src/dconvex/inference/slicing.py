"""Slices: a question that does not fit is answered state by state of a few variables, and the answers are added up.

In a slice these variables are fixed, so every table is smaller by their axes. One program serves all slices, since a program
does not depend on states. What is saved in memory is paid in time: `effort` says how many multiplications that may take.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice, product
from typing import NamedTuple, final

import numpy as np

from dconvex._core import Ending, Question, Status
from dconvex.amounts import readable_seconds
from dconvex.arrays import Floats
from dconvex.errors import TooLargeError
from dconvex.inference.evidence import Evidence, Variables
from dconvex.inference.plan import Plan
from dconvex.inference.planner import Planner
from dconvex.inference.request import Slicing
from dconvex.locks import Lock
from dconvex.progress import SampleBar
from dconvex.threads import thread_count, threads

MULTIPLICATIONS_PER_SECOND = 5e8
"""About: to say how long something would take."""
BLOCKS = 64
"""Slices are added up in at most this many blocks, each by one thread."""
FOR_A_SLICE = 50_000
"""To begin a slice takes about as long as this many multiplications."""
AT_ONCE = 1 / 16
"""Variables are chosen in one plan until it needs this part of the limit at most; then the next plan is made."""


@final
@dataclass(frozen=True, slots=True)
class SlicedPlan:
    """A plan for one slice, and how many there are."""

    plan: Plan
    sliced: Variables
    """The variables that are fixed in a slice."""
    states: tuple[int, ...]
    """How many states each of them has."""

    @property
    def count(self) -> int:
        """The number of slices."""
        return math.prod(self.states)

    @property
    def multiplications(self) -> int:
        """Those of all slices."""
        return self.count * self.plan.multiplications

    @property
    def size(self) -> int:
        """Of the result."""
        return self.plan.size

    @property
    def uses_all_evidence(self) -> bool:
        """Whether all evidence is looked at."""
        return self.plan.uses_all_evidence

    @property
    def blocks(self) -> int:
        """The number of sums that are added up in the end; all together they take a quarter of the limit at most."""
        fitting = self.limit // 4 // self._bytes_of_sum - 2
        return max(1, min(self.count, BLOCKS, fitting))

    @property
    def limit(self) -> int:
        """The most bytes that may be held at once."""
        return self.plan.question.max_bytes

    @property
    def _bytes_of_sum(self) -> int:
        numbers = self.plan.size + sum(self.states) + 8
        if self.plan.question.ending is Ending.TRACE:
            numbers += 16 * len(self.plan.program.axes)  # dictionaries
        return 8 * numbers

    @property
    def bytes_to_add_up(self) -> int:
        """What the sums of all blocks take, and theirs."""
        return (self.blocks + 2) * self._bytes_of_sum

    @property
    def peak_bytes(self) -> int:
        """With one thread."""
        return self.plan.peak_bytes + self.bytes_to_add_up

    def threads(self, n_jobs: int | None) -> int:
        """The number of threads that stay within the limit together."""
        fitting = (self.limit - self.bytes_to_add_up) // max(self.plan.peak_bytes, 1)
        return max(1, min(thread_count(n_jobs), self.blocks, fitting))

    def block(self, number: int) -> Iterator[tuple[int, ...]]:
        """The states of the sliced variables in each slice of a block."""
        first, last = (self.count * k // self.blocks for k in (number, number + 1))
        return islice(product(*map(range, self.states)), first, last)


def fitting_plan(planner: Planner, question: Question, slicing: Slicing) -> Plan | SlicedPlan:
    """The plan of a question, in slices where it does not fit otherwise.

    Raises:
        TooLargeError: It does not fit in slices either, or they would take more effort than allowed.
    """
    whole = planner.found(question)
    if whole.peak_bytes <= question.max_bytes:
        return whole
    if slicing.effort <= 0:
        raise whole.too_large()
    if whole.total > slicing.effort:
        raise _too_long(whole, whole.total, slicing)
    found = _sliced(planner, whole, slicing)
    if found is None:
        raise whole.too_large()
    return found


def _sliced(planner: Planner, whole: Plan, slicing: Slicing) -> SlicedPlan | None:
    """Fixes one variable after the other, those first that cost least, until the plan of a slice fits."""
    question = whole.question
    if whole.nodes is not None:  # on the hull
        whole = Plan.of(planner.store, question)
    kept = _never_sliced(question)
    found = SlicedPlan(whole, (), ())
    while found.peak_bytes > question.max_bytes:
        more = _chosen(found.plan, kept, question.max_bytes)
        if not more:
            return None
        sliced = (*found.sliced, *more)
        states = tuple(int(planner.store.states[v]) for v in sliced)
        found = SlicedPlan(Plan.of(planner.store, in_slices(question, sliced)), sliced, states)
        effort = found.count * (found.plan.total + FOR_A_SLICE)
        if effort > slicing.effort:
            raise _too_long(whole, effort, slicing)
    return found


def _never_sliced(question: Question) -> frozenset[int]:
    """Variables that stay whole: they are axes of the answer, or have a likelihood."""
    if question.ending is Ending.ANSWER:
        return frozenset([*question.soft, *question.targets])
    return frozenset(question.soft)


def _chosen(plan: Plan, kept: frozenset[int], limit: int) -> Variables:
    """Some variables to fix, by what is left of the tables and what all slices cost then."""
    program = plan.program
    axes = program.axes
    states = plan.store.states[axes]
    scopes = program.scopes
    values, offsets = scopes.values, scopes.offsets
    table_of = np.repeat(np.arange(len(scopes)), np.diff(offsets))
    logs = np.log2(states)
    sizes = np.bincount(table_of, weights=logs[values], minlength=len(scopes))
    may_go = np.array([v not in kept for v in axes.tolist()], bool) & (states > 1)
    if plan.question.ending is Ending.TRACE:
        maximised = set(plan.question.map_variables)
        may_go &= np.array([v in maximised for v in axes.tolist()], bool)
    needed = float(plan.peak_bytes)
    chosen: list[int] = []
    target = max(limit, needed * AT_ONCE)
    forgets = plan.question.ending is Ending.ANSWER  # tables that are used up; else it needs all of them
    while True:
        largest = float(sizes.max(initial=0.0))
        weights = np.exp2(sizes - largest)
        in_largest = np.unique(values[(sizes == largest)[table_of]])
        open_axes = in_largest[may_go[in_largest]]
        if not len(open_axes):
            break
        total = weights.sum()
        held = np.bincount(values, weights=weights[table_of], minlength=len(axes))[open_axes]
        left = (total - held * (1 - 1 / states[open_axes])) / total
        price = np.log2(left * states[open_axes]) / logs[open_axes]  # more multiplications for each bit that is saved
        best = int(open_axes[np.argmin(price)])
        chosen.append(int(axes[best]))
        may_go[best] = False
        sizes -= np.bincount(table_of[values == best], minlength=len(scopes)) * logs[best]
        after = float(sizes.max(initial=0.0)) - largest if forgets else math.log2(np.exp2(sizes - largest).sum() / total)
        needed *= 2.0**after
        if needed <= target:
            break
    return tuple(chosen)


def in_slices(question: Question, sliced: Variables) -> Question:
    """The same question with these variables fixed in each run."""
    return Question(
        question.targets, question.observed, question.soft, map_variables=question.map_variables, context=question.context,
        network=question.network, coherent=question.coherent, shows_impossible=question.shows_impossible,
        ending=question.ending, max_bytes=question.max_bytes, sliced=sliced,
    )  # fmt: skip


def _too_long(plan: Plan, multiplications: float, slicing: Slicing) -> TooLargeError:
    seconds = multiplications / MULTIPLICATIONS_PER_SECOND
    error = plan.too_large()
    how = (
        f"In slices it would take at least {multiplications:.1e} multiplications, about {readable_seconds(seconds)} on one"
        f" core; effort={slicing.effort:.0e} allows fewer, and effort=None any number. "
    )
    return TooLargeError(error.what, error.estimate, error.limit, how + error.way_out, error.cluster)


@final
class SliceSum:
    """The sum over slices, scaled so that nothing is lost: results that are normalised, with the logarithms of their sums."""

    def __init__(self, sliced: SlicedPlan) -> None:
        self.log_scale = -math.inf
        self.values = np.zeros(sliced.plan.size)
        self.total = 0.0
        self.weights = [np.zeros(states) for states in sliced.states]
        """For each sliced variable the weight of each state."""

    def _raise_scale(self, log_scale: float) -> None:
        if log_scale <= self.log_scale:
            return
        factor = math.exp(self.log_scale - log_scale)
        self.log_scale = log_scale
        self.values *= factor
        self.total *= factor
        for weights in self.weights:
            weights *= factor

    def add(self, states: tuple[int, ...], log_sum: float, values: Floats) -> None:
        """Add one slice; `values` are not needed afterwards."""
        self._raise_scale(log_sum)
        weight = math.exp(log_sum - self.log_scale)
        values *= weight
        self.values += values
        self.total += weight
        for own, state in zip(self.weights, states, strict=True):
            own[state] += weight

    def add_sum(self, other: SliceSum) -> None:
        """Add the slices of another sum, which is not needed afterwards."""
        if other.log_scale == -math.inf:
            return
        self._raise_scale(other.log_scale)
        other._raise_scale(self.log_scale)
        self.values += other.values
        self.total += other.total
        for own, more in zip(self.weights, other.weights, strict=True):
            own += more

    @property
    def log_sum(self) -> float:
        """The logarithm of the sum of everything; -inf where all slices are impossible."""
        return math.log(self.total) + self.log_scale if self.total > 0 else -math.inf


class Ran(NamedTuple):
    """What came of a plan, in slices or not."""

    uses_all_evidence: bool
    log_sum: float
    """-inf where the evidence is impossible."""
    values: Floats


def run(planner: Planner, plan: Plan | SlicedPlan, evidence: Evidence, slicing: Slicing) -> Ran:
    """Run a plan, or all its slices."""
    if isinstance(plan, SlicedPlan):
        found = sum_of_slices(planner, plan, evidence, slicing)
        return Ran(plan.uses_all_evidence, found.log_sum, found.values)
    plan, report, values = planner.run(plan, evidence, thread_count(slicing.n_jobs))
    return Ran(plan.uses_all_evidence, -math.inf if report.status is Status.IMPOSSIBLE else report.log_sum, values)


def sum_of_slices(planner: Planner, sliced: SlicedPlan, evidence: Evidence, slicing: Slicing) -> SliceSum:
    """Run all slices; the bits are the same for any number of threads."""
    plan = planner.sound(sliced.plan)
    native, tables = evidence.native, plan.store.tables

    jobs = sliced.threads(slicing.n_jobs)
    each = max(1, thread_count(slicing.n_jobs) // jobs)  # where only few slices fit at once

    def of_block(number: int) -> SliceSum:
        found, result = SliceSum(sliced), np.empty(plan.size)
        for states in sliced.block(number):
            report = plan.program.run(tables, (*evidence.states, *states), native, result, each)
            if report.status is Status.FINE:
                found.add(states, report.log_sum, result)
            done.advance()
        return found

    whole = SliceSum(sliced)
    with threads(jobs) as workers, _Done(sliced.count, slicing) as done:
        for found in workers.map(of_block, range(sliced.blocks)):
            whole.add_sum(found)
    whole.values /= whole.total or 1.0
    return whole


def best_of_slices(
    planner: Planner, sliced: SlicedPlan, evidence: Evidence, slicing: Slicing
) -> tuple[Plan, dict[int, int] | None]:
    """The plan, and the most probable states of its axes and of what is sliced, the first of equals; None: impossible."""
    plan = planner.sound(sliced.plan)
    native, tables = evidence.native, plan.store.tables

    def of_block(number: int) -> tuple[float, dict[int, int]]:
        best = -math.inf
        best_states: dict[int, int] = {}
        for states in sliced.block(number):
            status, log_weight, found = plan.program.trace_best(tables, (*evidence.states, *states), native)
            if status is Status.FINE and log_weight > best:
                best = log_weight
                best_states = dict(zip(plan.program.axes.tolist(), found.tolist(), strict=True))
                best_states |= dict(zip(sliced.sliced, states, strict=True))
            done.advance()
        return best, best_states

    with threads(sliced.threads(slicing.n_jobs)) as workers, _Done(sliced.count, slicing) as done:
        best, states = max(workers.map(of_block, range(sliced.blocks)), key=lambda found: found[0])
    return plan, None if best == -math.inf else states


@final
class _Done:
    """Counts slices for a bar, from any thread."""

    def __init__(self, count: int, slicing: Slicing) -> None:
        self.bar = SampleBar("slices", count, is_shown=slicing.progress)
        self._lock = Lock()
        self._count = 0

    def advance(self) -> None:
        """One more slice is done."""
        with self._lock:
            self._count += 1
            self.bar.show(self._count)

    def __enter__(self) -> _Done:
        self.bar.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        self.bar.__exit__(None, None, None)
