"""All results in one page: what each benchmark measured, with ratios, versions and the machine."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.harness import RESULTS, duration

PAGE = Path(__file__).parent / "RESULTS.md"


def write_summary(names: Iterable[str], folder: Path = RESULTS, page: Path = PAGE) -> None:
    """Write the page anew from the results that are there."""
    sections = [section for name in names if (folder / f"{name}.json").exists() for section in _section(folder, name)]
    told = "A ratio is how many times longer a peer takes than ours, both in one run. Written by `make bench`."
    page.write_text("\n".join(["# Benchmarks", "", told, "", *sections]), encoding="utf-8")


def _section(folder: Path, name: str) -> Iterator[str]:
    record = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
    facts = record["machine"]
    versions = ", ".join(f"{part} {facts[part]}" for part in facts if part not in ("cpu", "cores"))
    yield f"## {name}{' (quick)' if record['quick'] else ''}"
    yield ""
    yield f"{facts['cpu']}, {facts['cores']} cores; {versions}."
    yield ""
    yield from _table(record)
    yield ""


def _table(record: Mapping[str, Any]) -> Iterator[str]:
    if "cases" not in record:  # growth and the like: one line for each measurement
        yield from _lines(next(value for value in record.values() if isinstance(value, list)))
    elif "timings" in record["cases"][0]:
        yield from _aligned(["case", "contender", "median", "ratio"])
        for case in record["cases"]:
            for timing in case["timings"]:
                ratio = timing.get("ratio")
                shown = timing.get("note") or duration(timing["median"])
                yield _row([case["case"], timing["contender"], shown, _times(None if ratio == 1 else ratio)])
    else:
        yield from _aligned(["case", "contender", "median", "worst", "× first asked", "× asked again", "× worst"])
        for case in record["cases"]:
            for row in case["rows"]:
                ratios = [_times(ratio) for ratio in row["ratios"]] or [""] * 3
                times = [duration(row["median"]) or "; ".join(row["notes"]), duration(row["worst"])]
                yield _row([case["case"], row["contender"], *times, *ratios])


def _lines(measured: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    columns = [name for name in measured[0] if not isinstance(measured[0][name], dict | list)]
    yield from _aligned(columns)
    for one in measured:
        yield _row([f"{one[name]:.3g}" if isinstance(one[name], float) else str(one[name]) for name in columns])


def _aligned(columns: Sequence[str]) -> Iterator[str]:
    yield _row(columns)
    yield _row(["---"] * len(columns))


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _times(ratio: float | None) -> str:
    return "" if ratio is None else f"{ratio:.3g}×"
