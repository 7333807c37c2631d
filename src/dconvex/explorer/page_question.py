"""A question as the page sends it, with variables and states as indices: names and labels need not survive JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from dconvex.explorer.request_data import read_item, read_list, read_object, read_pairs
from dconvex.explorer.translation import Evidence, Translator
from dconvex.names import Label, Name


@dataclass(frozen=True)
class PageQuestion:
    """Targets and evidence; `shown` are further variables whose marginals the page shows."""

    targets: tuple[Name, ...] = ()
    evidence: dict[Name, Evidence] = field(default_factory=dict)
    soft: dict[Name, dict[Label, float]] = field(default_factory=dict)
    shown: tuple[Name, ...] = ()


def read_question(names: Sequence[Name], translator: Translator, request: object) -> PageQuestion:
    """The question in `{"asked": [3], "evidence": [[5, [0]]], "soft": [[7, [0.7, 0.3]]], "shown": [0, 1]}`.

    Each part is optional. Evidence is a list of indices of states, one of which was observed, or a number for a continuous
    variable; soft evidence has a number for each state.
    """
    parts = read_object(request, "a question")
    evidence, soft = (
        {read_item(index, names, "variable"): value for index, value in read_pairs(parts.get(part, []), part)}
        for part in ("evidence", "soft")
    )
    return PageQuestion(
        targets=read_variables(names, parts.get("asked", []), "asked"),
        evidence={name: translator.evidence(name, value) for name, value in evidence.items()},
        soft={name: translator.soft(name, value) for name, value in soft.items()},
        shown=read_variables(names, parts.get("shown", []), "shown"),
    )


def read_variables(names: Sequence[Name], indices: object, what: str) -> tuple[Name, ...]:
    """The variables with these indices, each once."""
    return tuple(dict.fromkeys(read_item(index, names, "variable") for index in read_list(indices, what)))
