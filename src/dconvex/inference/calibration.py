"""How often states happen that were given some probability."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, final

from dconvex.inference.classification import CalibrationBin
from dconvex.names import Label, Name
from dconvex.shown import Shown

if TYPE_CHECKING:
    import pandas as pd


class CalibrationRow(NamedTuple):
    """A state, and the rows that gave it a probability between `low` and `high`."""

    state: Label
    low: float
    high: float
    weight: float
    """The number of rows, or the sum of their weights."""
    predicted: float
    """The mean of the probabilities."""
    observed: float
    """The share of the rows in which the state happened."""


@final
@dataclass(frozen=True, slots=True, repr=False)
class Calibration(Shown):
    """The calibration curve of each state of a target: of rows that gave it 0.7, it should happen in 70 of 100.

    Bins have equal width, empty ones are left out. It iterates over its `CalibrationRow`s.
    """

    target: Name
    by_state: Mapping[Label, tuple[CalibrationBin, ...]]

    @property
    def error(self) -> float:
        """The expected calibration error: the mean distance between `predicted` and `observed`, over all states."""
        own = [one for bins in self.by_state.values() for one in bins]
        return sum(one.weight * abs(one.predicted - one.observed) for one in own) / sum(one.weight for one in own)

    def __iter__(self) -> Iterator[CalibrationRow]:
        for state, bins in self.by_state.items():
            for one in bins:
                yield CalibrationRow(state, one.low, one.high, one.weight, one.predicted, one.observed)

    def to_frame(self) -> pd.DataFrame:
        """The rows as a pandas DataFrame.

        Returns:
            A frame with a row for each state and each bin that is not empty.

        """
        import pandas as pd

        return pd.DataFrame(list(self), columns=pd.Index(CalibrationRow._fields))

    def __repr__(self) -> str:
        width = max(len("state"), *(len(str(state)) for state in self.by_state))
        lines = [f"Calibration of {self.target}, expected error {self.error:.4g}"]
        lines.append(f"  {'state':<{width}}  probability   predicted  observed    rows")
        lines += [
            f"  {row.state!s:<{width}}  {f'{row.low:.2f} – {row.high:.2f}':<11}  {row.predicted:>10.4f}  {row.observed:>8.4f}"
            f"  {row.weight:>6,.10g}"
            for row in self
        ]
        return "\n".join(lines)
