"""A question as the page sends it; variables and states come as places, so that every name and label survives the way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from dconvex.explorer.kinds import Kind
from dconvex.explorer.reading import read_list, read_object, read_pairs, read_place
from dconvex.names import Label, Name


@dataclass(frozen=True)
class Question:
    """What is asked for and what is known; `shown` are further variables whose marginals are wanted."""

    asked: tuple[Name, ...] = ()
    seen: dict[Name, Any] = field(default_factory=dict)
    soft: dict[Name, dict[Label, float]] = field(default_factory=dict)
    shown: tuple[Name, ...] = ()


def read_question(names: Sequence[Name], kind: Kind, request: Any) -> Question:
    """The question in `{"asked": [3], "evidence": [[5, [0]]], "soft": [[7, [0.7, 0.3]]], "shown": [0, 1]}`.

    Each part may be left out. Evidence is a list of places of states, of which one was seen, or a number for a continuous
    variable; a likelihood has a number for each state.
    """
    told = read_object(request, "a question")
    seen, soft = (
        {read_place(place, names, "variable"): value for place, value in read_pairs(told.get(part, []), part)}
        for part in ("evidence", "soft")
    )
    return Question(
        asked=read_variables(names, told.get("asked", []), "asked"),
        seen={name: kind.seen(name, value) for name, value in seen.items()},
        soft={name: kind.likelihood(name, value) for name, value in soft.items()},
        shown=read_variables(names, told.get("shown", []), "shown"),
    )


def read_variables(names: Sequence[Name], places: Any, what: str) -> tuple[Name, ...]:
    """The variables at these places, each once."""
    return tuple(dict.fromkeys(read_place(place, names, "variable") for place in read_list(places, what)))
