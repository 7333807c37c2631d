"""The columns of whatever scikit-learn's users pass as X: numbers, or labels of categories."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import numpy as np

from dconvex.arrays import Floats, Integers, Objects
from dconvex.names import Label

if TYPE_CHECKING:
    import pandas as pd
    from narwhals.typing import IntoDataFrame

Series: TypeAlias = "pd.Series[Any]"
"""A column of pandas, of whatever type."""
NUMBERS = ("integer", "floating", "mixed-integer-float", "decimal")
"""What pandas says of objects that are all numbers."""


@dataclass(frozen=True, slots=True, eq=False)
class FeatureColumn:
    """A column of X."""

    name: str
    values: Floats | Objects
    """Numbers, NaN where a cell is missing; or labels, None where one is missing."""

    @property
    def is_numeric(self) -> bool:
        """Whether it holds numbers."""
        return self.values.dtype.kind == "f"

    def taken(self, rows: Integers) -> FeatureColumn:
        """The same with these rows."""
        return FeatureColumn(self.name, self.values[rows])

    def labels(self) -> list[Label]:
        """The different labels, sorted: those of one type by value, types by name."""
        found = cast("set[Label]", {value for value in self.values.tolist() if value is not None})
        return sorted(found, key=lambda label: (type(label).__name__, label))


def pandas_frame(table: object) -> pd.DataFrame:
    """A frame of any library, or an array of two dimensions, as one of pandas."""
    import narwhals as nw
    import pandas as pd

    if isinstance(table, pd.DataFrame):
        return table
    if isinstance(table, np.ndarray):
        return pd.DataFrame(table)
    return nw.from_native(cast("IntoDataFrame", table), eager_only=True).to_pandas()


def feature_columns(frame: pd.DataFrame, names: Sequence[str], numeric: Sequence[bool] | None) -> list[FeatureColumn]:
    """The columns of a frame by position; `numeric` says which of them hold numbers, None: as they show.

    Raises:
        ValueError: A column holds infinity, or something else than when the classifier was fitted.
    """
    columns = [frame.iloc[:, k] for k in range(frame.shape[1])]
    wanted = [_holds_numbers(column) for column in columns] if numeric is None else numeric
    return [
        FeatureColumn(name, _numbers(name, column) if is_numeric else _labels(column))
        for name, column, is_numeric in zip(names, columns, wanted, strict=True)
    ]


def _holds_numbers(column: Series) -> bool:
    """Booleans and declared categories are labels, even where the categories are numbers."""
    import pandas as pd

    if isinstance(column.dtype, pd.CategoricalDtype) or pd.api.types.is_bool_dtype(column):
        return False
    if pd.api.types.is_object_dtype(column):
        return pd.api.types.infer_dtype(column, skipna=True) in NUMBERS or bool(column.isna().all())
    return pd.api.types.is_numeric_dtype(column)


def _numbers(name: str, column: Series) -> Floats:
    try:
        values = np.asarray(column.to_numpy(np.float64, na_value=np.nan), np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"column {name!r} held numbers when the classifier was fitted, and holds something else now") from None
    if np.isinf(values).any():
        raise ValueError(f"Input X contains infinity, in column {name!r}; leave such cells empty (NaN)")
    return values


def _labels(column: Series) -> Objects:
    """Labels as they may be states; whatever may not, as text."""
    values, missing = column.astype(object).tolist(), column.isna().to_numpy(bool).tolist()
    found = np.empty(len(values), object)
    for row, value in enumerate(values):
        found[row] = None if missing[row] else _label(value)
    return found


def _label(value: object) -> Label:
    plain = value.item() if isinstance(value, np.generic) else value
    return plain if isinstance(plain, str | int | bool) else str(plain)
