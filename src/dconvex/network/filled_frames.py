"""Frames in which missing cells have been filled in, of the library that they came from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from dconvex.arrays import Integers
from dconvex.names import Label, Name

if TYPE_CHECKING:
    import narwhals as nw
    import pandas as pd

Cells: TypeAlias = tuple[Integers, Sequence[Label | float]]
"""Row numbers of one column, and what goes there."""


def filled_frame(frame: object, cells: Mapping[Name, Cells]) -> object:
    """A copy of a frame with these cells filled in, by column; other columns are as they were."""
    import narwhals as nw

    narrow = nw.from_native(frame, eager_only=True)  # type: ignore[call-overload]
    native = nw.to_native(narrow)
    if type(native).__module__.partition(".")[0] == "pandas":
        found = native.copy()
        for name, own in cells.items():
            if len(own[0]):
                found[name] = _filled_series(found[name], own)
        return found
    columns = [_filled_column(narrow, str(name), own) for name, own in cells.items() if len(own[0])]
    return nw.to_native(narrow.with_columns(*columns)) if columns else native


def _filled_series(series: pd.Series, cells: Cells) -> pd.Series:
    """A column of pandas of the same type, where it can hold what is filled in."""
    import pandas as pd

    rows, values = cells
    distinct = list(dict.fromkeys(values))
    found = series.copy()
    if isinstance(found.dtype, pd.CategoricalDtype):
        lacking = [value for value in distinct if value not in found.cat.categories]
        found = found.cat.add_categories(lacking) if lacking else found
    elif not _can_hold(found, distinct):
        is_number = all(isinstance(value, float) for value in distinct)
        found = found.astype("Float64" if is_number and pd.api.types.is_integer_dtype(found.dtype) else object)
    if not isinstance(found.dtype, np.dtype):
        found.iloc[rows] = pd.array(values, dtype=found.dtype)  # type: ignore[call-overload]
        return found
    plain = np.empty(len(values), object)
    plain[:] = values
    found.iloc[rows] = plain.astype(found.dtype)
    return found


def _can_hold(series: pd.Series, values: Sequence[Label | float]) -> bool:
    """Whether a column can hold these values without becoming another."""
    from pandas.api import types

    if types.is_bool_dtype(series.dtype):
        return all(isinstance(value, bool) for value in values)
    if types.is_integer_dtype(series.dtype):
        return all(isinstance(value, int) and not isinstance(value, bool) for value in values)
    if types.is_float_dtype(series.dtype):
        return all(isinstance(value, int | float) and not isinstance(value, bool) for value in values)
    return types.is_object_dtype(series.dtype) or all(isinstance(value, str) for value in values)


def _filled_column(frame: nw.DataFrame[object], name: str, cells: Cells) -> nw.Series[object]:  # type: ignore[type-var]
    """A column of another library, of the same type where it can hold what is filled in."""
    import narwhals as nw

    column = frame.get_column(name)
    content = column.to_list()
    for row, value in zip(cells[0].tolist(), cells[1], strict=True):
        content[row] = value if isinstance(value, bool | int | float | str) else str(value)
    backend = nw.get_native_namespace(frame)
    is_fraction = column.dtype.is_integer() and any(isinstance(value, float) for value in cells[1])
    if is_fraction:
        content = [None if value is None else float(value) for value in content]
    try:
        return nw.new_series(name, content, None if is_fraction else column.dtype, backend=backend)
    except Exception:  # each library has errors of its own for a type that cannot hold a value
        return nw.new_series(name, content, backend=backend)
