"""`dconvex evaluate`."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from rich.console import Console
from rich.text import Text

from dconvex.amounts import amount
from dconvex.cli.data import read_data
from dconvex.cli.drawing import check_picture, draw
from dconvex.cli.predict import report_other_columns
from dconvex.cli.sources import find_different_variables, find_model
from dconvex.cli.terminal import print_json, waiting
from dconvex.inference.discrete_evaluation import Evaluation
from dconvex.inference.gaussian_evaluation import GaussianEvaluation
from dconvex.intervals import Interval
from dconvex.names import Label


@dataclass(frozen=True, slots=True)
class EvaluationOptions:
    """How `dconvex evaluate` judges and what it shows."""

    weights: str | None = None
    bins: int = 10
    impossible: Literal["raise", "nan"] = "raise"
    unknown: Literal["raise", "missing"] = "raise"
    max_bytes: int | None = None
    as_json: bool = False
    picture: Path | None = None


def evaluate_target(source: str, data: Path, target: str, options: EvaluationOptions) -> None:
    """Print how well the target is predicted for the rows of a file."""
    check_picture(options.picture)
    model = find_model(source)
    (chosen,) = find_different_variables(model, [target])
    console = Console(stderr=True, soft_wrap=True)
    with waiting(f"reading {data}"):
        rows, others = read_data(data, model, numbers=() if options.weights is None else (options.weights,))
    report_other_columns(console, others)
    with waiting(f"predicting {amount(len(rows), 'row')}"):
        found = model.evaluate(
            rows,
            chosen,
            weights=options.weights,
            bins=options.bins,
            impossible=options.impossible,
            unknown=options.unknown,
            max_bytes=options.max_bytes,
        )
    if options.as_json:
        print_json({"network": source, **_record(found)})
    else:
        Console(soft_wrap=True).print(Text(str(found)))
    draw(found, options.picture, for_programs=options.as_json)


def _record(found: Evaluation | GaussianEvaluation) -> dict[str, object]:
    """All that was found, for a program: what is not a finite number is null."""
    common: dict[str, object] = {
        "target": found.target,
        "rows": found.rows,
        "weight": found.weight,
        "left_out": {"missing": found.left_out.missing, "impossible": found.left_out.impossible},
        **{name: _finite(value) for name, value in found.scores.items()},
    }
    if isinstance(found, GaussianEvaluation):
        return {"kind": "gaussian", **common, "coverage": _lines(found)}
    return {
        "kind": "discrete",
        **common,
        "states": list(found.states),
        "confusion": found.confusion.values.tolist(),
        "calibration": _lines(found.calibration),
        "by_state": _lines(found),
    }


def _lines(rows: Iterable[tuple[Label | float, ...]]) -> list[dict[str, Label | float | None]]:
    """Named tuples as records."""
    return [{name: _finite(value) for name, value in zip(getattr(row, "_fields", ()), row, strict=True)} for row in rows]


def _finite(value: Label | float) -> Label | float | None:
    return value if isinstance(value, str | Interval) or math.isfinite(value) else None
