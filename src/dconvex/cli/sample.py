"""`dconvex sample`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.text import Text

from dconvex.amounts import amount
from dconvex.cli.data import check_data_target, write_data
from dconvex.cli.evidence import read_given
from dconvex.cli.sources import find_model
from dconvex.cli.terminal import print_json, waiting


def sample_rows(
    source: str,
    rows: int,
    given: Sequence[str] = (),
    soft: Sequence[str] = (),
    *,
    seed: int | None = None,
    out: Path | None = None,
    max_bytes: int | None = None,
    as_json: bool = False,
) -> None:
    """Draw rows given what is known and write them, as CSV or JSON."""
    if out is not None:
        check_data_target(out)
    model = find_model(source)
    evidence = read_given(model, given, soft)
    with waiting(f"drawing {amount(rows, 'row')}"):
        drawn = model.sample(rows, evidence.observed, soft=evidence.soft, seed=seed, max_bytes=max_bytes)
    if as_json:
        columns = {str(name): drawn[name].tolist() for name in drawn.columns}
        print_json({"network": source, "kind": model.kind, "rows": rows, "columns": columns})
        return
    write_data(drawn, out)
    if out is not None:
        Console(stderr=True, soft_wrap=True).print(Text(f"wrote {out}: {amount(rows, 'row')}"))
