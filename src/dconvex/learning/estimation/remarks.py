"""What looks wrong in the columns of a table. It is reported, and nothing is changed."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence

import numpy as np

from dconvex.amounts import amount
from dconvex.arrays import Floats, Integers
from dconvex.learning.statistics.counts import Counts
from dconvex.names import Label

MOST_REMARKS = 100
"""At most this many columns are reported."""
RARE = 5
"""A state in fewer rows is rare."""
ENOUGH_ROWS = 50
"""In a shorter table every state is rare."""
NOTHING = {"", "na", "n/a", "nan", "null", "none", "<na>", "?", "-", "missing", "unknown"}
"""Words, in lower case, that often stand for a missing cell."""


def remarks_on(counts: Counts) -> dict[str, str]:
    """By column what looks wrong in it."""
    totals, begins = _state_counts(counts)
    is_odd = _are_odd(totals, begins, counts)
    found: dict[str, str] = {}
    about_texts: dict[tuple[Label, ...], list[str]] = {}  # many variables share a few tuples of labels
    for variable, states in enumerate(counts.states):
        labels = states.labels
        if labels not in about_texts:
            about_texts[labels] = [*_about_texts(labels)]
        if not (is_odd[variable] or about_texts[labels]) or not counts.coverage.has_column[variable]:
            continue
        own = totals[begins[variable] : begins[variable + 1]]
        odd = _about_counts(labels, own, counts.coverage.rows) if is_odd[variable] else ()
        found[str(counts.families.names[variable])] = "; ".join([*odd, *about_texts[labels]])
        if len(found) == MOST_REMARKS:
            break
    return found


def _are_odd(totals: Floats, begins: Integers, counts: Counts) -> list[bool]:
    """For each variable whether `_about_counts` has something to say; expected and weighted counts are not looked at."""
    rows, sizes = counts.coverage.rows, np.diff(begins)
    if counts.tallies.is_expected or not len(sizes):
        return [False] * len(sizes)
    there = np.add.reduceat(totals > 0, begins[:-1], dtype=np.int64)
    rare = np.add.reduceat((totals > 0) & (totals < RARE), begins[:-1], dtype=np.int64)
    is_odd = (sizes == 1) | ((rows >= ENOUGH_ROWS) & ((there == 1) | (rare > 0))) | ((rows >= 20) & (2 * there > rows))
    flags: list[bool] = is_odd.tolist()
    return flags


def _state_counts(counts: Counts) -> tuple[Floats, Integers]:
    """In how many of the rows that its family uses each state is, and where the states of each variable begin."""
    tallies, sizes = counts.tallies, counts.tallies.sizes
    begins = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    tables = np.diff(tallies.at)[: len(sizes)]
    variable = np.repeat(np.arange(len(sizes)), tables)
    cell = np.arange(int(tallies.at[len(sizes)])) - np.repeat(tallies.at[: len(sizes)], tables)
    dense = tallies.counts[: len(cell)].astype(np.float64)
    state = begins[variable] + cell % sizes[variable]
    totals = np.bincount(state, weights=dense, minlength=int(begins[-1])).astype(np.float64)
    for number, seen in tallies.seen.items():
        if number < len(sizes):
            np.add.at(totals, begins[number] + seen.cells[:, -1], seen.counts)
    return totals, begins


def _about_counts(labels: Sequence[Label], counts: Floats, rows: int) -> Iterator[str]:
    """One value only, nearly a value a row, or values in a few rows."""
    there = np.flatnonzero(counts)
    if len(labels) == 1 or (len(there) == 1 and rows >= ENOUGH_ROWS):
        yield f"one value only, {labels[int(there[0]) if len(there) else 0]!r}"
    elif rows >= 20 and 2 * len(there) > rows:
        yield f"{amount(len(there), 'value')} in {amount(rows, 'row')}, as an identifier has"
    elif rows >= ENOUGH_ROWS:
        rare = [state for state in there.tolist() if counts[state] < RARE]
        if rare:
            shown = ", ".join(f"{_shown(labels[state])} in {amount(int(counts[state]), 'row')}" for state in rare[:3])
            yield f"rare: {shown}" + (f", … ({len(rare)} in all)" if len(rare) > 3 else "")


def _about_texts(labels: Sequence[Label]) -> Iterator[str]:
    """Spellings of one state, words for nothing, and numbers."""
    texts = [label for label in labels if isinstance(label, str)]
    alike: dict[str, list[str]] = defaultdict(list)
    for text in texts:
        alike[" ".join(text.casefold().split())].append(text)
    for spellings in [own for own in alike.values() if len(own) > 1][:3]:
        yield f"{' and '.join(map(repr, spellings))} differ in case or blanks only"
    words = [text for text in texts if text.strip().lower() in NOTHING]
    if words:
        yield f"{', '.join(map(repr, words[:3]))} may mean a missing cell"
    numbers = [text for text in texts if text not in words]
    if len(numbers) == len(labels) - len(words) and numbers and all(map(_is_number, numbers)):
        yield "numbers stored as text"


def _is_number(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


def _shown(label: Label) -> str:
    return repr(label) if isinstance(label, str) else str(label)
