"""Files of version 1, as if they were of this version.

They hold much that can be derived (children, order, separators, which cluster holds what, which table comes from where, which
tables have zeros). None of that is used: it is derived again.
"""

from __future__ import annotations

import json
import zlib
from typing import Any

import numpy as np

from dconvex.arrays import Array, Indices
from dconvex.errors import FormatError
from dconvex.storage.byte_file import ByteFile
from dconvex.storage.container import DTYPES, Container, Entry, Header, read_entry
from dconvex.storage.facts import Facts, read_json
from dconvex.storage.sections import Arrays, type_of
from dconvex.storage.texts import StoredNameIndex, StoredNames

NUMBERS = "numbers"
ARRAYS = {
    "names.text": "names.text", "names.at": "names.offsets", "arcs.parent_start": "graph.offsets",
    "arcs.parents": "graph.parents", "clusters.start": "tree.offsets", "clusters.members": "tree.members",
    "tree.ends": "tree.ends", "tree.undecided": "tree.undecided", "labels.text": "labels.text", "labels.at": "labels.offsets",
    "labels.kind": "labels.kinds", "labels.start": "labels.sets", "labels.of": "labels.of", "checksums": "tables.checksums",
    "statistics.tables": "coverage.tables", "statistics.offered": "coverage.offered", "statistics.used": "coverage.used",
    "statistics.has_column": "coverage.has_column", "statistics.order": "counts.orders", "statistics.counts": "counts.cells",
    "statistics.seen_rows": "counts.seen_rows", "statistics.seen_cells": "counts.seen_cells",
    "statistics.seen_counts": "counts.seen_counts", "statistics.mean": "moments.mean", "statistics.rest": "moments.rest",
    "statistics.scatter": "moments.scatter",
}  # fmt: skip
"""What they are called now."""
STATISTICS_LABELS = {f"statistics.labels.{part}": ARRAYS[f"labels.{part}"] for part in ("text", "at", "kind", "start", "of")}
"""In a file of statistics; in one of a model they are the labels of the model."""


def converted(file: ByteFile, header: Header, what: str) -> Container:
    """The file with the names and facts of this version; all but the numbers of tables is read and checked."""
    said = header.text("facts")
    is_model = NUMBERS in header.entries
    renamed = ARRAYS if is_model else {**ARRAYS, **STATISTICS_LABELS}
    found: Arrays = {}
    checksum = zlib.crc32(said.encode("utf-8", "surrogatepass"))
    for name, entry in sorted(header.entries.items()):
        checksum = zlib.crc32(f"{name} {DTYPES[entry.kind].str} {entry.shape}".encode("utf-8", "surrogatepass"), checksum)
        if name == NUMBERS:
            continue
        array = read_entry(file, entry)
        checksum = zlib.crc32(array.tobytes(), checksum)
        if name == "names.integers":
            found[name] = array
        elif name in renamed:
            found[renamed[name]] = _checked(array, renamed[name], entry, file.shown)
    if str(checksum) != header.text("checksum"):
        raise FormatError("the file is damaged: its checksum is wrong", path=file.shown)
    record = read_json(said, file.shown)
    Facts(record, file.shown)
    _set_facts(record, found, file.shown)
    entries = {"tables.numbers": header.entries[NUMBERS]} if is_model else {}
    if is_model and (header.entries[NUMBERS].kind != "F64" or len(header.entries[NUMBERS].shape) != 1):
        raise FormatError("the file is damaged: its array 'numbers' has the wrong type or shape", path=file.shown)
    return Container(file, Facts(record, file.shown), entries, found)


def _checked(array: Array, name: str, entry: Entry, path: str) -> Array:
    if entry.kind != type_of(name) or array.ndim != (2 if name == "tree.ends" else 1) or array.shape[1:] not in ((), (2,)):
        raise FormatError(f"the file is damaged: its array for {name!r} has the wrong type or shape", path=path)
    return array


def _set_facts(record: dict[str, Any], arrays: Arrays, path: str) -> None:
    """Say in the record what this version says there, and put the rest into arrays."""
    integers = arrays.pop("names.integers", None)
    if integers is None or integers.shape != (1,):
        raise FormatError("the file is damaged: its number of integer names is wrong", path=path)
    record["integers"] = int(integers[0])
    statistics, learned = record.pop("statistics", None), record.get("learned")
    record["partial"] = False
    if statistics is not None:
        own = Facts(statistics, path, "statistics.")
        record.update(rows=own.count("rows"), partial=own.flag("partial"))
        record.setdefault("kind", own.choice("kind", ("discrete", "gaussian")))
        if record["kind"] != own.choice("kind", ("discrete", "gaussian")):
            raise own.wrong("kind", statistics["kind"])
    if learned is not None:
        about = Facts(learned, path, "learned.")
        record["partial"] = about.flag("partial")
        arrays["report.json"] = np.frombuffer(json.dumps(about.part("report").record).encode(), np.uint8)
        arrays["learned.declared"] = _declared(about, arrays, record["integers"], path)


def _declared(about: Facts, arrays: Arrays, integers: int, path: str) -> Indices:
    """The variables with declared states, by index."""
    if "declared" not in about:
        return np.empty(0, np.int32)
    for name in ("names.text", "names.offsets"):
        if name not in arrays:
            raise FormatError(f"the file is damaged: it has no {name}", path=path)
    index = StoredNameIndex(StoredNames.checked(arrays["names.text"], arrays["names.offsets"], integers, path))
    names = about.items("declared")
    try:
        return np.array(sorted(index[name] for name in names), np.int32)
    except KeyError:
        raise about.wrong("declared", names) from None
