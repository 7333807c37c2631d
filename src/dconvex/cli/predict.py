"""`dconvex predict`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import typer
from rich.console import Console
from rich.text import Text

from dconvex.amounts import amount
from dconvex.cli.data import check_data_target, read_data, write_data
from dconvex.cli.sources import find_different_variables, find_model
from dconvex.cli.terminal import print_json, waiting
from dconvex.errors import DataError
from dconvex.inference.model import LocalModel
from dconvex.names import Name

if TYPE_CHECKING:
    import pandas as pd


MOST_LISTED = 20
"""At most this many columns are listed in an error."""


def predict_targets(
    source: str,
    data: Path,
    targets: Sequence[str],
    *,
    proba: bool = False,
    out: Path | None = None,
    impossible: Literal["raise", "nan"] = "raise",
    unknown: Literal["raise", "missing"] = "raise",
    max_bytes: int | None = None,
    as_json: bool = False,
) -> None:
    """Predict the targets for each row of a file and write them, as CSV or JSON."""
    if out is not None:
        check_data_target(out, data)
    model = find_model(source)
    if proba and model.kind == "gaussian":
        raise typer.BadParameter("a Gaussian network has no states with probabilities", param_hint="--proba")
    chosen = find_different_variables(model, targets)
    console = Console(stderr=True, soft_wrap=True)
    with waiting(f"reading {data}"):
        rows, others = read_data(data, model)
    _check_columns(console, data, rows, chosen, others)
    policy: dict[str, Any] = {"impossible": impossible, "unknown": unknown, "max_bytes": max_bytes}
    with waiting(f"predicting {amount(len(rows), 'row')}"):
        answer = _probabilities(model, rows, chosen, policy) if proba else _predictions(model, rows, chosen, policy)
    if as_json:
        print_json({"network": source, "kind": model.kind, "rows": len(answer), "columns": _cells(answer)})
        return
    write_data(answer, out)
    if out is not None:
        console.print(Text(f"wrote {out}: {amount(len(answer), 'row')}"))


def _check_columns(console: Console, path: Path, rows: pd.DataFrame, targets: Sequence[Name], others: Sequence[str]) -> None:
    """Report the columns that are ignored, so that a mistyped name is noticed."""
    if not set(rows.columns) - set(targets):
        there = ", ".join([*map(str, rows.columns), *others][:MOST_LISTED]) or "none"
        more = ", …" if len(rows.columns) + len(others) > MOST_LISTED else ""
        raise DataError(
            f"{path}: no column is a variable of the network, apart from targets; the header must have their names. "
            f"There are columns {there}{more}"
        )
    report_other_columns(console, others)


def report_other_columns(console: Console, others: Sequence[str]) -> None:
    """Print the columns that are ignored."""
    if others:
        shown = ", ".join(others[:8]) + (f", … ({len(others)} in all)" if len(others) > 8 else "")
        console.print(Text(f"columns that are not in the network are ignored: {shown}", style="dim"))


def _predictions(model: LocalModel, rows: pd.DataFrame, targets: Sequence[Name], policy: dict[str, Any]) -> pd.DataFrame:
    import pandas as pd

    answer: pd.DataFrame = model.predict(rows, targets, **policy)
    if model.kind == "gaussian":
        return answer
    own = {name: {label: label for label in model.states[name]} for name in targets}
    # pandas makes 1.0 of 1 where a cell of its column is missing
    return pd.DataFrame({name: [own[name].get(cell) for cell in answer[name].tolist()] for name in targets}, dtype=object)


def _probabilities(model: LocalModel, rows: pd.DataFrame, targets: Sequence[Name], policy: dict[str, Any]) -> pd.DataFrame:
    """A column for each state, `HR=LOW`."""
    import pandas as pd

    found = model.predict_proba(rows, targets, **policy)
    columns = {f"{name}={label}": found[name][:, index] for name in targets for index, label in enumerate(model.states[name])}
    return pd.DataFrame(columns)


def _cells(frame: pd.DataFrame) -> dict[Any, list[Any]]:
    """The cells by column; a missing one is None, since JSON has no NaN."""
    return frame.astype(object).where(frame.notna(), None).to_dict("list")
