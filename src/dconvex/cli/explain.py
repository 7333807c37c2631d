"""`dconvex explain`."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.text import Text

from dconvex.cli.drawing import check_picture, draw
from dconvex.cli.evidence import CommandEvidence
from dconvex.cli.query import asking, read_question
from dconvex.cli.terminal import print_json
from dconvex.display.labels import label
from dconvex.inference.query_plan import QueryPlan
from dconvex.names import Name, canonical

SHOWN = 40
"""At most this many of the clusters that answer are listed."""


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
    """Print how a question will be answered, and by which clusters; draw the plan too where a picture is given."""
    check_picture(picture)
    model, targets, evidence = read_question(source, variables, given, soft)
    with asking(model):
        plan = model.explain(targets, evidence.observed, soft=evidence.soft, max_bytes=max_bytes)
    if as_json:
        print_json({"network": source, **_record(plan)})
    else:
        console = Console(soft_wrap=True)
        console.print(Text(str(plan)))
        print_clusters(console, plan, evidence)
    draw(plan, picture, for_programs=as_json)


def print_clusters(console: Console, plan: QueryPlan, evidence: CommandEvidence) -> None:
    """The clusters that answer with their members: which of them are targets, which are evidence, which do not matter."""
    console.print(Text.assemble(("\nthe clusters that answer: ", "bold"), ("A? target, B! evidence, (C) barren", "dim")))
    wide = max((len(str(index)) for index in plan.kept[:SHOWN]), default=0)
    barren = set(plan.barren)
    for index in plan.kept[:SHOWN]:
        line = Text.assemble((f"  {index:>{wide}}  ", "bold cyan"))
        members = [_member(name, plan, evidence, barren) for name in canonical(plan.tree.clusters[index])]
        console.print(line.append_text(Text(", ").join(members)))
    if len(plan.kept) > SHOWN:
        console.print(Text(f"  … {len(plan.kept) - SHOWN:,} more", style="dim"))


def _member(name: Name, plan: QueryPlan, evidence: CommandEvidence, barren: set[Name]) -> Text:
    if name in plan.variables:
        return Text(f"{label(name)}?", style="bold green")
    if name in evidence.observed or name in evidence.soft:
        return Text(f"{label(name)}!", style="bold yellow")
    return Text(f"({label(name)})", style="dim") if name in barren else Text(label(name))


def _record(plan: QueryPlan) -> dict[str, object]:
    listed = ("variables", "evidence", "likelihoods", "requisite", "variables_kept", "barren", "order")
    single = ("network", "method", "derived", "peak_bytes", "multiplications")
    return {
        **{name: list(getattr(plan, name)) for name in listed},
        **{("on" if name == "network" else name): getattr(plan, name) for name in single},
        "clusters": [{"place": index, "members": canonical(plan.tree.clusters[index])} for index in plan.kept],
        "dropped": len(plan.dropped),
        "candidates": [dataclasses.asdict(candidate) for candidate in plan.candidates],
    }
