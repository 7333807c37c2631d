"""`dconvex advise`: what to observe next, what each finding did, and how sure the answer is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

import typer
from rich.console import Console
from rich.text import Text

from dconvex.cli.drawing import check_picture, draw
from dconvex.cli.evidence import CommandEvidence, labels_by_spelling, read_costs
from dconvex.cli.query import asking, read_question
from dconvex.cli.sources import find_different_variables
from dconvex.cli.terminal import print_json
from dconvex.errors import UnknownStateError
from dconvex.inference.influences import Influences
from dconvex.inference.informative import MostInformative
from dconvex.inference.model import LocalModel
from dconvex.inference.sensitivity import Sensitivity
from dconvex.names import Label, Name

if TYPE_CHECKING:
    import pandas as pd

Subject: TypeAlias = Literal["influences", "next", "sensitivity"]
Advice: TypeAlias = Influences | MostInformative | Sensitivity


@dataclass(frozen=True)
class AdviceOptions:
    """What is wanted, and how it is printed."""

    state: str | None = None
    candidates: Sequence[str] = ()
    costs: Sequence[str] = ()
    threshold: float | None = None
    only: str | None = None
    """One of the three parts."""
    rows: int = 10
    max_bytes: int | None = None
    as_json: bool = False
    picture: Path | None = None


PLAIN = AdviceOptions()


def advise(
    source: str, target: str, given: Sequence[str] = (), soft: Sequence[str] = (), options: AdviceOptions = PLAIN
) -> None:
    """Print the advice about one target; draw it too where a picture is given."""
    check_picture(options.picture)
    model, (name,), evidence = read_question(source, [target], given, soft)
    if model.kind == "gaussian" and (options.state or options.threshold or options.only == "sensitivity"):
        raise typer.BadParameter("sensitivity, --state and --threshold are about states, and a Gaussian network has none")
    with asking(model):
        found = _advice(model, name, evidence, options)
    if options.as_json:
        parts: dict[str, object] = {key: _record(own) for key, own in found.items()}
        print_json({"network": source, "kind": model.kind, "target": name, **parts})
    else:
        console = Console(soft_wrap=True)
        console.print(Text("\n\n".join(own.text(options.rows) for own in found.values())))
    if options.picture is not None:
        draw(next(iter(found.values())), options.picture, for_programs=options.as_json)


def _advice(model: LocalModel, target: Name, evidence: CommandEvidence, options: AdviceOptions) -> dict[Subject, Advice]:
    """Each part that is wanted and makes sense: influences need findings, sensitivity needs states."""
    observed, soft, limit = evidence.observed, evidence.soft, options.max_bytes
    state = None if options.state is None else _state(model, target, options.state)
    found: dict[Subject, Advice] = {}
    if options.only == "influences" or (options.only is None and evidence):
        found["influences"] = model.influences(target, observed, state=state, soft=soft, max_bytes=limit)
    if options.only in (None, "next"):
        candidates = find_different_variables(model, options.candidates) or None
        costs = read_costs(model, options.costs) or None
        found["next"] = model.most_informative(target, observed, candidates, costs, soft=soft, max_bytes=limit)
    if options.only == "sensitivity" or (options.only is None and model.kind == "discrete"):
        if state is None:
            state = model.most_probable([target], observed, soft=soft, max_bytes=limit)[0][target]
        found["sensitivity"] = model.sensitivity(
            target, state, observed, threshold=options.threshold, soft=soft, max_bytes=limit
        )
    return found


def _state(model: LocalModel, target: Name, spelled: str) -> Label:
    known = labels_by_spelling(model.states[target])
    if spelled not in known:
        raise UnknownStateError(target, spelled, model.states[target])
    return known[spelled]


def _record(found: Advice) -> dict[str, object]:
    """All rows as plain data; a number that is none or infinite is None, since JSON has no such numbers."""
    frame = found.to_frame()
    record: dict[str, object] = {"title": found.title, "rows": _cells(frame)}
    if isinstance(found, MostInformative):
        return record | {"uncertainty": found.uncertainty}
    if isinstance(found, Sensitivity):
        return record | {"state": found.state, "probability": found.probability, "decision": found.decision}
    numbers = {"now": found.number(found.answer), "before": found.number(found.before), "conflict": found.conflict}
    return record | {"state": found.state, **numbers, "disagreeing": list(found.disagreeing)}


def _cells(frame: pd.DataFrame) -> list[dict[str, object]]:
    plain = frame.astype(object).replace([float("inf"), float("-inf")], None)
    return [{str(key): value for key, value in row.items()} for row in plain.where(plain.notna(), None).to_dict("records")]
