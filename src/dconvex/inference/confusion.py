"""Which states were taken for which."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, cast, final

from dconvex.arrays import Floats
from dconvex.names import Label, Name
from dconvex.shown import Shown

if TYPE_CHECKING:
    import pandas as pd


class ConfusionRow(NamedTuple):
    """The rows in which `actual` happened and `predicted` was most probable."""

    actual: Label
    predicted: Label
    weight: float
    """The number of rows, or the sum of their weights."""


@final
@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Confusion(Shown):
    """The confusion matrix of a target: `values` has a line for each state that happened, a column for each predicted one.

    It iterates over its `ConfusionRow`s, those of weight zero left out.
    """

    target: Name
    states: tuple[Label, ...]
    values: Floats

    def __iter__(self) -> Iterator[ConfusionRow]:
        for line, actual in zip(self.values.tolist(), self.states, strict=True):
            for weight, predicted in zip(line, self.states, strict=True):
                if weight:
                    yield ConfusionRow(actual, predicted, weight)

    def to_frame(self) -> pd.DataFrame:
        """The matrix as a pandas DataFrame.

        Returns:
            A frame with a row for each state that happened and a column for each predicted one.

        """
        import pandas as pd

        rows, columns = (pd.Index(cast("Any", self.states), name=name) for name in ("actual", "predicted"))
        return pd.DataFrame(self.values, index=rows, columns=columns)

    def __repr__(self) -> str:
        numbers = [[f"{value:,.10g}" for value in line] for line in self.values.tolist()]
        heads = list(map(str, self.states))
        first = max(map(len, ["actual", *heads]))
        widths = [max(len(head), *(len(line[k]) for line in numbers)) for k, head in enumerate(heads)]
        lines = [["actual", *heads], *([head, *line] for head, line in zip(heads, numbers, strict=True))]
        rows = [
            "  ".join([f"  {line[0]:<{first}}", *(f"{cell:>{wide}}" for cell, wide in zip(line[1:], widths, strict=True))])
            for line in lines
        ]
        return "\n".join([f"Confusion of {self.target}: what happened (down), what was predicted (across)", *rows])
