"""`make demo`: the whole story on a built-in network: decompose, learn, save, reopen, ask, and what was touched for it."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

from rich.console import Console
from rich.table import Table

import dconvex as dc
from dconvex.amounts import readable_bytes
from dconvex.cli.decompose import decompose_network
from dconvex.cli.explain import explain_question
from dconvex.cli.query import most_probable_states, query_network
from dconvex.cli.show import print_network

ROWS = 200_000


def main() -> None:
    """Take alarm apart, learn each cluster from its own columns, and ask the model from its file."""
    console = Console(highlight=False)
    console.rule("alarm, a built-in network")
    alarm = dc.load_network("alarm")
    console.print(f"{alarm}; one of its families:", markup=False)
    print_network("alarm", ["HR"], as_json=False)

    console.rule("split into clusters that can be learned and queried on their own")
    decompose_network("alarm")

    console.rule("learned from rows, each cluster from its own columns")
    rows = alarm.sample(ROWS, seed=1)
    console.print(f"{len(rows):,} rows were drawn from the network; the first of them:")
    console.print(rows[["HR", "CO", "BP", "HRBP", "CATECHOL"]].head(3).to_string())
    start = time.perf_counter()
    model = dc.fit(alarm, rows, prior=dc.BDeu(10))
    console.print(f"{model}, learned in {time.perf_counter() - start:.3f} s", markup=False)
    console.print(str(model.report()), markup=False)

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "alarm.dcx"
        _save_and_ask(console, alarm, model, path)
    console.rule("queried without data: the network as it was given")
    query_network("alarm", ["LVFAILURE"], ["CVP=HIGH,NORMAL", "PCWP=HIGH"], ["HRBP=LOW:0.7,NORMAL:0.2"])
    console.print()
    most_probable_states("alarm", ["HYPOVOLEMIA", "LVFAILURE", "ANAPHYLAXIS"], ["BP=LOW"])


def _save_and_ask(console: Console, alarm: dc.BayesianNetwork, model: dc.LocalModel, path: Path) -> None:
    console.rule("saved, opened again, and queried: each question is answered by the few clusters it touches")
    model.save(path)
    opened = dc.open_model(path)
    console.print(f"{path.name}: {readable_bytes(path.stat().st_size)}; of its tables nothing has been read yet")
    query_network(str(path), ["HR", "CO"], ["BP=LOW"])
    console.print()
    explain_question(str(path), ["HR", "CO"], ["BP=LOW"])
    console.print()
    truth = dc.localize(alarm)
    table = Table("question", "clusters", "read from the file", "learned", "true")
    questions: list[tuple[str, dict[str | int, str]]] = [
        ("HR", {"BP": "LOW"}), ("CATECHOL", {"BP": "LOW"}), ("KINKEDTUBE", {"PRESS": "HIGH"}),
    ]  # fmt: skip
    for name, evidence in questions:
        before = opened.bytes_read
        answers = [model.query(name, evidence).to_series() for model in (opened, truth)]
        read = readable_bytes(opened.bytes_read - before)
        kept = f"{len(opened.explain(name, evidence).kept)} of {len(opened.tree)}"
        said = ", ".join(f"{known} = {state}" for known, state in evidence.items())
        table.add_row(f"P({name} = {answers[0].index[0]} | {said})", kept, read, *(f"{own.iloc[0]:.4f}" for own in answers))
    console.print(table)


if __name__ == "__main__":
    main()
