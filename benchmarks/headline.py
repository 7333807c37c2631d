"""The headline numbers as a chart: how many times longer the peers take, drawn from the committed results.

`python -m benchmarks.headline` draws it again; `make bench` does so too.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any, TypeAlias

from benchmarks.harness import RESULTS

Record: TypeAlias = Mapping[str, Any]

PICTURE = Path(__file__).parents[1] / "docs" / "pictures" / "headline.svg"
COLOURS = {"pyAgrum": "#3b7dc4", "pgmpy": "#cf5a3e", "pyBNesian": "#6d9a47"}
LEFT, WIDTH, BAR, GAP, TOP = 262.0, 470.0, 11.0, 12.0, 46.0
MOST = 100_000.0


@dataclass(frozen=True)
class Work:
    """A row of the chart: the median over some cases of a benchmark."""

    said: str
    benchmark: str
    cases: Sequence[str]
    """How the names of the cases begin, or end."""
    peers: Sequence[str] = ("pyAgrum", "pgmpy")


WORKS = (
    Work("a joint of two variables, a new question", "queries", ["|Q| = 2, in a row"]),
    Work("all marginals, 15 networks", "marginals", ["no evidence", "20 % observed"]),
    Work("predictions for 100,000 rows", "predicting", ["alarm, 100,000 rows, all columns"]),
    Work("parameters from 150,000 rows", "learning", ["150,000 rows, categoricals"]),
    Work("a pass of EM, a tenth of the cells missing", "em", ["alarm, 10,000 rows, 10% missing: a pass"]),
    Work("structure: hill climbing, 10,000 rows", "structure", ["10,000 rows, greedy"], ("pyBNesian", "pyAgrum", "pgmpy")),
    Work("100,000 samples", "sampling", ["alarm, 100,000 rows"]),
    Work("reading a file of 1.6 MB", "reading", ["pathfinder"]),
    Work("the first answer of a process", "first_answer", ["first answer"]),
)


def main() -> None:
    """Draw the chart."""
    PICTURE.write_text(chart(list(rows(RESULTS))), encoding="utf-8")


def rows(folder: Path) -> Iterator[tuple[str, dict[str, float]]]:
    """What was done, and the ratio of the fastest engine of each peer, in the median of the cases."""
    for work in WORKS:
        file = folder / f"{work.benchmark}.json"
        if not file.exists():
            continue
        ratios: dict[str, list[float]] = {peer: [] for peer in work.peers}
        for case in _cases(json.loads(file.read_text(encoding="utf-8"))):
            if any(case["case"].startswith(name) or case["case"].endswith(name) for name in work.cases):
                for peer, ratio in _best(case, work.peers):
                    ratios[peer].append(ratio)
        found = {peer: median(values) for peer, values in ratios.items() if values}
        if found:
            yield work.said, found


def _cases(record: Record) -> Iterator[Record]:
    """The cases of a benchmark; those of structures compare hill climbers."""
    yield from record.get("cases", ())
    learned = record.get("learned", ())
    ours = {(row["network"], row["rows"]): row["seconds"] for row in learned if row["contender"] == "greedy"}
    for (network, count), seconds in ours.items():
        same = [row for row in learned if (row["network"], row["rows"]) == (network, count) and row["seconds"]]
        timings = [{"contender": row["contender"], "ratio": row["seconds"] / seconds} for row in same]
        yield {"case": f"{network}, {count:,} rows, greedy", "timings": timings}


def _best(case: Record, peers: Sequence[str]) -> Iterator[tuple[str, float]]:
    for peer in peers:
        own = [ratio for contender, ratio in _ratios(case) if contender.startswith(peer)]
        if own:
            yield peer, min(own)


def _ratios(case: Record) -> Iterator[tuple[str, float]]:
    for timing in case.get("timings", ()):
        if timing.get("ratio"):
            yield timing["contender"], timing["ratio"]
    for row in case.get("rows", ()):
        if row["ratios"] and row["ratios"][0]:
            yield row["contender"], row["ratios"][0]


def chart(found: Sequence[tuple[str, Mapping[str, float]]]) -> str:
    """The chart as SVG, readable on light and dark pages."""
    peers = [peer for peer in COLOURS if any(peer in ratios for _, ratios in found)]
    parts, y = list(_legend(peers)), TOP
    for said, ratios in found:
        middle = y + BAR * len(ratios) / 2 + 4
        parts.append(f'<text x="{LEFT - 10}" y="{middle:.1f}" text-anchor="end">{said}</text>')
        for peer in (peer for peer in peers if peer in ratios):
            length = max(_place(ratios[peer]), 1.5)
            parts.append(
                f'<rect x="{LEFT}" y="{y:.1f}" width="{length:.1f}" height="{BAR - 1.5}" rx="1.5" fill="{COLOURS[peer]}"/>'
            )
            parts.append(f'<text x="{LEFT + length + 5:.1f}" y="{y + 8.4:.1f}" font-size="10">{_times(ratios[peer])}</text>')
            y += BAR
        y += GAP
    lines = "".join(_grid_line(power, y - GAP / 2) for power in range(6))
    width, height = LEFT + WIDTH + 58, y + 12
    box = f'width="{width:.0f}" height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}"'
    style = "svg:root{color:#222}@media(prefers-color-scheme:dark){svg:root{color:#ddd}}"
    head = f'<svg xmlns="http://www.w3.org/2000/svg" class="dcx-picture" role="img" aria-label="{LABEL}" {box}'
    font = 'font-family="Helvetica, Arial, \'Liberation Sans\', Arimo, sans-serif" font-size="12" fill="currentColor"'
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{head} {font}><style>{style}</style>{lines}{"".join(parts)}</svg>\n'


LABEL = "How many times longer the peers take than dconvex, on a logarithmic scale"


def _legend(peers: Sequence[str]) -> Iterator[str]:
    yield '<text x="10" y="17" font-size="13" font-weight="bold">How many times longer the peers take</text>'
    x = LEFT
    for peer in peers:
        yield f'<rect x="{x}" y="8" width="11" height="11" rx="2" fill="{COLOURS[peer]}"/>'
        yield f'<text x="{x + 16}" y="17">{peer}</text>'
        x += 90
    where = f'x="{LEFT + WIDTH + 48}" y="17" text-anchor="end" font-size="10" fill-opacity="0.75"'
    yield f"<text {where}>1× is dconvex; logarithmic</text>"


def _grid_line(power: int, bottom: float) -> str:
    x = LEFT + _place(10.0**power)
    ends = f'x1="{x:.1f}" x2="{x:.1f}" y1="{TOP - 6}" y2="{bottom:.1f}"'
    line = f'<line {ends} stroke="#808080" stroke-width="0.5" stroke-opacity="0.5"/>'
    style = 'text-anchor="middle" font-size="9.5" fill-opacity="0.75"'
    return f'{line}<text x="{x:.1f}" y="{TOP - 11}" {style}>{10**power:,}×</text>'


def _place(ratio: float) -> float:
    return WIDTH * math.log10(min(max(ratio, 1.0), MOST)) / math.log10(MOST)


def _times(ratio: float) -> str:
    return f"{ratio:.2g}×" if ratio < 10 else f"{float(f'{ratio:.2g}'):,.0f}×"


if __name__ == "__main__":
    main()
