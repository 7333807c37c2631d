"""Answers on the terminal: tables of states with their probabilities as bars, means with their deviations."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich import box
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from dconvex.cli.terminal import print_whole
from dconvex.display.labels import label as in_one_line
from dconvex.inference.distribution import Distribution, GaussianDistribution
from dconvex.names import Name

IN_ORDER = 60
"""Up to this many states of one variable are shown in their own order; of more the most probable come first."""
SHOWN = 40
"""At most this many joint states are shown without `--full`."""
CORRELATED = 8
"""Correlations are shown for at most this many variables."""
NARROW = 50
"""Terminals of fewer columns get no bars."""
SHORTEST_BAR, LONGEST_BAR, BAR_OF_MARGINAL = 8, 40, 20
NEXT_TO_BARS = 24
"""The columns left for the number, its error and the space around them."""
BETWEEN = 3
"""The space between two columns."""
EIGHTHS = " ▏▎▍▌▋▊▉"


def print_distribution(console: Console, answer: Distribution, *, full: bool = False) -> None:
    """A row for each state of one variable, or for the joint states of several, most probable first."""
    values = answer.values.reshape(-1)
    errors = None if answer.standard_errors is None else answer.standard_errors.reshape(-1)
    is_ordered = len(answer.variables) == 1 and len(values) <= IN_ORDER
    chosen = np.arange(len(values)) if is_ordered else _largest(values, len(values) if full else SHOWN)
    longest, width = float(values.max(initial=0.0)), console.width - _width(answer) - NEXT_TO_BARS
    is_wide = width < SHORTEST_BAR  # too many columns: all states of a row in one
    names = [in_one_line(name) for name in answer.variables]
    table = _headed([", ".join(names)] if is_wide else names, "probability")
    if console.width >= NARROW:
        table.add_column(no_wrap=True)
    for index in chosen.tolist():
        cell = np.unravel_index(index, answer.values.shape)
        states = [in_one_line(labels[code]) for labels, code in zip(answer.labels, cell, strict=True)]
        number = _probability(values[index]) + ("" if errors is None else f" {_plus_minus(console)} {errors[index]:.2g}")
        bar = _bar(console, values[index] / longest if longest else 0.0, min(max(width, SHORTEST_BAR), LONGEST_BAR))
        _add_row(table, *map(Text, [", ".join(states)] if is_wide else states), number, bar)
    console.print(table)
    if len(chosen) < len(values):
        held = float(values[chosen].sum())
        said = f"the {len(chosen)} most probable of {len(values):,} states, {_probability(held)} in all; --full shows the rest"
        console.print(Text(said, style="dim"))


def print_marginals(console: Console, answers: Sequence[Distribution]) -> None:
    """A row for each variable: its most probable state and, where they fit, a bar and the states that come next."""
    names, ranked = [in_one_line(answer.variables[0]) for answer in answers], [_ranked(answer) for answer in answers]
    headings = ["variable", "most probable"]
    columns = zip(headings, (names, [best for best, _, _ in ranked]), strict=True)
    taken = sum(max(map(cell_len, (heading, *column))) + BETWEEN for heading, column in columns)
    width = console.width - taken - len("probability") - BETWEEN
    bar_width = min(width // 3, BAR_OF_MARGINAL)
    table = _headed(headings, "probability")
    if bar_width >= SHORTEST_BAR:
        table.add_column(no_wrap=True)
        longest_bar = math.ceil(bar_width * max((number for _, number, _ in ranked), default=0.0))
        others_width = width - longest_bar - 2 * BETWEEN
        table.add_column("others", style="dim", overflow="ellipsis", no_wrap=True, max_width=others_width)
    for name, (best, number, others) in zip(names, ranked, strict=True):
        _add_row(table, Text(name), Text(best), _probability(number), _bar(console, number, bar_width), Text(others))
    print_whole(console, table)


def print_gaussian(console: Console, answer: GaussianDistribution) -> None:
    """Mean and deviation of each variable, and for a few variables how they are correlated."""
    table = _headed(["variable"], "mean", f"{_plus_minus(console)} deviation")
    correlated = range(len(answer.variables) if 2 <= len(answer.variables) <= CORRELATED else 0)
    for index in correlated:
        table.add_column(Text(f"with {in_one_line(answer.variables[index])}"), justify="right", style="dim")
    deviations = answer.standard_deviations
    for index, name in enumerate(answer.variables):
        scales = deviations[index] * deviations
        numbers = (_correlation(answer.covariance[index, other], scales[other]) for other in correlated)
        table.add_row(Text(in_one_line(name)), *_mean(console, answer.mean[index], deviations[index]), *numbers)
    console.print(table)


def print_means(console: Console, answers: Sequence[GaussianDistribution]) -> None:
    """A row for each variable: its mean and deviation."""
    table = _headed(["variable"], "mean", f"{_plus_minus(console)} deviation")
    for answer in answers:
        name = Text(in_one_line(answer.variables[0]))
        table.add_row(name, *_mean(console, answer.mean[0], answer.standard_deviations[0]))
    console.print(table)


def print_assignment(console: Console, assignment: Mapping[Name, Any]) -> None:
    """The state, or the value, of each variable."""
    table = _headed(["variable", "state"])
    for name, state in assignment.items():
        said = f"{state:.6g}" if isinstance(state, float) else in_one_line(state)
        table.add_row(Text(in_one_line(name)), Text(said))
    console.print(table)


def _ranked(answer: Distribution) -> tuple[str, float, str]:
    """The most probable state, its probability, and what comes next."""
    order = np.argsort(-answer.values, kind="stable").tolist()
    states = [in_one_line(answer.labels[0][index]) for index in order]
    numbers = answer.values[order].tolist()
    others = [f"{state} {number:.3g}" for state, number in zip(states, numbers, strict=True)][1:]
    shown = [*others[:3], f"… {len(others) - 3} more"] if len(others) > 3 else others
    return states[0], numbers[0], ", ".join(shown)


def _headed(names: Sequence[str], *numbers: str) -> Table:
    table = Table(box=box.SIMPLE_HEAD, show_edge=False)
    for name in names:
        table.add_column(Text(in_one_line(name)), overflow="fold")
    for heading in numbers:
        table.add_column(heading, justify="right", no_wrap=True)
    return table


def _add_row(table: Table, *cells: Text | str) -> None:
    """The cells for which the table has columns."""
    table.add_row(*cells[: len(table.columns)])


def _largest(values: NDArray[np.float64], most: int) -> NDArray[np.intp]:
    """Indices of the largest values, largest first, without sorting all of a large table."""
    if len(values) > most:
        last = np.partition(values, len(values) - most)[len(values) - most]
        above = np.flatnonzero(values > last)
        indices = np.concatenate([above, np.flatnonzero(values == last)[: most - len(above)]])
    else:
        indices = np.arange(len(values))
    return indices[np.argsort(-values[indices], kind="stable")]


def _width(answer: Distribution) -> int:
    """How wide the columns of states are."""
    columns = zip(answer.variables, answer.labels, strict=True)
    return sum(3 + max(len(in_one_line(word)) for word in (name, *labels)) for name, labels in columns)


def _bar(console: Console, share: float, width: int) -> Text:
    """A bar of an eighth of a character's precision; whatever is possible has some of it."""
    if console.options.ascii_only:
        return Text("#" * max(round(share * width), int(share > 0)), style="cyan")
    eighths = max(round(share * width * 8), int(share > 0))
    return Text("█" * (eighths // 8) + EIGHTHS[eighths % 8].strip(), style="cyan")


def _probability(number: float) -> str:
    """Six decimals, or as a power of ten what would round to nothing.

    >>> _probability(0.25), _probability(1e-9), _probability(0.0)
    ('0.250000', '1.00e-09', '0')
    """
    return f"{number:.6f}" if number >= 1e-6 else f"{number:.2e}" if number > 0 else "0"


def _mean(console: Console, mean: float, deviation: float) -> tuple[str, str]:
    return f"{mean:.6g}", f"{_plus_minus(console)} {deviation:.4g}"


def _correlation(covariance: float, scale: float) -> str:
    return f"{covariance / scale:.3f}" if scale > 0 else "-"


def _plus_minus(console: Console) -> str:
    return "+-" if console.options.ascii_only else "±"
