"""What a question after the answer takes, before any number is touched: the plan that `explain=True` gives."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, final

from dconvex.amounts import readable_bytes
from dconvex.errors import TooLargeError
from dconvex.inference.answer_rows import printed
from dconvex.inference.request import Request

if TYPE_CHECKING:
    import pandas as pd


class Cost(NamedTuple):
    """What one question to an engine takes, with the check that its evidence is possible."""

    multiplications: int
    """Without those for tables that are derived once and kept."""
    peak_bytes: int
    """The most that is held at once."""


@final
@dataclass(frozen=True, slots=True)
class PlannedStep:
    """Questions of one kind, which are asked one after the other."""

    what: str
    times: int
    """How often it is asked; where a state turns out to be impossible, less often."""
    multiplications: int
    """All of them together."""
    peak_bytes: int
    """The most bytes that one of them holds at once."""

    @classmethod
    def of(cls, what: str, costs: Sequence[Cost]) -> PlannedStep:
        """The step of questions that cost this each."""
        peak = max((cost.peak_bytes for cost in costs), default=0)
        return cls(what, len(costs), sum(cost.multiplications for cost in costs), peak)


class PlannedSteps(NamedTuple):
    """What an engine does for a question, and the bytes that it holds all the while."""

    steps: Sequence[PlannedStep]
    held_bytes: int = 0


@final
@dataclass(frozen=True, slots=True, repr=False)
class DecisionPlan:
    """What a question after the answer takes: print it, or look at its steps.

    The question runs these steps, in this order, and no others.
    """

    question: str
    """As `influences on P(lung | smoke = yes)`."""
    steps: tuple[PlannedStep, ...]
    held_bytes: int = 0
    """What is held from beginning to end: answers, and tables that are made for the question."""

    @property
    def multiplications(self) -> int:
        """Those of all steps, without the tables that are derived once and kept."""
        return sum(step.multiplications for step in self.steps)

    @property
    def peak_bytes(self) -> int:
        """The most bytes held at once, which is what `max_bytes` limits."""
        return self.held_bytes + max((step.peak_bytes for step in self.steps), default=0)

    def to_frame(self) -> pd.DataFrame:
        """The steps as a pandas DataFrame.

        Returns:
            A frame with a row for each step: what it is, how often, its multiplications and its peak bytes.

        """
        import pandas as pd

        columns = ["step", "times", "multiplications", "peak_bytes"]
        rows = [(step.what, step.times, step.multiplications, step.peak_bytes) for step in self.steps]
        return pd.DataFrame(rows, columns=columns)

    def __str__(self) -> str:
        lines = [
            [step.what, f"{step.times:,}", f"{step.multiplications:,}", readable_bytes(step.peak_bytes)] for step in self.steps
        ]
        if self.held_bytes:
            lines.append(["held all the while", "", "", readable_bytes(self.held_bytes)])
        asked = sum(step.times for step in self.steps)
        lines.append(["in all", f"{asked:,}", f"{self.multiplications:,}", readable_bytes(self.peak_bytes)])
        return printed(f"plan of {self.question}", ["step", "times", "multiplications", "peak memory"], lines, 0)

    __repr__ = __str__


def plan_of(question: str, found: PlannedSteps, held_bytes: int = 0) -> DecisionPlan:
    """The plan of a question that holds this many bytes besides what its steps know of."""
    return DecisionPlan(question, tuple(found.steps), found.held_bytes + held_bytes)


def limited_besides(request: Request, held: int, what: str) -> Request:
    """The request with what its limit leaves besides what is held all the while."""
    if held > request.limit:
        raise TooLargeError(what, held, request.limit, "Raise max_bytes.")
    return request._replace(limit=request.limit - held)


@contextmanager
def errors_about(question: str, limit: int, way_out: str) -> Iterator[None]:
    """The error of a step that is too large names the whole question, and counts what is held besides."""
    try:
        yield
    except TooLargeError as error:
        estimate = error.estimate + limit - error.limit
        raise TooLargeError(f"{question}: {error.what}", estimate, limit, way_out, error.cluster) from None
