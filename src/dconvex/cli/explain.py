"""`dconvex explain`."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.text import Text

from dconvex.cli.drawing import check_picture, draw
from dconvex.cli.evidence import Given
from dconvex.cli.query import asking, read_question
from dconvex.display.labels import label
from dconvex.inference.query_plan import QueryPlan
from dconvex.names import Name, canonical

SHOWN = 40
"""So many of the clusters that answer are listed."""


def explain_question(
    source: str,
    variables: Sequence[str],
    given: Sequence[str] = (),
    soft: Sequence[str] = (),
    *,
    max_bytes: int | None = None,
    as_json: bool = False,
    picture: Path | None = None,
) -> None:
    """Print how a question will be answered, and by which clusters; and draw it, if that is asked for."""
    check_picture(picture)
    model, asked, known = read_question(source, variables, given, soft)
    with asking(model):
        plan = model.explain(asked, known.seen, soft=known.soft, max_bytes=max_bytes)
    if as_json:
        print(json.dumps({"network": source, **_record(plan)}))
    else:
        console = Console(soft_wrap=True)
        console.print(Text(str(plan)))
        print_clusters(console, plan, known)
    draw(plan, picture, for_programs=as_json)


def print_clusters(console: Console, plan: QueryPlan, known: Given) -> None:
    """The clusters that answer with their members: which of them are asked for, which are known, which do not matter."""
    console.print(Text.assemble(("\nthe clusters that answer: ", "bold"), ("A? asked, B! known, (C) barren", "dim")))
    wide = max((len(str(place)) for place in plan.kept[:SHOWN]), default=0)
    barren = set(plan.barren)
    for place in plan.kept[:SHOWN]:
        line = Text.assemble((f"  {place:>{wide}}  ", "bold cyan"))
        members = [_member(name, plan, known, barren) for name in canonical(plan.tree.clusters[place])]
        console.print(line.append_text(Text(", ").join(members)))
    if len(plan.kept) > SHOWN:
        console.print(Text(f"  … {len(plan.kept) - SHOWN:,} more", style="dim"))


def _member(name: Name, plan: QueryPlan, known: Given, barren: set[Name]) -> Text:
    if name in plan.variables:
        return Text(f"{label(name)}?", style="bold green")
    if name in known.seen or name in known.soft:
        return Text(f"{label(name)}!", style="bold yellow")
    return Text(f"({label(name)})", style="dim") if name in barren else Text(label(name))


def _record(plan: QueryPlan) -> dict[str, Any]:
    listed = ("variables", "evidence", "likelihoods", "requisite", "variables_kept", "barren", "order")
    single = ("network", "method", "derived", "peak_bytes", "multiplications")
    return {
        **{name: list(getattr(plan, name)) for name in listed},
        **{("on" if name == "network" else name): getattr(plan, name) for name in single},
        "clusters": [{"place": place, "members": canonical(plan.tree.clusters[place])} for place in plan.kept],
        "dropped": len(plan.dropped),
        "candidates": [dataclasses.asdict(candidate) for candidate in plan.candidates],
    }
