"""`make demo`: the main job on a built-in network, from loading to a file and back."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

from rich.console import Console

import dconvex as dc
from dconvex.cli.decompose import decompose_network
from dconvex.cli.explain import explain_question
from dconvex.cli.query import most_probable_states, query_network
from dconvex.cli.show import print_network


def main() -> None:
    """Load alarm, show it, decompose it, ask it, sample it, write it out and back."""
    console = Console(highlight=False)
    console.rule("alarm, a built-in network")
    alarm = dc.load_network("alarm")
    console.print(f"{alarm}; one of its families:", markup=False)
    print_network("alarm", ["HR"], as_json=False)

    console.rule("split into clusters that can be learned and asked on their own")
    decompose_network("alarm")

    console.rule("asked: each question is answered by the few clusters it touches")
    query_network("alarm", ["HR", "CO"], ["BP=LOW"])
    console.print()
    explain_question("alarm", ["HR", "CO"], ["BP=LOW"])
    console.print()
    query_network("alarm", ["LVFAILURE"], ["CVP=HIGH,NORMAL", "PCWP=HIGH"], ["HRBP=LOW:0.7,NORMAL:0.2"])
    console.print()
    explain_question("alarm", ["LVFAILURE"], ["CVP=HIGH,NORMAL", "PCWP=HIGH"], ["HRBP=LOW:0.7,NORMAL:0.2"])
    console.print()
    most_probable_states("alarm", ["HYPOVOLEMIA", "LVFAILURE", "ANAPHYLAXIS"], ["BP=LOW"])

    console.rule("sampled")
    start = time.perf_counter()
    rows = alarm.sample(100_000, seed=1)
    console.print(f"{len(rows):,} rows in {time.perf_counter() - start:.2f} s; the first of them:")
    console.print(rows[["HR", "CO", "BP", "HRBP", "CATECHOL"]].head().to_string())
    console.print(f"mean log-likelihood of a row: {alarm.log_likelihood(rows).mean():.3f}")

    console.rule("written and read again")
    with tempfile.TemporaryDirectory() as folder:
        for name in ("alarm.bif", "alarm.json.gz"):
            path = Path(folder) / name
            dc.write(alarm, path)
            console.print(f"{name}: {path.stat().st_size:,} bytes, equal when read back: {dc.read(path) == alarm}")


if __name__ == "__main__":
    main()
