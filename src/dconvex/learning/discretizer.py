"""Numbers as states: the edges of the intervals of each column, and tables with intervals in place of numbers."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, NoReturn, TypeVar, cast, final

from dconvex.amounts import amount
from dconvex.arrays import Codes
from dconvex.errors import DataError
from dconvex.intervals import Interval, intervals_between
from dconvex.names import Name, checked_name
from dconvex.network.frame_columns import Columns, column_of

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

Frame = TypeVar("Frame")
"""A frame of any library."""

SHOWN = 20


@final
class Discretizer:
    """Cuts columns of numbers into intervals; `dc.discretize` finds the edges, or they are given here.

    With edges 18 and 65 there are three intervals, `(-inf, 18]`, `(18, 65]` and `(65, inf]`, so that every number is in one.

    Args:
        edges: By column the inner edges in ascending order.

    Raises:
        ValueError: Edges are not finite, or do not ascend.

    >>> import dconvex as dc
    >>> cut = dc.Discretizer({"age": [18, 65]})
    >>> cut
    Discretizer of 1 column
      age  3 intervals, edges 18, 65
    >>> cut.states["age"][1]
    Interval(18, 65, closed='right')
    """

    edges: Mapping[Name, tuple[float, ...]]
    """By column the inner edges of its intervals."""

    def __init__(self, edges: Mapping[Name, Iterable[float]]) -> None:
        own = {checked_name(name): _checked(name, found) for name, found in edges.items()}
        self.__dict__["edges"] = MappingProxyType(own)

    @property
    def states(self) -> dict[Name, tuple[Interval, ...]]:
        """By column its intervals, as `fit` and `learn_structure` take them for `states=`."""
        return {name: intervals_between(edges) for name, edges in self.edges.items()}

    def transform(self, frame: Frame) -> Frame:
        """A table with intervals in place of the numbers in these columns; missing cells stay missing.

        Args:
            frame: A data frame (pandas, polars, pyarrow, …). Columns that it lacks are passed over.

        Returns:
            A frame of the same kind: pandas gets ordered categories that are intervals, other libraries the text of them.

        Raises:
            DataError: `frame` is no data frame.
            UnknownStateError: A cell holds something that is not a number.

        >>> import dconvex as dc, pandas as pd
        >>> dc.Discretizer({"age": [18, 65]}).transform(pd.DataFrame({"age": [12.5, 65, None], "name": ["a", "b", "c"]}))
                  age name
        0  (-inf, 18]    a
        1    (18, 65]    b
        2         NaN    c
        """
        columns = Columns(frame, self.edges)
        native = columns.native
        for name, intervals in self.states.items():
            if name in columns:
                codes = columns.codes_or_missing(name, intervals, unknown="raise")
                column = cast("Name", column_of(name, columns.names, self.edges))
                native = _with_states(native, column, codes, intervals)
        return cast("Frame", native)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Discretizer) and dict(self.edges) == dict(other.edges)

    def __hash__(self) -> int:
        return hash(frozenset(self.edges.items()))

    def __repr__(self) -> str:
        lines = [f"Discretizer of {amount(len(self.edges), 'column')}"]
        width = max((len(str(name)) for name in self.edges), default=0)
        for name, edges in list(self.edges.items())[:SHOWN]:
            shown = ", ".join(map(str, edges[:SHOWN])) + (", …" if len(edges) > SHOWN else "")
            said = f", edges {shown}" if edges else ": every number is in it"
            lines.append(f"  {name!s:<{width}}  {amount(len(edges) + 1, 'interval')}{said}")
        if len(self.edges) > SHOWN:
            lines.append(f"  … and {len(self.edges) - SHOWN:,} more")
        return "\n".join(lines)

    def __reduce__(self) -> tuple[object, ...]:
        return Discretizer, (dict(self.edges),)

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"a Discretizer is frozen; {name!r} cannot be set")


def _checked(column: Name, edges: Iterable[float]) -> tuple[float, ...]:
    try:
        found = tuple(edges)
        intervals = intervals_between(found)
    except (TypeError, ValueError) as error:
        raise ValueError(f"the edges of {column!r} must be numbers in ascending order: {error}") from None
    own = tuple(interval.right for interval in intervals[:-1])
    if not all(map(math.isfinite, own)) or len(set(own)) < len(own):
        raise ValueError(f"the edges of {column!r} must be finite and different, not {list(found)!r}")
    return own


def _with_states(native: object, column: Name, codes: Codes, intervals: Sequence[Interval]) -> object:
    """The frame of any library with these states in a column."""
    library = type(native).__module__.partition(".")[0]
    if library == "pandas":
        import pandas as pd

        kept = cast("pd.DataFrame", native).copy(deep=False)
        kept[column] = pd.Categorical.from_codes(codes, categories=pd.Index(list(intervals), dtype=object), ordered=True)
        return kept
    texts = [str(interval) for interval in intervals]
    if library == "pyarrow":
        import pyarrow as pa

        indices = pa.array(codes, pa.int32(), mask=codes < 0)
        states = pa.DictionaryArray.from_arrays(indices, pa.array(texts, pa.string()), ordered=True)
        table = cast("pa.Table", native)
        return cast("object", table.set_column(table.schema.get_field_index(column), column, states))
    import narwhals as nw

    frame = nw.from_native(cast("pd.DataFrame", native), eager_only=True)
    cells = [None if code < 0 else texts[code] for code in codes.tolist()]
    kind = nw.Enum(texts) if library == "polars" else nw.String()
    return nw.to_native(frame.with_columns(nw.new_series(str(column), cells, kind, backend=nw.get_native_namespace(frame))))


def checked_discretizer(given: object) -> Discretizer | None:
    """What is given as `discretizer=`.

    Raises:
        TypeError: It is no discretizer.
    """
    if given is None or isinstance(given, Discretizer):
        return given
    raise TypeError(f"discretizer= takes what dc.discretize returns, not {type(given).__name__}")


def no_numbers(column: Name) -> DataError:
    """The error for a column without any number."""
    return DataError(f"column {column!r} has no numbers to make intervals of; leave it out of columns=")
