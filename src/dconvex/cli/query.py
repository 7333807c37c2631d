"""`dconvex query`."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.text import Text

from dconvex.amounts import amount
from dconvex.cli.answer_view import (
    print_assignment,
    print_distribution,
    print_gaussian,
    print_marginals,
    print_means,
)
from dconvex.cli.drawing import check_picture, draw
from dconvex.cli.evidence import CommandEvidence, read_given, read_settings
from dconvex.cli.sources import find_different_variables, find_model
from dconvex.cli.terminal import print_json, waiting
from dconvex.display.labels import label
from dconvex.inference.distribution import Distribution, GaussianDistribution
from dconvex.inference.engine import Answer
from dconvex.inference.model import LocalModel
from dconvex.names import Name


@dataclass(frozen=True)
class QueryOptions:
    """How a question is answered and shown."""

    each: bool = False
    samples: int | None = None
    """The number of samples to estimate from; None: the exact answer."""
    seed: int | None = None
    max_bytes: int | None = None
    full: bool = False
    as_json: bool = False
    picture: Path | None = None
    """Draw the answer into this file."""
    settings: Sequence[str] = ()
    """What an intervention sets before the question is asked."""


PLAIN = QueryOptions()


def query_network(
    source: str, variables: Sequence[str], given: Sequence[str] = (), soft: Sequence[str] = (), options: QueryOptions = PLAIN
) -> None:
    """Ask for the joint distribution of the variables, or for that of each, and print it."""
    check_picture(options.picture)
    model, targets, evidence = read_question(source, variables, given, soft)
    if options.settings:
        evidence = replace(evidence, settings=read_settings(model, options.settings))
        model = model.do(evidence.settings)
    is_joint = bool(targets) and not options.each
    with asking(model):
        answers = [_joint(model, targets, evidence, options)] if is_joint else _each(model, targets, evidence, options)
    if options.as_json:
        record: dict[str, object] = {"network": source, "kind": model.kind}
        if evidence.settings:
            record["do"] = [{"variable": name, "state": value} for name, value in evidence.settings.items()]
        print_json({**record, "answers": [_record(answer) for answer in answers]})
    elif targets:
        for answer in answers:
            _print_answer(Console(), answer, evidence, full=options.full)
    else:
        _print_all(Console(), model, answers, evidence)
    if is_joint and options.samples is None and not options.as_json:
        kept = len(model.explain(targets, evidence.observed, soft=evidence.soft, max_bytes=options.max_bytes).kept)
        plan = "" if evidence.settings else "; dconvex explain shows the plan"
        Console().print(Text(f"from {kept:,} of {amount(len(model.tree), 'cluster')}{plan}", style="dim"))
    if is_joint:
        draw(answers[0], options.picture, for_programs=options.as_json)


def most_probable_states(
    source: str, variables: Sequence[str], given: Sequence[str] = (), soft: Sequence[str] = (), options: QueryOptions = PLAIN
) -> None:
    """Ask for the most probable joint state of the variables, or of all that are not observed, and print it."""
    model, targets, evidence = read_question(source, variables, given, soft)
    with asking(model):
        assignment, height = model.most_probable(
            targets or None, evidence.observed, soft=evidence.soft, max_bytes=options.max_bytes
        )
    measure = "log_probability" if model.kind == "discrete" else "log_density"
    if options.as_json:
        states = [{"variable": name, "state": state} for name, state in assignment.items()]
        print_json({"network": source, "kind": model.kind, "states": states, measure: height})
        return
    console = Console()
    console.print(Text(f"most probable given {evidence}" if evidence else "most probable", style="bold"))
    print_assignment(console, assignment)
    probability = f"probability {math.exp(height):.6g}, logarithm {height:.6g}"
    console.print(Text(probability if model.kind == "discrete" else f"logarithm of the density {height:.6g}", style="dim"))


def read_question(
    source: str, variables: Sequence[str], given: Sequence[str], soft: Sequence[str]
) -> tuple[LocalModel, list[Name], CommandEvidence]:
    """The model, the targets and what is known."""
    model = find_model(source)
    return model, find_different_variables(model, variables), read_given(model, given, soft)


def asking(model: LocalModel) -> AbstractContextManager[None]:
    """A moving sign while the answer is computed."""
    return waiting(f"asking {amount(len(model.tree), 'cluster')}")


def title(kind: str, variables: Iterable[Name], evidence: CommandEvidence) -> Text:
    """`P(HR, CO | BP = LOW)`."""
    names = list(variables)
    targets = ", ".join(map(label, names if len(names) <= 12 else names[:11])) + (", …" if len(names) > 12 else "")
    measure = "P" if kind == "discrete" else "p"
    return Text(f"{measure}({targets} | {evidence})" if evidence else f"{measure}({targets})", style="bold")


def _joint(model: LocalModel, targets: Sequence[Name], evidence: CommandEvidence, options: QueryOptions) -> Answer:
    if options.samples is None:
        return model.query(targets, evidence.observed, soft=evidence.soft, max_bytes=options.max_bytes)
    how: dict[str, Any] = {"method": "sampling", "samples": options.samples, "seed": options.seed}
    return model.query(targets, evidence.observed, soft=evidence.soft, max_bytes=options.max_bytes, **how)


def _each(model: LocalModel, targets: Sequence[Name], evidence: CommandEvidence, options: QueryOptions) -> list[Answer]:
    chosen = targets or model.dag.nodes
    if options.samples is not None:
        return [_joint(model, [name], evidence, options) for name in chosen]
    return list(model.marginals(evidence.observed, soft=evidence.soft, variables=chosen, max_bytes=options.max_bytes).values())


def _record(answer: Answer) -> dict[str, object]:
    if isinstance(answer, GaussianDistribution):
        return {"variables": answer.variables, "mean": answer.mean.tolist(), "covariance": answer.covariance.tolist()}
    record = {"variables": answer.variables, "states": answer.labels, "values": answer.values.tolist()}
    return record if answer.standard_errors is None else record | {"standard_errors": answer.standard_errors.tolist()}


def _print_answer(console: Console, answer: Answer, evidence: CommandEvidence, *, full: bool) -> None:
    if isinstance(answer, GaussianDistribution):
        console.print(title("gaussian", answer.variables, evidence))
        print_gaussian(console, answer)
    else:
        console.print(title("discrete", answer.variables, evidence))
        print_distribution(console, answer, full=full)


def _print_all(console: Console, model: LocalModel, answers: Sequence[Answer], evidence: CommandEvidence) -> None:
    """The marginals of all variables, a row for each."""
    console.print(title(model.kind, ["each variable"], evidence))
    if model.kind == "discrete":
        print_marginals(console, [answer for answer in answers if isinstance(answer, Distribution)])
    else:
        print_means(console, [answer for answer in answers if isinstance(answer, GaussianDistribution)])
