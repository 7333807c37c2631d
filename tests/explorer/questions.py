"""Questions in terms of names, as the page would send them: by place."""

from __future__ import annotations

from functools import cache
from typing import Any

import dconvex as dc
from dconvex.explorer.explorer import Explorer


@cache
def exploring(source: str) -> Explorer:
    return Explorer(dc.localize(dc.load_network(source)), source, f"dc.localize(dc.load_network({source!r}))")


def request(
    model: dc.LocalModel,
    asked: tuple[Any, ...] = (),
    seen: dict[Any, Any] | None = None,
    soft: dict[Any, dict[Any, float]] | None = None,
    shown: tuple[Any, ...] = (),
) -> dict[str, Any]:
    """Evidence is a label, a set of labels or a float."""

    def value(name: Any, seen: Any) -> Any:
        if model.kind == "gaussian":
            return seen
        labels = seen if isinstance(seen, set) else {seen}
        return sorted(model.states[name].index(label) for label in labels)

    place = model.dag.index_of
    return {
        "asked": [place(name) for name in asked],
        "evidence": [[place(name), value(name, state)] for name, state in (seen or {}).items()],
        "soft": [[place(name), [own.get(label, 0) for label in model.states[name]]] for name, own in (soft or {}).items()],
        "shown": [place(name) for name in shown],
    }
