"""`dconvex query`."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
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
from dconvex.cli.evidence import Given, read_given
from dconvex.cli.sources import find_different_variables, find_model
from dconvex.cli.terminal import waiting
from dconvex.display.labels import label
from dconvex.inference.distribution import Distribution, GaussianDistribution
from dconvex.inference.engine import Answer
from dconvex.inference.model import LocalModel
from dconvex.names import Name


@dataclass(frozen=True)
class Options:
    """How a question is answered and shown."""

    each: bool = False
    samples: int | None = None
    """Estimate from so many samples."""
    seed: int | None = None
    max_bytes: int | None = None
    full: bool = False
    as_json: bool = False
    picture: Path | None = None
    """Draw the answer into this file."""


PLAIN = Options()


def query_network(
    source: str, variables: Sequence[str], given: Sequence[str] = (), soft: Sequence[str] = (), options: Options = PLAIN
) -> None:
    """Ask for the joint distribution of the variables, or for that of each, and print it."""
    check_picture(options.picture)
    model, asked, known = read_question(source, variables, given, soft)
    is_joint = bool(asked) and not options.each
    with asking(model):
        answers = [_joint(model, asked, known, options)] if is_joint else _each(model, asked, known, options)
    if options.as_json:
        print(json.dumps({"network": source, "kind": model.kind, "answers": [_record(answer) for answer in answers]}))
    elif asked:
        for answer in answers:
            _print_answer(Console(), answer, known, full=options.full)
    else:
        _print_all(Console(), model, answers, known)
    if is_joint and options.samples is None and not options.as_json:
        kept = len(model.explain(asked, known.seen, soft=known.soft, max_bytes=options.max_bytes).kept)
        said = f"from {kept:,} of {amount(len(model.tree), 'cluster')}; dconvex explain shows the plan"
        Console().print(Text(said, style="dim"))
    if is_joint:
        draw(answers[0], options.picture, for_programs=options.as_json)


def most_probable_states(
    source: str, variables: Sequence[str], given: Sequence[str] = (), soft: Sequence[str] = (), options: Options = PLAIN
) -> None:
    """Ask for the most probable joint state of the variables, or of all that are not observed, and print it."""
    model, asked, known = read_question(source, variables, given, soft)
    with asking(model):
        assignment, height = model.most_probable(asked or None, known.seen, soft=known.soft, max_bytes=options.max_bytes)
    measure = "log_probability" if model.kind == "discrete" else "log_density"
    if options.as_json:
        states = [{"variable": name, "state": state} for name, state in assignment.items()]
        print(json.dumps({"network": source, "kind": model.kind, "states": states, measure: height}))
        return
    console = Console()
    console.print(Text(f"most probable given {known}" if known else "most probable", style="bold"))
    print_assignment(console, assignment)
    probability = f"probability {math.exp(height):.6g}, logarithm {height:.6g}"
    console.print(Text(probability if model.kind == "discrete" else f"logarithm of the density {height:.6g}", style="dim"))


def read_question(
    source: str, variables: Sequence[str], given: Sequence[str], soft: Sequence[str]
) -> tuple[LocalModel, list[Name], Given]:
    """The model, the variables that are meant and what is known."""
    model = find_model(source)
    return model, find_different_variables(model, variables), read_given(model, given, soft)


def asking(model: LocalModel) -> AbstractContextManager[None]:
    """Something that moves while the answer is on its way."""
    return waiting(f"asking {amount(len(model.tree), 'cluster')}")


def title(kind: str, variables: Iterable[Name], known: Given) -> Text:
    """`P(HR, CO | BP = LOW)`."""
    names = list(variables)
    asked = ", ".join(map(label, names if len(names) <= 12 else names[:11])) + (", …" if len(names) > 12 else "")
    measure = "P" if kind == "discrete" else "p"
    return Text(f"{measure}({asked} | {known})" if known else f"{measure}({asked})", style="bold")


def _joint(model: LocalModel, asked: Sequence[Name], known: Given, options: Options) -> Answer:
    if options.samples is None:
        return model.query(asked, known.seen, soft=known.soft, max_bytes=options.max_bytes)
    how: dict[str, Any] = {"method": "sampling", "samples": options.samples, "seed": options.seed}
    return model.query(asked, known.seen, soft=known.soft, max_bytes=options.max_bytes, **how)


def _each(model: LocalModel, asked: Sequence[Name], known: Given, options: Options) -> list[Answer]:
    chosen = asked or model.dag.nodes
    if options.samples is not None:
        return [_joint(model, [name], known, options) for name in chosen]
    return list(model.marginals(known.seen, soft=known.soft, variables=chosen, max_bytes=options.max_bytes).values())


def _record(answer: Answer) -> dict[str, Any]:
    if isinstance(answer, GaussianDistribution):
        return {"variables": answer.variables, "mean": answer.mean.tolist(), "covariance": answer.covariance.tolist()}
    record = {"variables": answer.variables, "states": answer.labels, "values": answer.values.tolist()}
    return record if answer.standard_errors is None else record | {"standard_errors": answer.standard_errors.tolist()}


def _print_answer(console: Console, answer: Answer, known: Given, *, full: bool) -> None:
    if isinstance(answer, GaussianDistribution):
        console.print(title("gaussian", answer.variables, known))
        print_gaussian(console, answer)
    else:
        console.print(title("discrete", answer.variables, known))
        print_distribution(console, answer, full=full)


def _print_all(console: Console, model: LocalModel, answers: Sequence[Answer], known: Given) -> None:
    """The marginals of all variables, a row for each."""
    console.print(title(model.kind, ["each variable"], known))
    if model.kind == "discrete":
        print_marginals(console, [answer for answer in answers if isinstance(answer, Distribution)])
    else:
        print_means(console, [answer for answer in answers if isinstance(answer, GaussianDistribution)])
