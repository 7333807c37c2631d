"""Names as other programs can read them, and notes that say which names they mean.

Most formats hold strings only, and some of them plain words only. There a name that does not fit gets another spelling,
and a note, which other programs ignore, lists `spelling:type:name` for each such name: `x_1:int:1 low:str:very%20low`.
A spelling that the note does not mention is the name itself, also if another program has changed it since.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TypeAlias
from urllib.parse import quote, unquote

from dconvex.intervals import Interval
from dconvex.names import Label, Name

NOTES = NAME_NOTE, STATES_NOTE = "dconvex_name", "dconvex_states"
"""The names of a variable's notes in a file."""

WORD = re.compile(r"[A-Za-z][A-Za-z0-9_]*+")
"""A name that every program can read."""
LINE = re.compile(r"(?! )[^\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufffe\uffff]++(?<! )")
"""Any text without control characters and without blanks around it."""

Spellings: TypeAlias = dict[Name | Label, str]

READ_AS: Mapping[str, Callable[[str], Label]] = {
    "int": int,
    "bool": {"True": True, "False": False}.__getitem__,
    "str": str,
    "Interval": Interval.from_text,
}


def spelled(names: Sequence[Name | Label], fits: re.Pattern[str]) -> Spellings:
    """A spelling for each name, all different: its own text if that fits; of 1 and "1" the string gets it."""
    spellings: Spellings = {name: name for name in names if isinstance(name, str) and fits.fullmatch(name)}
    taken = set(spellings.values())
    for name in names:
        if name not in spellings:
            text = str(name)
            spellings[name] = text if fits.fullmatch(text) and text not in taken else fresh_word(name, taken, fits)
            taken.add(spellings[name])
    return spellings


def fresh_word(name: Name | Label, taken: Collection[str], fits: re.Pattern[str] = WORD) -> str:
    """A plain word like `name` that fits and is not taken yet."""
    stem = re.sub(r"[^A-Za-z0-9]+", "_", str(name)).strip("_") or "unnamed"
    stem = stem if stem[0].isalpha() else f"x_{stem}"
    counts = itertools.chain(range(2, 10), itertools.count(10 + len(taken)))  # soon past those that are taken
    words = itertools.chain([stem], (f"{stem}_{count}" for count in counts))
    return next(word for word in words if word not in taken and fits.fullmatch(word))


def notes(name: Name, names: Spellings, labels: Sequence[Label], states: Spellings) -> dict[str, str]:
    """The notes that a variable needs, on its name and on its states; none if all are spelled as they are."""
    found = {NAME_NOTE: _note([name], names), STATES_NOTE: _note(labels, states)}
    return {key: text for key, text in found.items() if text}


def _note(names: Sequence[Name | Label], spellings: Spellings) -> str:
    return " ".join(
        f"{_quoted(spellings[name])}:{type(name).__name__}:{_quoted(str(name))}" for name in names if spellings[name] != name
    )


def meanings(text: str) -> dict[str, Label]:
    """The name for each spelling in a note; a `ValueError` if it is not a note."""
    found: dict[str, Label] = {}
    for entry in text.split():
        spelling, kind, name = entry.split(":")
        try:
            found[_unquoted(spelling)] = READ_AS[kind](_unquoted(name))
        except KeyError:
            raise ValueError(f"{entry!r} is not spelling:type:name") from None
    return found


def _quoted(text: str) -> str:
    return quote(text, safe="", errors="surrogatepass")


def _unquoted(text: str) -> str:
    return unquote(text, errors="surrogatepass")
