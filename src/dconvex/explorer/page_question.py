"""A question as the page sends it, with variables and states as indices: names and labels need not survive JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from dconvex.explorer.request_data import RequestError, read_item, read_list, read_number, read_object, read_pairs, shortened
from dconvex.explorer.translation import Evidence, Translator
from dconvex.explorer.variants import Rows, Variant
from dconvex.names import Label, Name


@dataclass(frozen=True)
class PageQuestion:
    """Targets and evidence; `shown` are further variables whose marginals the page shows, `variant` what was changed before."""

    targets: tuple[Name, ...] = ()
    evidence: dict[Name, Evidence] = field(default_factory=dict)
    soft: dict[Name, dict[Label, float]] = field(default_factory=dict)
    shown: tuple[Name, ...] = ()
    variant: Variant = field(default_factory=Variant)
    kind: Literal["discrete", "gaussian"] = "discrete"


def read_question(names: Sequence[Name], translator: Translator, request: object) -> PageQuestion:
    """The question in `{"asked": [3], "evidence": [[5, [0]]], "soft": [[7, [0.7, 0.3]]], "do": [[2, 1]], "shown": [0, 1]}`.

    Each part is optional. Evidence is a list of indices of states, one of which was observed, or a number for a continuous
    variable; soft evidence has a number for each state; `do` has the index of a state or a number. `"tables": [[4, [[0, [0.2,
    0.8]]]]]` replaces row 0 of the table of variable 4.
    """
    parts = read_object(request, "a question")
    evidence, soft, settings, tables = (_by_name(names, parts, part) for part in ("evidence", "soft", "do", "tables"))
    variant = Variant(
        settings={name: translator.setting(name, value) for name, value in settings.items()},
        tables={name: _read_rows(name, value) for name, value in tables.items()},
    )
    return PageQuestion(
        targets=read_variables(names, parts.get("asked", []), "asked"),
        evidence={name: translator.evidence(name, value) for name, value in evidence.items()},
        soft={name: translator.soft(name, value) for name, value in soft.items()},
        shown=read_variables(names, parts.get("shown", []), "shown"),
        variant=variant,
        kind=translator.kind,
    )


def read_variables(names: Sequence[Name], indices: object, what: str) -> tuple[Name, ...]:
    """The variables with these indices, each once."""
    return tuple(dict.fromkeys(read_item(index, names, "variable") for index in read_list(indices, what)))


def _by_name(names: Sequence[Name], parts: dict[str, object], part: str) -> dict[Name, object]:
    return {read_item(index, names, "variable"): value for index, value in read_pairs(parts.get(part, []), part)}


def _read_rows(name: Name, value: object) -> Rows:
    rows: Rows = {}
    for row, numbers in read_pairs(value, f"the table of {name!r}"):
        if type(row) is not int or row < 0:
            raise RequestError(f"a row of the table of {name!r} must be a number from 0 on, not {shortened(row)}")
        what = f"each number in the table of {name!r}"
        rows[row] = tuple(read_number(number, what) for number in read_list(numbers, f"a row of the table of {name!r}"))
    return rows
