"""Questions in terms of names, as the page would send them: by index."""

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
    targets: tuple[Any, ...] = (),
    evidence: dict[Any, Any] | None = None,
    soft: dict[Any, dict[Any, float]] | None = None,
    shown: tuple[Any, ...] = (),
) -> dict[str, Any]:
    """Evidence is a label, a set of labels or a float."""

    def value(name: Any, observed: Any) -> Any:
        if model.kind == "gaussian":
            return observed
        labels = observed if isinstance(observed, set) else {observed}
        return sorted(model.states[name].index(label) for label in labels)

    index = model.dag.index_of
    return {
        "asked": [index(name) for name in targets],
        "evidence": [[index(name), value(name, state)] for name, state in (evidence or {}).items()],
        "soft": [[index(name), [own.get(label, 0) for label in model.states[name]]] for name, own in (soft or {}).items()],
        "shown": [index(name) for name in shown],
    }
