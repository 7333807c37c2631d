"""All results in one page: all peers in one table, then what each benchmark measured, with versions and the machine."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from statistics import median
from typing import Any, TypeAlias

from benchmarks import headline
from benchmarks.harness import RESULTS, duration

Record: TypeAlias = Mapping[str, Any]

PAGE = Path(__file__).parent / "RESULTS.md"
PEERS = ("pyAgrum", "pgmpy", "scikit-learn", "NumPy", "plain")
"""How the names of contenders begin that are not ours."""

HEAD = """# Benchmarks

Written by `make bench`. A ratio is how many times longer a peer takes than ours, both in one run; below one, the peer is
faster. Where ours answers questions, it is asked each of them for the first time.

![How many times longer pyAgrum and pgmpy take](../docs/pictures/headline.svg)
"""


def write_summary(names: Iterable[str], folder: Path = RESULTS, page: Path = PAGE) -> None:
    """Write the page again from the results that are there."""
    files = [folder / f"{name}.json" for name in names]
    records = [json.loads(file.read_text(encoding="utf-8")) for file in files if file.exists()]
    sections = [line for record in records for line in (*_section(record), *_picture(record, folder, page))]
    page.write_text("\n".join([HEAD, *_overview(records), "", *sections]), encoding="utf-8")
    if folder == RESULTS:
        headline.main()


def _overview(records: Iterable[Record]) -> Iterator[str]:
    """The ratios of each peer over the cases of a benchmark."""
    yield from _aligned(["benchmark", "peer", "cases", "least ratio", "median", "largest"])
    for record in records:
        ratios: dict[str, dict[str, float]] = defaultdict(dict)
        for case, contender, ratio in _ratios(record):
            if contender.startswith(PEERS):
                ratios[contender][case] = ratio
        for contender, found in ratios.items():
            least = min(found, key=found.__getitem__)
            ends = [f"{_times(found[least])} ({least})", _times(median(found.values())), _times(max(found.values()))]
            yield _row([record["benchmark"], contender, str(len(found)), *ends])


def _ratios(record: Record) -> Iterator[tuple[str, str, float]]:
    """Case, contender, and how many times longer it takes, where that is known."""
    for case in record.get("cases", ()):
        for timing in case.get("timings", ()):
            if timing.get("ratio"):
                yield case["case"], timing["contender"], timing["ratio"]
        for row in case.get("rows", ()):
            if row["ratios"] and row["ratios"][0]:
                yield case["case"], row["contender"], row["ratios"][0]


def _section(record: Record) -> Iterator[str]:
    name, facts = record["benchmark"], record["machine"]
    versions = ", ".join(f"{part} {facts[part]}" for part in facts if part not in ("cpu", "cores"))
    yield f"## {name}{' (quick)' if record['quick'] else ''}"
    yield ""
    yield (import_module(f"benchmarks.{name}").__doc__ or "").strip()
    yield ""
    yield f"{facts['cpu']}, {facts['cores']} cores; {versions}."
    yield ""
    yield from _table(record)
    yield ""


def _picture(record: Record, folder: Path, page: Path) -> Iterator[str]:
    """The one that the benchmark has drawn neighbours its results, if it draws."""
    picture = folder / f"{record['benchmark']}.png"
    if picture.exists():
        yield f"![{record['benchmark']}]({picture.relative_to(page.parent).as_posix()})"
        yield ""


def _table(record: Record) -> Iterator[str]:
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


def _lines(measured: Sequence[Record]) -> Iterator[str]:
    columns = [name for name in measured[0] if not isinstance(measured[0][name], dict | list)]
    yield from _aligned(columns)
    for one in measured:
        yield _row(
            [
                _number(one[name]) if isinstance(one[name], float) else "" if one[name] is None else str(one[name])
                for name in columns
            ]
        )


def _number(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 1_000 else f"{value:.3g}"


def _aligned(columns: Sequence[str]) -> Iterator[str]:
    yield _row(columns)
    yield _row(["---"] * len(columns))


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _times(ratio: float | None) -> str:
    return "" if ratio is None else f"{ratio:,.0f}×" if ratio >= 1_000 else f"{ratio:.3g}×"
