"""What all experiments share: how large they are, what they learn from, what they hand back, how it is written and drawn.

An experiment is a module with `run(setting, folder) -> Result`; it draws its pictures into the folder itself, the rest is
written by `Result.write`.
"""

from __future__ import annotations

import math
import os
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from rich.markup import escape
from rich.table import Table

import dconvex as dc
from benchmarks import harness

if TYPE_CHECKING:
    from matplotlib.axes import Axes

T = TypeVar("T")

RESULTS = Path(__file__).parent / "results"


@dataclass(frozen=True)
class Setting:
    """How large an experiment is; the full setting is the paper's."""

    name: Literal["smoke", "quick", "full"]
    repetitions: int
    seed: int = 1

    def pick(self, smoke: T, quick: T, full: T) -> T:
        """What this setting takes of three sizes."""
        return {"smoke": smoke, "quick": quick, "full": full}[self.name]

    def rng(self, *about: object) -> np.random.Generator:
        """Random numbers for one piece of work, the same whatever else is run."""
        return np.random.default_rng([self.seed, zlib.crc32("/".join(map(str, about)).encode())])

    def __str__(self) -> str:
        return f"{self.name}, {self.repetitions} repetitions where there are any, seed {self.seed}"


SMOKE, QUICK, FULL = Setting("smoke", 2), Setting("quick", 10), Setting("full", 100)


class Row(NamedTuple):
    """One number of the paper next to ours, and a sentence about the two."""

    item: str
    paper: str
    ours: str
    verdict: str = ""


@dataclass(frozen=True)
class Result:
    """What an experiment comes to; `verdict` is a sentence about all rows, `remarks` are paragraphs of evidence for it."""

    name: str
    title: str
    setting: Setting
    rows: Sequence[Row]
    verdict: str
    remarks: str
    details: Mapping[str, pd.DataFrame] = field(default_factory=dict)
    """All measurements behind the rows."""

    @property
    def picture(self) -> str:
        """The file that the experiment has drawn into the folder."""
        return f"{self.name}.png"

    def write(self, folder: Path) -> None:
        """The rows as NAME.csv, the section of the page as NAME.md, and each detail as NAME_DETAIL.csv."""
        pd.DataFrame(self.rows, columns=Row._fields).to_csv(folder / f"{self.name}.csv", index=False)
        (folder / f"{self.name}.md").write_text(self.as_markdown(), encoding="utf-8")
        for detail, frame in self.details.items():
            frame.to_csv(folder / f"{self.name}_{detail}.csv", index=False, float_format="%.5g")

    def as_markdown(self) -> str:
        lines = [f"## {self.title}", "", f"**{self.verdict}**", ""]
        lines += [f"`python -m experiments {self.name}`; setting: {self.setting}; {machine()}.", ""]
        lines += ["| item | the paper | ours | verdict |", "|---|---|---|---|"]
        lines += ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in self.rows]
        lines += ["", *self._listed_remarks(), "", f"![{self.title}]({self.picture})", ""]
        return "\n".join(lines)

    def _listed_remarks(self) -> list[str]:
        return [f"- {' '.join(paragraph.split())}" for paragraph in self.remarks.split("\n\n")]

    def as_table(self) -> Table:
        remark = "\n".join([self.verdict, *self._listed_remarks()])
        table = Table(title=f"{self.title} ({self.setting.name})", caption=escape(remark), caption_justify="left")
        for column in ("item", "the paper", "ours", "verdict"):
            table.add_column(column)
        for row in self.rows:
            table.add_row(*map(escape, row))
        return table


def random_binary(dag: dc.Dag, rng: np.random.Generator) -> dc.BayesianNetwork:
    """Drawn as in the paper's notebooks, by pgmpy's `TabularCPD.get_random`: two uniform numbers, divided by their sum."""

    def table(node: str | int) -> NDArray[np.float64]:
        numbers = rng.random((2,) * (1 + len(dag.parents(node))))
        return np.asarray(numbers / numbers.sum(axis=-1, keepdims=True))

    return dc.BayesianNetwork.discrete(dag, {node: table(node) for node in dag.nodes}, dict.fromkeys(dag.nodes, (0, 1)))


def cores() -> int:
    """How many this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def machine() -> str:
    """What times depend on, in a line."""
    facts = harness.machine()
    used = f"{cores()} of {facts['cores']} cores used"
    return f"{facts['cpu']}, {used}, Python {facts['python']}, NumPy {facts['numpy']}, dconvex {facts['dconvex']}"


def listed(numbers: Iterable[float], form: str = ".3g") -> str:
    return ", ".join(format(number, form) for number in numbers)


def span(numbers: Iterable[float], form: str = ".2g") -> str:
    """The least and the largest of those that are known."""
    found = [number for number in numbers if math.isfinite(number)]
    ends = dict.fromkeys(format(end, form) for end in (min(found), max(found))) if found else ("?",)
    return " to ".join(ends)


def counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}" + "s" * (number != 1)


def slope(x: Sequence[float], y: Sequence[float]) -> float:
    """The power with which y grows with x, where it is positive."""
    known = np.array(y) > 0
    return float(np.polyfit(np.log(np.array(x)[known]), np.log(np.array(y)[known]), 1)[0]) if known.sum() > 1 else float("nan")


def draw_boxes(runs: pd.DataFrame, path: Path, groups: Mapping[str, Sequence[str]], measures: Mapping[str, str]) -> None:
    """A line of panels for each group of networks, a column for each measure; a box is over the repetitions."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(4.6 * len(measures), 3.1 * len(groups)), layout="constrained")
    panels = figure.subplots(len(groups), len(measures), squeeze=False, sharex=True)
    for line, (group, networks) in zip(panels, groups.items(), strict=True):
        for axes, (measure, label) in zip(line, measures.items(), strict=True):
            part = runs[runs["network"].isin(networks) & np.isfinite(runs[measure]) & (runs[measure] > 0)]
            _draw_panel(axes, part, list(networks), measure)
            axes.set_title(f"{label}: {group}" if group else label, fontsize=10)
        line[-1].legend(fontsize=8, frameon=False, loc="upper right")
    for axes in panels[-1]:
        axes.set_xlabel("rows")
    figure.savefig(path, dpi=110)


def _draw_panel(axes: Axes, runs: pd.DataFrame, networks: list[str], measure: str) -> None:
    from matplotlib.ticker import LogLocator, NullFormatter

    rows = sorted(runs["rows"].unique())
    width = 0.8 / len(networks)
    for number, network in enumerate(networks):
        boxes = [runs.loc[(runs["network"] == network) & (runs["rows"] == size), measure].to_numpy() for size in rows]
        places = [place + (number - (len(networks) - 1) / 2) * width for place in range(len(rows))]
        drawn = axes.boxplot(
            boxes, positions=places, widths=0.85 * width, patch_artist=True, manage_ticks=False,
            medianprops={"color": "black"}, flierprops={"markersize": 2, "markeredgecolor": f"C{number}"},
        )  # fmt: skip
        for box in drawn["boxes"]:
            box.set(facecolor=f"C{number}", alpha=0.7, linewidth=0.6)
        axes.fill([], [], color=f"C{number}", alpha=0.7, label=network)
    axes.set_xticks(range(len(rows)), [f"{size:,}" for size in rows])
    axes.set_yscale("log")
    axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axes.yaxis.set_major_formatter("{x:g}")
    axes.yaxis.set_minor_formatter(NullFormatter())
    tidy(axes)


def tidy(axes: Axes) -> None:
    axes.grid(which="major", color="0.92")
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
