"""Files taken apart and put together again, with right checksums, by the description of the format alone."""

from __future__ import annotations

import json
import zlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from dconvex._core import ClusterIndex, Graph, Ragged, StoredNumbers

DTYPES = {
    "F64": "<f8", "F32": "<f4", "I64": "<i8", "I32": "<i4", "I16": "<i2", "I8": "i1",
    "U64": "<u8", "U32": "<u4", "U8": "u1", "BOOL": "?",
}  # fmt: skip
KINDS = {np.dtype(name): kind for kind, name in DTYPES.items()}
PLACES = {
    1: (
        "arcs.parent_start", "arcs.parents", "clusters.start", "clusters.members", "tree.ends", "labels.start", "labels.of",
        "numbers", "checksums",
    ),
    2: (
        "graph.offsets", "graph.parents", "tree.offsets", "tree.members", "tree.ends", "labels.sets", "labels.of",
        "tables.numbers", "tables.checksums",
    ),
}  # fmt: skip
"""By version: what the checksums of clusters depend on."""


@dataclass
class RawFile:
    """What a file says, and its arrays; everything may be changed."""

    about: dict[str, Any]
    facts: Any
    arrays: dict[str, np.ndarray]
    entries: dict[str, Any] = field(default_factory=dict)
    """Descriptions of arrays that are not those of the arrays."""
    checks: dict[str, Any] = field(default_factory=dict)
    """Checksums of arrays that are not theirs."""

    @classmethod
    def read(cls, path: Path) -> RawFile:
        raw = path.read_bytes()
        begin = 8 + int.from_bytes(raw[:8], "little")
        header = json.loads(raw[8:begin])
        about = header.pop("__metadata__")
        arrays = {}
        for name, entry in header.items():
            first, last = entry["data_offsets"]
            arrays[name] = (
                np.frombuffer(raw[begin + first : begin + last], DTYPES[entry["dtype"]]).reshape(entry["shape"]).copy()
            )
        return cls(about, json.loads(about.pop("facts")), arrays)

    @property
    def version(self) -> int:
        """0 for what is none."""
        return {"1": 1, "2": 2}.get(str(self.about.get("version")), 0)

    def mend_clusters(self) -> None:
        """Make the checksums of the clusters right, where there are clusters at all."""
        names = PLACES.get(self.version, ())
        if not names or any(name not in self.arrays for name in (*names[:5], *names[7:])):
            return
        offsets, parents, starts, members, ends, sets, of, numbers, _ = (self.arrays.get(name) for name in names)
        try:
            index = ClusterIndex(Graph(Ragged(offsets, parents)), Ragged(starts, members), ends)
            known = len(offsets) - 1 if self.facts["coherent"] else index.table_count
            if of is None:
                stored = StoredNumbers.of_regressions(index, known)
            else:
                stored = StoredNumbers.of_tables(index, known, np.diff(sets)[of], len(numbers))
            if numbers.dtype == np.float64 and numbers.ndim == 1:
                self.arrays[names[-1]] = stored.checksums(numbers, 0, len(index.clusters))
        except (ValueError, TypeError, IndexError, KeyError):
            pass

    def written(self) -> bytes:
        """The bytes of the file, with right checksums."""
        facts = self.facts if isinstance(self.facts, str) else json.dumps(self.facts)
        about = {**self.about, "facts": facts}
        entries, parts, end = {}, [], 0
        for name, array in sorted(self.arrays.items(), key=lambda item: (-item[1].dtype.itemsize, item[0])):
            part = array.tobytes()
            entries[name] = {"dtype": KINDS[array.dtype], "shape": list(array.shape), "data_offsets": [end, end + len(part)]}
            parts.append(part)
            end += len(part)
        entries |= self.entries
        if self.about.get("version") == "1":
            about["checksum"] = str(self._checksum_of_version_1(facts))
        else:
            lazy = {"tables.numbers"}
            sums = {name: zlib.crc32(array.tobytes()) for name, array in self.arrays.items() if name not in lazy} | self.checks
            about["checks"] = json.dumps(sums)
            listed = [
                f"{name} {entry['dtype']} {tuple(entry['shape'])}"
                for name, entry in sorted(entries.items())
                if isinstance(entry, dict) and {"dtype", "shape"} <= set(entry) and isinstance(entry["shape"], list)
            ]
            text = "\n".join([str(about.get("format")), facts, about["checks"], *listed])
            about["checksum"] = str(zlib.crc32(text.encode("utf-8", "surrogatepass")))
        header = json.dumps({"__metadata__": about, **entries}).encode()
        header += b" " * (-len(header) % 8)
        return len(header).to_bytes(8, "little") + header + b"".join(parts)

    def _checksum_of_version_1(self, facts: str) -> int:
        found = zlib.crc32(facts.encode())
        for name in sorted(self.arrays):
            array = self.arrays[name]
            found = zlib.crc32(f"{name} {array.dtype.str} {array.shape}".encode(), found)
            if array.size and name != "numbers":
                found = zlib.crc32(array.tobytes(), found)
        return found
