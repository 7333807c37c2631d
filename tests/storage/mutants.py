"""Ways to change a file, each with right checksums unless wrong ones are the change."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from storage.raw_files import DTYPES, PLACES, RawFile

import dconvex as dc
from dconvex._core import Ragged

VALUES: list[Any] = [
    None, True, False, 0, 1, -1, 2, 1.5, -0.5, 1e308, float("nan"), float("inf"), 10**30, -(10**30), 1 << 31, 1 << 63, "", "x",
    "discrete", "gaussian", "minimal", "any", "all", "complete", "raise", "missing", [], [1], ["asia"], {}, {"kind": "BDeu"},
]  # fmt: skip
FLOATS = [0.0, -0.0, 1.0, -1.0, 0.5, 1e-9, 1e-320, 1e300, -1e300, float("nan"), float("inf"), float("-inf")]

Change = Callable[[RawFile, np.random.Generator], str]


def mutant(path: Path, seed: int) -> tuple[bytes, str]:
    """A changed file, and what was changed."""
    rng = np.random.default_rng(seed)
    raw = RawFile.read(path)
    if rng.random() < 0.06:
        return _bytes_changed(raw.written(), rng)
    changes: list[Change] = [values, values, values, values, numbers, tree, dtype, shape, entry, facts, facts, header, arrays]
    said = [changes[rng.integers(len(changes))](raw, rng)]
    if rng.random() < 0.15:
        said.append(changes[rng.integers(len(changes))](raw, rng))
    if rng.random() < 0.9:
        raw.mend_clusters()
    return raw.written(), "; ".join(said)


def _some(raw: RawFile, rng: np.random.Generator) -> str:
    names = sorted(raw.arrays)
    return names[rng.integers(len(names))]


def values(raw: RawFile, rng: np.random.Generator) -> str:
    """One or two entries of an array."""
    name = _some(raw, rng)
    flat = raw.arrays[name].reshape(-1)
    if not len(flat):
        return f"{name} is empty"
    said = []
    for _ in range(1 + (rng.random() < 0.2)):
        place, other = rng.integers(len(flat), size=2).tolist()
        before = flat[place]
        if rng.random() < 0.25:
            flat[[place, other]] = flat[[other, place]]
            said.append(f"{name}[{place}] ↔ {name}[{other}]")
            continue
        flat[place] = _value(flat, place, other, rng)
        said.append(f"{name}[{place}]: {before} → {flat[place]}")
    return ", ".join(said)


def _value(flat: np.ndarray, place: int, other: int, rng: np.random.Generator) -> Any:
    if flat.dtype == np.bool_:
        return not flat[place]
    if flat.dtype.kind == "f":
        choices = [
            *FLOATS,
            -flat[place],
            flat[place] + 1e-6,
            flat[place] * (1 + 1e-12),
            flat[other],
            rng.random(),
            rng.normal(),
        ]
        return choices[rng.integers(len(choices))]
    limits, now = np.iinfo(flat.dtype), int(flat[place])
    high = max(int(flat.max()), 1) + 2
    choices = [
        now + 1,
        now - 1,
        now + 1,
        now - 1,
        0,
        -1,
        limits.min,
        limits.max,
        int(flat[other]),
        int(rng.integers(min(high, 1 << 62))),
    ]
    return min(max(choices[rng.integers(len(choices))], limits.min), limits.max)


def numbers(raw: RawFile, rng: np.random.Generator) -> str:
    """The numbers of tables, such that they may still be tables: one state gets all, or two change places."""
    name = "numbers" if "numbers" in raw.arrays else "tables.numbers"
    if name not in raw.arrays:
        return values(raw, rng)
    flat = raw.arrays[name]
    place = int(rng.integers(len(flat) - 1))
    if rng.random() < 0.5:
        flat[place : place + 2] = flat[place : place + 2][::-1].copy()
        return f"{name}[{place}] ↔ {name}[{place + 1}]"
    flat[place : place + 2] = [flat[place : place + 2].sum(), 0.0]
    return f"{name}[{place}] takes all of the next one"


def tree(raw: RawFile, rng: np.random.Generator) -> str:
    """Another tree over the graph: one that may be, or one with separators that are not d-convex."""
    offsets, parents, starts, members, ends = PLACES.get(raw.version, PLACES[2])[:5]
    try:
        lists = Ragged(raw.arrays[offsets], raw.arrays[parents])
        dag = dc.Dag.from_parents({v: lists[v].tolist() for v in range(len(lists))})
    except (ValueError, TypeError, KeyError, dc.DconvexError):
        return "there is no graph"
    mode = ["minimal", "any", "complete", "all", "all"][rng.integers(5)]
    found = dc.decompose(dag, separators=mode, refine=bool(rng.integers(2)))
    clusters, edges = [sorted(cluster) for cluster in found.clusters], [list(edge) for edge in found.edges]
    if edges and rng.random() < 0.5:  # a cluster that is part of another one
        edges.append([0, len(clusters)])
        clusters.append(clusters[0][: 1 + int(rng.integers(len(clusters[0])))])
    lists = Ragged.from_lists(clusters)
    raw.arrays |= {
        starts: lists.offsets.copy(), members: lists.values.copy(), ends: np.array(sorted(edges), np.int32).reshape(-1, 2),
        "tree.undecided": np.empty(0, np.int64),
    }  # fmt: skip
    return f"a tree of mode {mode}"


def dtype(raw: RawFile, rng: np.random.Generator) -> str:
    """An array of another type, its values or its bytes kept."""
    name = _some(raw, rng)
    kinds = list(DTYPES)
    kind = np.dtype(DTYPES[kinds[rng.integers(len(kinds))]])
    array = raw.arrays[name]
    if rng.random() < 0.5 and array.nbytes % kind.itemsize == 0:
        raw.arrays[name] = np.frombuffer(array.tobytes(), kind).copy()
    else:
        with np.errstate(all="ignore"):
            raw.arrays[name] = array.astype(kind)
    return f"{name} is {kind}"


def shape(raw: RawFile, rng: np.random.Generator) -> str:
    """An array that is longer, shorter, or has other axes."""
    name = _some(raw, rng)
    array = raw.arrays[name]
    ways: list[Callable[[], np.ndarray]] = [
        lambda: array[:-1], lambda: array[1:], lambda: array[:0], lambda: np.concatenate([array, array[-1:]]),
        lambda: np.concatenate([array, np.zeros_like(array[:1])]), lambda: np.concatenate([array, array]),
        lambda: array.reshape(-1), lambda: array.reshape(1, -1), lambda: array.reshape(-1, 1),
        lambda: array.reshape(*array.shape, 1), lambda: array.reshape(-1)[:1].reshape(()) if array.size else array,
    ]  # fmt: skip
    raw.arrays[name] = ways[rng.integers(len(ways))]().copy()
    return f"{name} has the shape {raw.arrays[name].shape}, not {array.shape}"


def entry(raw: RawFile, rng: np.random.Generator) -> str:
    """What the header says of one array."""
    name = _some(raw, rng)
    array = raw.arrays[name]
    lengths = [int(rng.integers(100)), 0, -1, array.nbytes, 1 << 40, 1 << 63, 10**25, 1.0, "0", None]
    described: dict[str, Any] = {
        "dtype": list(DTYPES)[rng.integers(len(DTYPES))],
        "shape": [lengths[k] for k in rng.integers(len(lengths), size=rng.integers(3))],
        "data_offsets": [lengths[k] for k in rng.integers(len(lengths), size=rng.choice([2, 2, 2, 1, 3]))],
    }
    if rng.random() < 0.5:
        described |= {"dtype": _kind(array), "shape": list(array.shape)}
    raw.entries[name] = described
    return f"{name} is described as {described}"


def _kind(array: np.ndarray) -> str:
    return next(kind for kind, own in DTYPES.items() if np.dtype(own) == array.dtype)


def facts(raw: RawFile, rng: np.random.Generator) -> str:
    """One of the facts, at any depth, or one in the report."""
    if "report.json" in raw.arrays and rng.random() < 0.3:
        try:
            report = json.loads(raw.arrays["report.json"].tobytes())
        except ValueError:
            return "the report is changed already"
        said = _fact(report, rng)
        raw.arrays["report.json"] = np.frombuffer(json.dumps(report).encode(), np.uint8).copy()
        return f"report: {said}"
    return _fact(raw.facts, rng)


def _fact(record: Any, rng: np.random.Generator) -> str:
    where, path = record, ""
    while True:
        keys = sorted(where) if isinstance(where, dict) else list(range(len(where)))
        if not keys:
            return f"{path} has nothing to change"
        key = keys[rng.integers(len(keys))]
        path += f".{key}"
        if not (isinstance(where[key], dict | list) and where[key] and rng.random() < 0.7):
            break
        where = where[key]
    action = rng.random()
    if action < 0.15 and isinstance(where, dict):
        del where[key]
        return f"no fact {path}"
    if action < 0.25 and isinstance(where, dict):
        where[f"{key}x"] = where.pop(key)
        return f"fact {path} has another name"
    value = VALUES[rng.integers(len(VALUES))]
    if type(where[key]) is int and rng.random() < 0.6:
        value = where[key] + int(rng.choice([-1, 1, -where[key], 1000]))
    where[key] = value
    return f"fact {path} is {value!r}"


def header(raw: RawFile, rng: np.random.Generator) -> str:
    """What is said of the file as a whole."""
    key = ["format", "version", "checks"][rng.integers(3)]
    if key == "checks":
        name = _some(raw, rng)
        raw.checks[name] = VALUES[rng.integers(len(VALUES))]
        return f"the checksum of {name} is {raw.checks[name]!r}"
    choices = [*VALUES, "1", "2", "3", "dconvex model", "dconvex statistics"]
    raw.about[key] = choices[rng.integers(len(choices))]
    return f"{key} is {raw.about[key]!r}"


def arrays(raw: RawFile, rng: np.random.Generator) -> str:
    """An array that is gone, has the name or the values of another one, or is new."""
    name, other = _some(raw, rng), _some(raw, rng)
    action = rng.integers(4)
    if action == 0:
        del raw.arrays[name]
        return f"{name} is gone"
    if action == 1:
        raw.arrays[name], raw.arrays[other] = raw.arrays[other], raw.arrays[name]
        return f"{name} and {other} have changed places"
    if action == 2:
        raw.arrays[name] = raw.arrays[other].copy()
        return f"{name} is a copy of {other}"
    new = ["discretizer.edges", "tables.more", "graph", "x", "labels.text.more", "moments.mean"][rng.integers(6)]
    raw.arrays[new] = raw.arrays[name].copy()
    return f"{new} is new"


def _bytes_changed(content: bytes, rng: np.random.Generator) -> tuple[bytes, str]:
    """Cut, longer, or with other bytes; the checksums are those of before."""
    place = int(rng.integers(len(content)))
    action = rng.integers(4)
    if action == 0:
        return content[:place], f"cut at {place}"
    if action == 1:
        return content + content[:place], f"{place} bytes more"
    if action == 2:
        return content[:place] + content[place + 1 :], f"byte {place} is gone"
    return content[:place] + bytes([content[place] ^ (1 << int(rng.integers(8)))]) + content[
        place + 1 :
    ], f"a bit of byte {place}"
