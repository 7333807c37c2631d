"""`dconvex advise`: what to observe next, what each finding did, how sure the answer is, and what setting a variable does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import islice
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
from dconvex.graph.adjustment import each_adjustment_set
from dconvex.graph.dag import Dag
from dconvex.inference.decision_plan import DecisionPlan
from dconvex.inference.effect import Effect
from dconvex.inference.influences import Influences
from dconvex.inference.informative import MostInformative
from dconvex.inference.model import LocalModel
from dconvex.inference.sensitivity import Sensitivity
from dconvex.names import Label, Name

if TYPE_CHECKING:
    import pandas as pd

Subject: TypeAlias = Literal["influences", "next", "sensitivity", "effect"]
Advice: TypeAlias = Influences | MostInformative | Sensitivity | Effect
SETS = 5
"""The most sets to adjust for that are printed."""


@dataclass(frozen=True)
class AdviceOptions:
    """What is wanted, and how it is printed."""

    state: str | None = None
    candidates: Sequence[str] = ()
    costs: Sequence[str] = ()
    threshold: float | None = None
    treatment: str | None = None
    only: str | None = None
    """One of the parts."""
    rows: int = 10
    max_bytes: int | None = None
    explain: bool = False
    """What each part would run, and its cost, in place of the part."""
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
        if options.explain:
            _print_plans(source, name, _plans(model, name, evidence, options), as_json=options.as_json)
            return
        found = _advice(model, name, evidence, options)
    if options.as_json:
        parts: dict[str, object] = {key: _record(own) for key, own in found.items()}
        print_json({"network": source, "kind": model.kind, "target": name, **parts})
    else:
        texts = [own.text(options.rows) for own in found.values()]
        if isinstance(effect := found.get("effect"), Effect):
            texts[-1] += f"\n{_adjustment(model.dag, effect)}"
        Console(soft_wrap=True).print(Text("\n\n".join(texts)))
    if options.picture is not None:
        draw(next(iter(found.values())), options.picture, for_programs=options.as_json)


def _subjects(model: LocalModel, evidence: CommandEvidence, options: AdviceOptions) -> list[Subject]:
    """The parts that are wanted and make sense: influences need findings, sensitivity needs states, an effect a treatment."""
    makes_sense: dict[Subject, bool] = {
        "influences": bool(evidence),
        "next": True,
        "sensitivity": model.kind == "discrete",
        "effect": options.treatment is not None,
    }
    return [part for part, is_fine in makes_sense.items() if (is_fine if options.only is None else part == options.only)]


def _advice(model: LocalModel, target: Name, evidence: CommandEvidence, options: AdviceOptions) -> dict[Subject, Advice]:
    """The answers."""
    observed, soft, limit = evidence.observed, evidence.soft, options.max_bytes
    state = None if options.state is None else _state(model, target, options.state)
    found: dict[Subject, Advice] = {}
    for part in _subjects(model, evidence, options):
        match part:
            case "influences":
                found[part] = model.influences(target, observed, state=state, soft=soft, max_bytes=limit)
            case "next":
                candidates, costs = _candidates(model, options), read_costs(model, options.costs) or None
                found[part] = model.most_informative(target, observed, candidates, costs, soft=soft, max_bytes=limit)
            case "sensitivity":
                if state is None:
                    state = model.most_probable([target], observed, soft=soft, max_bytes=limit)[0][target]
                bound = options.threshold
                found[part] = model.sensitivity(target, state, observed, threshold=bound, soft=soft, max_bytes=limit)
            case "effect":
                found[part] = model.effect(_treatment(model, options), target, observed, soft=soft, max_bytes=limit)
    return found


def _plans(model: LocalModel, target: Name, evidence: CommandEvidence, options: AdviceOptions) -> dict[Subject, DecisionPlan]:
    """What the answers would take."""
    observed, soft, limit = evidence.observed, evidence.soft, options.max_bytes
    plans: dict[Subject, DecisionPlan] = {}
    for part in _subjects(model, evidence, options):
        match part:
            case "influences":
                plans[part] = model.influences(target, observed, soft=soft, max_bytes=limit, explain=True)
            case "next":
                candidates = _candidates(model, options)
                plans[part] = model.most_informative(target, observed, candidates, soft=soft, max_bytes=limit, explain=True)
            case "sensitivity":
                state = model.states[target][0]  # each costs the same
                plans[part] = model.sensitivity(target, state, observed, soft=soft, max_bytes=limit, explain=True)
            case "effect":
                treatment = _treatment(model, options)
                plans[part] = model.effect(treatment, target, observed, soft=soft, max_bytes=limit, explain=True)
    return plans


def _print_plans(source: str, target: Name, plans: dict[Subject, DecisionPlan], *, as_json: bool) -> None:
    if not as_json:
        Console(soft_wrap=True).print(Text("\n\n".join(map(str, plans.values()))))
        return
    records: dict[str, object] = {
        part: {
            "question": plan.question,
            "steps": [asdict(step) for step in plan.steps],
            "held_bytes": plan.held_bytes,
            "multiplications": plan.multiplications,
            "peak_bytes": plan.peak_bytes,
        }
        for part, plan in plans.items()
    }
    print_json({"network": source, "target": target, **records})


def _candidates(model: LocalModel, options: AdviceOptions) -> list[Name] | None:
    return find_different_variables(model, options.candidates) or None


def _treatment(model: LocalModel, options: AdviceOptions) -> Name:
    assert options.treatment is not None
    (name,) = find_different_variables(model, [options.treatment])
    return name


def _adjustment(dag: Dag, effect: Effect) -> str:
    """Which variables to adjust for where only data on what was seen is there."""
    treatment, outcome = dag.index_of(effect.treatment), dag.index_of(effect.outcome)
    sets = list(islice(each_adjustment_set(dag, treatment, outcome), SETS + 1))
    if not sets:
        return "no set of variables to adjust for is right"
    shown = "; ".join(f"{{{', '.join(str(dag.nodes[v]) for v in own)}}}" for own in sets[:SETS])
    return f"adjust for: {shown}{'; …' if len(sets) > SETS else ''}" if any(sets) else "nothing has to be adjusted for"


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
    if isinstance(found, Effect):
        return record | {"slope": found.slope, "seeing_slope": found.seeing_slope, "after": list(found.after)}
    numbers = {"now": found.number(found.answer), "before": found.number(found.before), "conflict": found.conflict}
    return record | {"state": found.state, **numbers, "disagreeing": list(found.disagreeing)}


def _cells(frame: pd.DataFrame) -> list[dict[str, object]]:
    plain = frame.astype(object).replace([float("inf"), float("-inf")], None)
    return [{str(key): value for key, value in row.items()} for row in plain.where(plain.notna(), None).to_dict("records")]
