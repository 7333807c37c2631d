"""Tables of data in files: read with the labels of a network, written so that a crash leaves the old file whole."""

from __future__ import annotations

import gzip
import io
import sys
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from dconvex.cli.evidence import labels_by_spelling
from dconvex.cli.sources import Subject, variables_by_spelling
from dconvex.cli.targets import check_target
from dconvex.errors import DataError, FormatError
from dconvex.formats.text_files import write_text
from dconvex.intervals import Interval
from dconvex.names import Label

if TYPE_CHECKING:
    import pandas as pd

STDIN = "-"
"""Typed for rows that come as CSV from another program."""
PIECE = 1 << 16
"""Bytes read from stdin at once."""
CSV, PARQUET = (".csv", ".csv.gz"), (".parquet", ".pq")
MISSING = ("", "NA", "N/A", "NaN", "nan", "null", "None", "<NA>")
"""How a missing cell may be spelled, unless a state of the variable is spelled so."""


FORMULA_SIGNS = ("=", "+", "-", "@", "\t", "\r")
"""Spreadsheets compute a cell that begins with one of these."""


def read_data(path: Path, network: Subject, numbers: Sequence[str] = ()) -> tuple[pd.DataFrame, list[str]]:
    """The columns that are variables of the network, with its own names and labels; and the names of all other columns.

    `numbers` are further columns to read, of numbers.
    """
    import pandas as pd

    if str(path) == STDIN:
        frame = _read_csv(b"".join(received()), "stdin")
    else:
        frame = _read_csv(_unzipped(path), str(path)) if _ends(path, CSV) else _read_parquet(path)
    by_spelling, states = variables_by_spelling(network), network.states
    found: dict[Any, Any] = {}
    others: list[str] = []
    for column in frame.columns:
        name = by_spelling.get(str(column))
        if str(column) in numbers:
            found[str(column)] = _numbers(frame[column])
        elif name is None:
            others.append(str(column))
        elif network.kind == "discrete":
            found[name] = _labelled(frame[column], states[name])
        else:
            found[name] = _numbers(frame[column])
    return pd.DataFrame(found, index=frame.index), others


def received() -> Iterator[bytes]:
    """What comes from stdin, a piece at a time: between pieces, in this loop, Ctrl-C is heard."""
    stdin = cast("io.BufferedReader", sys.stdin.buffer)
    while piece := stdin.read1(PIECE):
        yield piece


def check_data_target(path: Path, data: Path | None = None) -> None:
    """Raise unless rows can be written there; the rows that predictions are made from are not overwritten."""
    if not _ends(path, CSV):
        raise FormatError(f"unknown suffix {path.suffix!r}; what is written is {' or '.join(CSV)}", path=str(path))
    check_target(path)
    if data is not None and path.resolve() == data.resolve():
        raise DataError(f"{path} holds the rows; write the predictions into another file")


def write_data(frame: pd.DataFrame, path: Path | None) -> None:
    """As CSV into the file or to stdout, in UTF-8 both times; no cell is a formula for a spreadsheet."""
    text = _harmless(frame).to_csv(index=False, lineterminator="\n")
    if path is not None:
        write_text(path, text)
        return
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8")
    sys.stdout.write(text)


def _harmless(frame: pd.DataFrame) -> pd.DataFrame:
    """The same with an apostrophe before text that a spreadsheet would compute."""
    import pandas as pd

    columns = [(_as_text(name), _harmless_cells(frame, position)) for position, name in enumerate(frame.columns)]
    kept = pd.DataFrame(dict(enumerate(column for _, column in columns)), index=frame.index)
    kept.columns = pd.Index([name for name, _ in columns], dtype=object)
    return kept


def _harmless_cells(frame: pd.DataFrame, position: int) -> object:
    import pandas as pd

    column = frame.iloc[:, position]
    if isinstance(column.dtype, pd.CategoricalDtype):
        texts = [_as_text(label) for label in column.cat.categories]
        if texts == [str(label) for label in column.cat.categories]:
            return column
        return pd.Series([None if code < 0 else texts[code] for code in column.cat.codes], column.index, dtype=object)
    may_be_text = pd.api.types.is_object_dtype(column) or pd.api.types.is_string_dtype(column)
    return column.map(_as_text, na_action="ignore") if may_be_text else column


def _as_text(cell: object) -> object:
    """A text that begins as a formula does, and is no number, after an apostrophe; anything else as it is."""
    is_formula = isinstance(cell, str) and cell.startswith(FORMULA_SIGNS) and not isinstance(_as_number(cell), float)
    return f"'{cell}" if is_formula else cell


def _ends(path: Path, suffixes: Sequence[str]) -> bool:
    return path.name.lower().endswith(tuple(suffixes))


def _unzipped(path: Path) -> bytes:
    raw = path.read_bytes()
    if not path.name.lower().endswith(".gz"):
        return raw
    try:
        return gzip.decompress(raw)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise FormatError(f"the gzip file is damaged: {error}", path=str(path)) from None


def _read_csv(raw: bytes, name: str) -> pd.DataFrame:
    """Every cell as the text it is: what it means depends on the labels of its variable.

    pandas gets the text, not the file: of Ctrl-C while it reads a file it makes a ParserError.
    """
    import pandas as pd

    try:
        text = io.StringIO(raw.decode("utf-8-sig"))
        frame = pd.read_csv(text, dtype=str, keep_default_na=False)
    except pd.errors.EmptyDataError:
        raise FormatError("the file is empty; it must have a header with names, and rows", path=name) from None
    except UnicodeDecodeError as error:
        raise FormatError(f"the text is not UTF-8 ({error.reason}); save it as UTF-8", path=name) from None
    except pd.errors.ParserError as error:
        raise FormatError(" ".join(str(error).split()), path=name) from None
    if not isinstance(frame.index, pd.RangeIndex):  # pandas takes the first cells for names of rows
        raise FormatError("the rows have more cells than the header has names", path=name, line=2)
    return frame


def _read_parquet(path: Path) -> pd.DataFrame:
    if not _ends(path, PARQUET):
        known = ", ".join((*CSV, *PARQUET))
        raise FormatError(f"unknown suffix {path.suffix!r}; data files are {known}", path=str(path))
    import pyarrow
    from pyarrow import parquet

    try:
        return cast("pd.DataFrame", parquet.read_table(path).to_pandas())
    except (pyarrow.ArrowException, OSError, ValueError) as error:
        if isinstance(error, OSError) and error.errno is not None:  # the file cannot be opened; otherwise it is damaged
            raise
        raise FormatError(" ".join(str(error).split()), path=str(path)) from None
    except (AttributeError, LookupError, TypeError):  # what pandas noted in the file is not what pandas notes
        raise FormatError("the notes of pandas in the Parquet file are damaged; write the file again", path=str(path)) from None


def _labelled(column: pd.Series[Any], labels: tuple[Label, ...]) -> pd.Series[Any]:
    """Cells as labels of the network; those that are none stay as they are."""
    import pandas as pd

    spelled, own = labels_by_spelling(labels), set(labels)
    try:
        codes, values = pd.factorize(column)
    except TypeError:  # unhashable
        raise DataError(f"column {column.name!r} holds no states (its type is {column.dtype})") from None
    meant = [value if value in own else spelled.get(str(value), value) for value in values.tolist()]
    meant = [None if value in MISSING and value not in own else value for value in meant]
    if any(isinstance(label, Interval) for label in labels):
        meant = [_as_number(value) for value in meant]
    return pd.Series([None if code < 0 else meant[code] for code in codes.tolist()], index=column.index, dtype=object)


def _as_number(cell: object) -> object:
    """The number that a text spells; anything else as it is."""
    try:
        return float(cell) if isinstance(cell, str) else cell
    except ValueError:
        return cell


def _numbers(column: pd.Series[Any]) -> pd.Series[Any]:
    """Text as numbers; what has another type is left to the model."""
    import pandas as pd

    if not (pd.api.types.is_object_dtype(column) or pd.api.types.is_string_dtype(column)):
        return column
    cells = column.where(~column.isin(MISSING), None)
    numbers = pd.to_numeric(cells, errors="coerce").astype("float64")
    wrong = (numbers.isna() & ~cells.isna()).to_numpy()
    if wrong.any():
        row = int(wrong.argmax())
        raise DataError(f"column {column.name!r} holds {column.iloc[row]!r} in row {row}, which is not a number")
    return numbers
