"""CSV and Parquet files as tables: a file, a folder or a pattern."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from glob import glob
from pathlib import Path
from typing import Any

from dconvex.errors import DataError
from dconvex.learning.columns.data_tables import Batch, DataTable, Wanted, arrow_batches
from dconvex.learning.learning_options import LearningOptions
from dconvex.names import Name

FORMATS = {".parquet": "parquet", ".pq": "parquet", ".csv": "csv", ".txt": "csv", ".tsv": "tsv"}


@dataclass(frozen=True, slots=True, eq=False)
class FileTable(DataTable):
    """Files with the same columns, of which only the columns wanted are read."""

    dataset: Any
    where: str
    uses_threads: bool

    @property
    def columns(self) -> Sequence[Name]:
        found: Sequence[Name] = self.dataset.schema.names
        return found

    @property
    def rows(self) -> int | None:
        """As Parquet files say; a CSV file would have to be read."""
        return int(self.dataset.count_rows()) if self.dataset.format.default_extname == "parquet" else None

    def batches(self, wanted: Wanted, at_once: int) -> Iterator[Batch]:
        import pyarrow as pa

        columns = list(dict.fromkeys(column for column in wanted if column is not None))
        size = min(at_once, max(1024, (1 << 24) // max(1, len(columns))))
        scanner = self.dataset.scanner(
            columns=columns, batch_size=size, batch_readahead=2, fragment_readahead=1, use_threads=self.uses_threads
        )
        try:
            yield from arrow_batches(scanner.to_batches(), wanted, at_once)
        except (pa.ArrowException, OSError) as error:
            raise DataError(f"{self.where}: {' '.join(str(error).split())}") from None


def file_tables(where: str, options: LearningOptions) -> Iterator[FileTable]:
    """The tables in a file, a folder or the files of a pattern; files with the same columns are one table."""
    import pyarrow as pa
    import pyarrow.dataset

    files = _files_at(where)
    form = _format(_common_format(files, where), options)
    alike: dict[tuple[str, ...], list[str]] = {}
    try:
        for file in files:
            names = tuple(sorted(pa.dataset.dataset(str(file), format=form, partitioning="hive").schema.names))
            alike.setdefault(names, []).append(str(file))
        for same in alike.values():
            dataset = pa.dataset.dataset(same, format=form, partitioning="hive")
            yield FileTable(dataset, where, options.threads > 1)
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise DataError(f"{where}: {' '.join(str(error).split())}") from None


def _files_at(where: str) -> list[Path]:
    path = Path(where)
    found = [path] if path.exists() else [Path(name) for name in sorted(glob(where, recursive=True))]  # noqa: PTH207 (it may be absolute)
    if not found:
        raise DataError(f"there is no file, folder or pattern {where!r}; check the path")
    return [file for each in found for file in _files_in(each)]


def _files_in(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path]
    files = (file for file in path.rglob("*") if file.is_file())
    return sorted(file for file in files if not any(part.startswith((".", "_")) for part in file.relative_to(path).parts))


def _common_format(files: Sequence[Path], where: str) -> str:
    """The one format of all files, none of which is empty."""
    formats = {_format_of(file) for file in files}
    if len(formats) != 1 or None in formats:
        other = next((file for file in files if _format_of(file) is None), None)
        problem = f"{other} is neither" if other else "there are both" if files else "there are no files"
        raise DataError(f"{where}: expected CSV or Parquet files, and {problem}")
    if empty := next((file for file in files if file.stat().st_size == 0), None):
        raise DataError(f"{empty} is empty; a header with names and rows are needed")
    return str(formats.pop())


def _format_of(file: Path) -> str | None:
    name = file.name.lower().removesuffix(".gz")
    return next((form for suffix, form in FORMATS.items() if name.endswith(suffix)), None)


def _format(name: str, options: LearningOptions) -> Any:
    """As Arrow reads it: columns whose declared states are text are read as text, the types of others are guessed."""
    import pyarrow.csv
    import pyarrow.dataset

    if name == "parquet":
        return "parquet"
    converting = pyarrow.csv.ConvertOptions(
        null_values=options.nulls, strings_can_be_null=True, column_types=dict.fromkeys(options.text_columns, pyarrow.string())
    )
    parsing = pyarrow.csv.ParseOptions(delimiter="\t" if name == "tsv" else ",")
    return pyarrow.dataset.CsvFileFormat(parse_options=parsing, convert_options=converting)
