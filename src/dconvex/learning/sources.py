"""Whatever holds rows, as tables that are read a part at a time: frames, files, folders, relations, and lists of all these."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from glob import glob
from pathlib import Path
from typing import Any, Protocol, TypeAlias

from dconvex.errors import DataError
from dconvex.learning.cells import ArrowCells, Cells, cells_of
from dconvex.names import Name

Part: TypeAlias = tuple[int, int, Mapping[Name, Cells]]
"""First and last row, and the columns that they are rows of."""


class Source(Protocol):
    """One table."""

    @property
    def columns(self) -> Sequence[Name]: ...
    @property
    def rows(self) -> int | None:
        """How many there are, where that is known."""

    def parts(self, columns: Sequence[Name], at_once: int, *, uses_threads: bool) -> Iterator[Part]:
        """These columns, at most so many rows at a time."""


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """A table in memory; nothing of it is copied as a whole."""

    frame: Any

    @property
    def columns(self) -> Sequence[Name]:
        found: Sequence[Name] = self.frame.columns
        return found

    @property
    def rows(self) -> int | None:
        return len(self.frame)

    def parts(self, columns: Sequence[Name], at_once: int, *, uses_threads: bool) -> Iterator[Part]:
        cells = {column: cells_of(self.frame.get_column(column)) for column in columns}
        for first in range(0, max(len(self.frame), 1), at_once):  # once even if there are no rows: categories count
            yield first, min(first + at_once, len(self.frame)), cells


@dataclass(frozen=True, slots=True, eq=False)
class Lazy:
    """A table that is computed when it is needed, of which only the columns needed are."""

    frame: Any

    @property
    def columns(self) -> Sequence[Name]:
        found: Sequence[Name] = self.frame.collect_schema().names()
        return found

    @property
    def rows(self) -> int | None:
        return None

    def parts(self, columns: Sequence[Name], at_once: int, *, uses_threads: bool) -> Iterator[Part]:
        yield from Frame(self.frame.select(*columns).collect()).parts(columns, at_once, uses_threads=uses_threads)


@dataclass(frozen=True, slots=True, eq=False)
class Relation:
    """A relation of DuckDB, of which only the columns needed are computed, as record batches."""

    relation: Any

    @property
    def columns(self) -> Sequence[Name]:
        found: Sequence[Name] = self.relation.columns
        return found

    @property
    def rows(self) -> int | None:
        return None

    def parts(self, columns: Sequence[Name], at_once: int, *, uses_threads: bool) -> Iterator[Part]:
        quoted = (str(column).replace('"', '""') for column in columns)
        chosen = self.relation.project(", ".join(f'"{column}"' for column in quoted))
        is_new = hasattr(chosen, "to_arrow_reader")
        yield from _parts_of(
            chosen.to_arrow_reader(at_once) if is_new else chosen.fetch_record_batch(at_once), columns, at_once
        )


@dataclass(frozen=True, slots=True, eq=False)
class Files:
    """CSV or Parquet files, of which only the columns needed are read."""

    dataset: Any
    where: str

    @property
    def columns(self) -> Sequence[Name]:
        found: Sequence[Name] = self.dataset.schema.names
        return found

    @property
    def rows(self) -> int | None:
        """What the files say of themselves; a CSV file would have to be read."""
        return int(self.dataset.count_rows()) if self.dataset.format.default_extname == "parquet" else None

    def parts(self, columns: Sequence[Name], at_once: int, *, uses_threads: bool) -> Iterator[Part]:
        import pyarrow as pa

        wide = min(at_once, max(1024, (1 << 24) // max(1, len(columns))))
        scanner = self.dataset.scanner(
            columns=list(columns), batch_size=wide, batch_readahead=2, fragment_readahead=1, use_threads=uses_threads
        )
        try:
            yield from _parts_of(scanner.to_batches(), columns, at_once)
        except (pa.ArrowException, OSError) as error:
            raise DataError(f"{self.where}: {' '.join(str(error).split())}") from None


@dataclass(frozen=True, slots=True, eq=False)
class Stream:
    """Record batches of Arrow, as they come."""

    reader: Any

    @property
    def columns(self) -> Sequence[Name]:
        found: Sequence[Name] = self.reader.schema.names
        return found

    @property
    def rows(self) -> int | None:
        return None

    def parts(self, columns: Sequence[Name], at_once: int, *, uses_threads: bool) -> Iterator[Part]:
        yield from _parts_of(self.reader, columns, at_once)


def _parts_of(batches: Iterable[Any], columns: Sequence[Name], at_once: int) -> Iterator[Part]:
    row = 0
    for batch in batches:
        cells = {column: ArrowCells(batch.column(batch.schema.get_field_index(column)), row) for column in columns}
        row += batch.num_rows
        for first in range(0, batch.num_rows, at_once):
            yield first, min(first + at_once, batch.num_rows), cells


def sources_of(data: Any, texts: Collection[str] = ()) -> Iterator[Source]:
    """The tables in `data`: one, or those of a list or iterator, in their order.

    In CSV files the columns `texts` are read as the text they are; of the others it is guessed what they mean.
    """
    if isinstance(data, str | Path):
        yield from _files(str(data), texts)
    elif _is_reader(data):
        yield Stream(data)
    elif _module(data) == "dask":
        raise DataError(
            "a Dask DataFrame is counted where it lies, so it must come alone; join several with dask.dataframe.concat"
        )
    elif _module(data).endswith("duckdb") and hasattr(data, "project"):
        yield Relation(data)
    elif (frame := _frame(data)) is not None:
        yield frame
    elif isinstance(data, Iterable) and not isinstance(data, Mapping | bytes) and _module(data) != "numpy":
        for table in data:
            yield from sources_of(table, texts)
    else:
        raise DataError(
            f"cannot learn from {type(data).__name__}; pass a data frame (pandas, polars, pyarrow, …), a path to CSV or "
            "Parquet files, a Dask DataFrame, or a list of tables"
        )


def _frame(data: Any) -> Frame | Lazy | None:
    import narwhals as nw

    if _module(data) == "pyarrow" and hasattr(data, "num_columns") and not hasattr(data, "itercolumns"):
        import pyarrow as pa

        data = pa.Table.from_batches([data])

    try:
        frame = nw.from_native(data)
    except TypeError:
        return None
    except nw.exceptions.DuplicateError as error:
        raise DataError(" ".join(str(error).split())) from None
    return Lazy(frame) if isinstance(frame, nw.LazyFrame) else Frame(frame)


def _is_reader(data: Any) -> bool:
    return _module(data) == "pyarrow" and hasattr(data, "read_next_batch")


def _module(data: Any) -> str:
    return type(data).__module__.partition(".")[0]


def _files(where: str, texts: Collection[str]) -> Iterator[Files]:
    """A file, a folder or a pattern; files with the same columns are one table."""
    import pyarrow as pa
    import pyarrow.dataset

    path = Path(where)
    found = [path] if path.exists() else [Path(name) for name in sorted(glob(where, recursive=True))]  # noqa: PTH207 (it may be absolute)
    if not found:
        raise DataError(f"there is no file, folder or pattern {where!r}")
    inside = [file for place in found for file in _files_in(place)]
    kinds = {_format_of(file) for file in inside}
    if len(kinds) != 1 or None in kinds:
        strange = next((file for file in inside if _format_of(file) is None), None)
        problem = f"{strange} is neither" if strange else "there are both" if inside else "there are no files"
        raise DataError(f"{where}: expected CSV or Parquet files, and {problem}")
    if empty := next((file for file in inside if file.stat().st_size == 0), None):
        raise DataError(f"{empty} is empty; a header with names and rows are needed")
    form = _format(kinds.pop(), texts)
    alike: dict[tuple[str, ...], list[str]] = {}
    try:
        for file in inside:
            names = tuple(sorted(pa.dataset.dataset(str(file), format=form, partitioning="hive").schema.names))
            alike.setdefault(names, []).append(str(file))
        for files in alike.values():
            yield Files(pa.dataset.dataset(files, format=form, partitioning="hive"), where)
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise DataError(f"{where}: {' '.join(str(error).split())}") from None


def _files_in(place: Path) -> list[Path]:
    if not place.is_dir():
        return [place]
    files = (file for file in place.rglob("*") if file.is_file())
    return sorted(file for file in files if not any(part.startswith((".", "_")) for part in file.relative_to(place).parts))


def _format_of(file: Path) -> str | None:
    name = file.name.lower().removesuffix(".gz")
    kinds = {".parquet": "parquet", ".pq": "parquet", ".csv": "csv", ".txt": "csv", ".tsv": "tsv"}
    return next((kind for suffix, kind in kinds.items() if name.endswith(suffix)), None)


def _format(kind: str | None, texts: Collection[str]) -> Any:
    import pyarrow.csv
    import pyarrow.dataset

    if kind == "parquet":
        return "parquet"
    # only an empty cell is missing: networks have states called "None" and "NA"
    converting = pyarrow.csv.ConvertOptions(
        null_values=[""], strings_can_be_null=True, column_types=dict.fromkeys(texts, pyarrow.string())
    )
    parsing = pyarrow.csv.ParseOptions(delimiter="\t" if kind == "tsv" else ",")
    return pyarrow.dataset.CsvFileFormat(parse_options=parsing, convert_options=converting)
