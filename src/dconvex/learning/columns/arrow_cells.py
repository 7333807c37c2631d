"""A column in Arrow's memory, or one that is converted to Arrow a few rows at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np

from dconvex._core import TextEncoder
from dconvex.arrays import Bytes, Floats, Sizes, StateCodes
from dconvex.errors import DataError
from dconvex.learning.columns.cells import CategoryCells, Cells, FloatCells, IntegerCells, not_a_number
from dconvex.learning.columns.encoder import MISSING, Encoder
from dconvex.names import Name

AT_ONCE = 1 << 16
"""The number of cells that are converted together when a column is looked at for fractions."""


@dataclass(frozen=True, slots=True, eq=False)
class ArrowCells(Cells):
    """A column in Arrow's memory; the rows at hand become cells of another kind."""

    array: Any
    row: int = 0

    def codes(self, first: int, last: int, encoder: Encoder, out: StateCodes) -> None:
        self._rows(first, last, encoder.variable).codes(0, last - first, encoder, out)

    def numbers(self, first: int, last: int, variable: Name) -> Floats:
        return self._rows(first, last, variable).numbers(0, last - first, variable)

    def has_fractions(self) -> bool | None:
        import pyarrow as pa

        if pa.types.is_null(self.array.type):
            return None
        if not pa.types.is_floating(self.array.type):
            return False
        chunks = self.array.chunks if isinstance(self.array, pa.ChunkedArray) else [self.array]
        return _any_known(FloatCells(chunk.to_numpy(zero_copy_only=False)).has_fractions() for chunk in chunks)

    def _rows(self, first: int, last: int, variable: Name) -> Cells:
        return _cells_of_array(_one_chunk(self.array.slice(first, last - first)), self.row + first, variable)


@dataclass(frozen=True, slots=True, eq=False)
class ConvertedCells(Cells):
    """A column of narwhals that is converted to Arrow, a few rows at a time."""

    column: Any

    def codes(self, first: int, last: int, encoder: Encoder, out: StateCodes) -> None:
        self._rows(first, last, encoder.variable).codes(0, last - first, encoder, out)

    def numbers(self, first: int, last: int, variable: Name) -> Floats:
        return self._rows(first, last, variable).numbers(0, last - first, variable)

    def has_fractions(self) -> bool | None:
        if not self.column.dtype.is_float():
            return False
        starts = range(0, len(self.column), AT_ONCE)
        return _any_known(self._rows(first, first + AT_ONCE, "").has_fractions() for first in starts)

    def _rows(self, first: int, last: int, variable: Name) -> ArrowCells:
        import pyarrow as pa

        rows = self.column[first:last]
        try:
            return ArrowCells(rows.to_arrow(), first)
        except (pa.ArrowException, TypeError):
            _refuse(variable, rows.dtype)


@dataclass(frozen=True, slots=True, eq=False)
class TextCells(Cells):
    """Text i is `text[offsets[i]:offsets[i + 1]]`; it is missing where bit `first_bit + i` of `validity` is not set."""

    offsets: Sizes
    text: Bytes
    validity: Bytes | None
    first_bit: int
    row: int

    def codes(self, first: int, last: int, encoder: Encoder, out: StateCodes) -> None:
        def code_at(index: int, text: bytes) -> int:
            row = self.row + first + index
            try:
                return encoder.code_of(text.decode("utf-8", "surrogatepass"), row)
            except UnicodeDecodeError:
                raise DataError(
                    f"column {encoder.variable!r} holds text in row {row} that is not UTF-8: {text[:20]!r}; "
                    "is the file damaged?"
                ) from None

        self._encode(first, last, encoder.texts, out, code_at)

    def numbers(self, first: int, last: int, variable: Name) -> Floats:
        raise not_a_number(variable, "is text")

    def _encode(
        self, first: int, last: int, encoder: TextEncoder, out: StateCodes, code_at: Callable[[int, bytes], int]
    ) -> None:
        """Write the codes; `code_at` gives the code of a text that the encoder does not know yet."""
        offsets, bit = self.offsets[first : last + 1], self.first_bit + first
        index = encoder.encode(offsets, self.text, out, 0, self.validity, bit)
        while index >= 0:
            text = self.text[offsets[index] : offsets[index + 1]].tobytes()
            encoder.add(text, code_at(index, text))
            index = encoder.encode(offsets, self.text, out, index, self.validity, bit)


def enum_cells(array: Any) -> CategoryCells:
    """The cells of a dictionary whose entries are all states, in this order."""
    return CategoryCells(_dictionary_indices(array), _decoded(array.dictionary.to_pylist), is_declared=True)


def _cells_of_array(array: Any, row: int, variable: Name) -> Cells:
    """The cells of an array in one piece, by its type; the first one is in row `row`."""
    import pyarrow as pa

    kind, types = array.type, pa.types
    if types.is_integer(kind):
        return _integers(array, row, variable)
    if types.is_floating(kind):
        return FloatCells(array.to_numpy(zero_copy_only=False), row)
    if types.is_boolean(kind):
        indices = array.cast(pa.int8()).fill_null(MISSING).to_numpy(zero_copy_only=False)
        return CategoryCells(indices, [False, True], is_declared=False, row=row)
    if types.is_null(kind):
        return FloatCells(np.full(len(array), np.nan))
    if types.is_string(kind) or types.is_large_string(kind):
        return _texts(array, row)
    if types.is_string_view(kind):
        array = array.dictionary_encode()
    elif not types.is_dictionary(kind):
        _refuse(variable, kind)
    return CategoryCells(
        _dictionary_indices(array), _decoded(array.dictionary.to_pylist), is_declared=array.type.ordered, row=row
    )


def _integers(array: Any, row: int, variable: Name) -> IntegerCells | FloatCells:
    """Integers; floats if some cells are missing."""
    import pyarrow as pa

    try:
        wide = array.cast(pa.int64())
    except pa.ArrowInvalid:
        _refuse(variable, f"{array.type} with values beyond 2**63")
    if not array.null_count:
        return IntegerCells(wide.to_numpy(), row)
    if not _are_exact_as_floats(wide):
        _refuse(variable, f"{array.type} beyond 2**53 with missing cells")
    return FloatCells(np.where(array.is_null(), np.nan, wide.fill_null(0).to_numpy()), row)


def _texts(array: Any, row: int) -> TextCells:
    """An array of text in place."""
    import pyarrow as pa

    validity, offsets, text = array.buffers()
    width: Any = np.int64 if pa.types.is_large_string(array.type) else np.int32
    own = np.frombuffer(offsets, width)[array.offset : array.offset + len(array) + 1]
    bits = np.frombuffer(validity, np.uint8) if array.null_count else None
    return TextCells(own, np.frombuffer(text if text is not None else b"", np.uint8), bits, array.offset, row)


def _one_chunk(array: Any) -> Any:
    """An array in one piece, with one dictionary if it has any; a single chunk is not copied."""
    import pyarrow as pa

    if not isinstance(array, pa.ChunkedArray):
        return array
    if pa.types.is_dictionary(array.type):
        array = array.unify_dictionaries()
    return array.chunk(0) if array.num_chunks == 1 else array.combine_chunks()


def _decoded(read_labels: Callable[[], list[object]]) -> list[object]:
    """The labels of a dictionary."""
    try:
        return read_labels()
    except UnicodeDecodeError as error:
        raise DataError(f"a categorical column holds text that is not UTF-8 ({error.reason}); is the file damaged?") from None


def _dictionary_indices(array: Any) -> Any:
    import pyarrow as pa

    return array.indices.cast(pa.int64()).fill_null(MISSING).to_numpy(zero_copy_only=False)


def _are_exact_as_floats(array: Any) -> bool:
    import pyarrow.compute as pc

    ends = pc.min_max(array).as_py()
    return all(end is None or abs(end) < 2**53 for end in ends.values())


def _any_known(answers: Iterable[bool | None]) -> bool | None:
    """Whether any of them is true; None where all are None."""
    found: bool | None = None
    for answer in answers:
        if answer:
            return True
        found = answer if found is None else found
    return found


def _refuse(variable: Name, kind: object) -> NoReturn:
    raise DataError(
        f"column {variable!r} has the type {kind}, which holds neither states nor numbers; convert it to text or numbers"
    )
