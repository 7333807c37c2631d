"""What setting a variable does to another one, next to what seeing it there says."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, final

from dconvex.inference.answer_rows import AnswerRows, printed
from dconvex.inference.distribution import Distribution, GaussianDistribution
from dconvex.inference.engine import Answer
from dconvex.inference.titles import KnownValue, finding
from dconvex.names import Label, Name, in_one_line

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = 4
"""The most states of the outcome that are printed."""


@final
@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Setting:
    """A value of the treatment, and the outcome where it is set to that and where it is seen there."""

    value: Label | float
    doing: Answer | None
    """None: the evidence is impossible then."""
    seeing: Answer | None
    """None: it is never seen there, given the evidence."""

    def __repr__(self) -> str:
        return f"Setting({self.value!r}, doing={self.doing!r}, seeing={self.seeing!r})"


@final
@dataclass(frozen=True, eq=False, repr=False)
class Effect(AnswerRows[Setting]):
    """What setting the treatment does to the outcome: a row for each of its states, or for three numbers.

    Each row has a `value` of the treatment and two answers about the outcome: `doing`, where it is set to that value, and
    `seeing`, where it is seen there; None where the evidence rules that out.
    """

    treatment: Name
    outcome: Name
    evidence: Mapping[Name, KnownValue]
    before: Answer
    """The outcome given the evidence, where nothing is set."""
    after: tuple[Name, ...]
    """Findings that the treatment can change: they are seen once it is set."""
    slope: float | None = None
    """In a Gaussian model how far the mean of the outcome moves for each unit that the treatment is moved."""
    seeing_slope: float | None = None
    """And how much higher the outcome is expected for each unit that the treatment is seen higher."""

    @property
    def title(self) -> str:
        """The question, as `effect of smoke on lung given xray = yes`."""
        given = f" given {', '.join(finding(name, value) for name, value in self.evidence.items())}" if self.evidence else ""
        return f"effect of {in_one_line(self.treatment)} on {in_one_line(self.outcome)}{given}"

    def to_frame(self) -> pd.DataFrame:
        """The settings as a pandas DataFrame.

        Returns:
            A frame with a row for each setting and state of the outcome, with its probability when setting and when seeing; in
            a Gaussian model a row for each setting with means and standard deviations.

        """
        import pandas as pd

        if isinstance(self.before, GaussianDistribution):
            columns = ["setting", "doing_mean", "doing_deviation", "seeing_mean", "seeing_deviation"]
            return pd.DataFrame(
                [(row.value, *_moments(row.doing), *_moments(row.seeing)) for row in self.rows], columns=columns
            )
        cells = [
            (row.value, state, _chance(row.doing, state), _chance(row.seeing, state))
            for row in self.rows
            for state in self.before.labels[0]
        ]
        return pd.DataFrame(cells, columns=["setting", "state", "doing", "seeing"])

    def _text(self, most: int) -> str:
        lines, heads = [], [in_one_line(self.treatment)]
        if isinstance(self.before, GaussianDistribution):
            heads += ["doing", "seeing"]
            lines = [[f"{row.value:.6g}", _normal(row.doing), _normal(row.seeing)] for row in self.rows[:most]]
        else:
            states = self.before.labels[0]
            shown = states[:1] if len(states) == 2 else states[:COLUMNS]
            heads += [f"{how} P({in_one_line(state)})" for state in shown for how in ("do:", "see:")]
            for row in self.rows[:most]:
                pairs = [(_chance(row.doing, state), _chance(row.seeing, state)) for state in shown]
                lines.append([in_one_line(row.value), *(_shown(chance) for pair in pairs for chance in pair)])
        notes = [f"slope: doing {self.slope:.6g}, seeing {self.seeing_slope:.6g}"] if self.slope is not None else []
        if self.after:
            notes.append(f"after the treatment, so seen once it is set: {', '.join(map(in_one_line, self.after))}")
        return "\n".join([printed(self.title, heads, lines, len(self.rows) - len(lines)), *notes])


def _chance(answer: Answer | None, state: Label) -> float:
    return answer[state] if isinstance(answer, Distribution) else math.nan


def _moments(answer: Answer | None) -> tuple[float, float]:
    if not isinstance(answer, GaussianDistribution):
        return math.nan, math.nan
    return float(answer.mean[0]), float(answer.standard_deviations[0])


def _shown(chance: float) -> str:
    return "–" if math.isnan(chance) else f"{chance:.4f}"


def _normal(answer: Answer | None) -> str:
    mean, deviation = _moments(answer)
    return "–" if math.isnan(mean) else f"{mean:.6g} ± {deviation:.6g}"
