"""What to observe next: how much each variable is expected to say about another one."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import TYPE_CHECKING, final

from dconvex.errors import UnknownVariableError
from dconvex.inference.answer_rows import AnswerRows, printed
from dconvex.inference.gains import Gains
from dconvex.inference.titles import KnownValue, title_of
from dconvex.names import Name, check_mapping, in_one_line

if TYPE_CHECKING:
    import pandas as pd


@final
@dataclass(frozen=True, slots=True)
class Informative:
    """A candidate, and what observing it is expected to say about the target."""

    variable: Name
    gain: float
    """The mutual information with the target, in bits."""
    remaining: float
    """The uncertainty that is left on average: the entropy in bits, in a Gaussian model the standard deviation."""
    cost: float = 1.0

    @property
    def gain_per_cost(self) -> float:
        """The gain divided by the cost."""
        return self.gain / self.cost


@final
@dataclass(frozen=True, eq=False, repr=False)
class MostInformative(AnswerRows[Informative]):
    """What to observe next, the most informative variable first: by gain, where costs are given by gain per cost.

    Each row has `variable`, `gain` (bits), `remaining` (the uncertainty that is left on average), `cost` and `gain_per_cost`.
    """

    target: Name
    evidence: Mapping[Name, KnownValue]
    uncertainty: float
    """Of the target now: its entropy in bits, in a Gaussian model its standard deviation."""
    has_costs: bool = False
    is_gaussian: bool = False

    @property
    def title(self) -> str:
        """The distribution that becomes more certain, as `P(lung | smoke = yes)`."""
        return title_of([self.target], self.evidence, "p" if self.is_gaussian else "P")

    def to_frame(self) -> pd.DataFrame:
        """The candidates as a pandas DataFrame.

        Returns:
            A frame with a row for each candidate: variable, gain, remaining, cost and gain per cost.

        """
        import pandas as pd

        columns = ["variable", "gain", "remaining", "cost", "gain_per_cost"]
        rows = [(row.variable, row.gain, row.remaining, row.cost, row.gain_per_cost) for row in self.rows]
        return pd.DataFrame(rows, columns=columns)

    def _text(self, most: int) -> str:
        unit = "standard deviation" if self.is_gaussian else "bits unknown"
        now = f"{unit} {self.uncertainty:.6g}" if self.is_gaussian else f"{self.uncertainty:.6g} {unit}"
        left = "deviation left" if self.is_gaussian else "bits left"
        heads = ["variable", "bits gained", left, *(["cost", "bits per cost"] if self.has_costs else [])]
        lines = [
            [in_one_line(row.variable), f"{row.gain:.4f}", f"{row.remaining:.4f}"]
            + ([f"{row.cost:g}", f"{row.gain_per_cost:.4f}"] if self.has_costs else [])
            for row in self.rows[:most]
        ]
        return printed(f"most informative about {self.title}, {now}", heads, lines, len(self.rows) - len(lines))


def most_informative(
    target: Name, candidates: Sequence[Name], found: Gains, costs: Mapping[Name, float] | None, *, is_gaussian: bool
) -> MostInformative:
    """The candidates in order, equal ones as they come."""
    rows = [
        Informative(name, gain, _remaining(found.uncertainty, gain, is_gaussian=is_gaussian), (costs or {}).get(name, 1.0))
        for name, gain in zip(candidates, found.gains.tolist(), strict=True)
    ]
    ranked = tuple(sorted(rows, key=lambda row: -row.gain_per_cost))
    return MostInformative(ranked, target, found.known, found.uncertainty, costs is not None, is_gaussian)


def check_costs(names: Sequence[Name], costs: Mapping[Name, object]) -> dict[Name, float]:
    """The costs as numbers, each of a variable that there is."""
    check_mapping("costs", costs)
    known, checked = set(names), {}
    for name, cost in costs.items():
        if name not in known:
            raise UnknownVariableError(name, names)
        if not isinstance(cost, Real) or not 0 < float(cost) < math.inf:
            raise ValueError(f"the cost of {name!r} is {cost!r}; it must be a number above 0")
        checked[name] = float(cost)
    return checked


def _remaining(uncertainty: float, gain: float, *, is_gaussian: bool) -> float:
    return uncertainty * 2.0**-gain if is_gaussian else max(uncertainty - gain, 0.0)
