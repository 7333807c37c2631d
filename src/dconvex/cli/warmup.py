"""`dconvex warmup`."""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.text import Text

from dconvex.cli.terminal import waiting
from dconvex.graph.checking import check_tree
from dconvex.graph.convexity import convex_hull, inducing_path
from dconvex.graph.decomposition import decompose
from dconvex.graph.separation import d_separated, markov_boundary
from dconvex.graph.tree import MODES
from dconvex.inference.model import LocalModel, localize
from dconvex.kernels import load
from dconvex.learning.fitting import fit
from dconvex.learning.opening import open_model
from dconvex.names import Name
from dconvex.repository import load_network

DISCRETE, GAUSSIAN = "alarm", "ecoli70"
"""Built-in networks that are asked every kind of question once."""


def warm_up(*, as_json: bool = False) -> None:
    """Have every kernel compiled, or taken from the cache, and tell how long it took and where they are kept."""
    start = time.perf_counter()
    took: dict[str, float] = {}
    for name, step in STEPS.items():
        begun = time.perf_counter()
        with waiting(f"compiling kernels: {name}"):
            step()
        took[name] = time.perf_counter() - begun
    seconds, folder = time.perf_counter() - start, load("compiling").cache_folder()
    if as_json:
        print(json.dumps({"seconds": seconds, "steps": took, "folder": folder and str(folder)}))
        return
    steps = ", ".join(f"{name} {part:.1f} s" for name, part in took.items())
    where = f"they are kept in {folder}" if folder else "nothing can be written, so each process compiles them anew"
    Console(soft_wrap=True).print(Text(f"all kernels are ready after {seconds:.1f} s ({steps}); {where}"))


def _graphs() -> None:
    dag = load_network(DISCRETE).dag
    d_separated(dag, "HR", "CVP", given="BP")
    markov_boundary(dag, "HR")
    inducing_path(dag, ["HYPOVOLEMIA", "CVP", "PCWP"])
    convex_hull(dag, ["HYPOVOLEMIA", "CVP", "PCWP"])


def _decomposition() -> None:
    dag = load_network(DISCRETE).dag
    trees = [decompose(dag, separators=mode) for mode in MODES]
    trees[0].pruned_to(["HR", "BP"])
    check_tree(dag, trees[0], irreducible=True)


def _questions() -> None:
    """Tables derived from other clusters, states and likelihoods as evidence, and numbers too small to multiply."""
    model = localize(load_network(DISCRETE))
    _ask(model, {"BP": "LOW", "CVP": ("LOW", "HIGH")}, {"HRBP": {"LOW": 1e-200, "HIGH": 1e-300}}, "HR", "CO")
    _ask(model, {"BP": "LOW"}, {}, "HR", "CO")


def _gaussian_questions() -> None:
    _ask(localize(load_network(GAUSSIAN)), {"aceB": 1.5}, {}, "lacA", "b1191")


def _ask(model: LocalModel, evidence: Mapping[Name, Any], soft: Mapping[Name, Any], *variables: str) -> None:
    model.explain(variables, evidence, soft=soft)
    model.query(variables, evidence, soft=soft)
    model.query(variables, evidence, soft=soft, method="sampling", samples=1_000, seed=1)
    model.marginals(evidence, soft=soft)
    model.most_probable(None, evidence, soft=soft)
    model.most_probable(variables, evidence, soft=soft)
    model.log_evidence(evidence, soft=soft)
    rows = model.sample(10, evidence, soft=soft, seed=1)
    model.predict(rows, variables[0])


def _learning() -> None:
    """Columns of every kind, and answers of clusters that were learned on their own, from a file."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.dcx"
        questions: list[tuple[str, dict[Name, Any], str]] = [(DISCRETE, {"BP": "LOW"}, "HR"), (GAUSSIAN, {"aceB": 1.5}, "lacA")]
        for name, evidence, asked in questions:
            network = load_network(name)
            rows = network.sample(1_000, seed=1)
            fit(network, rows.astype(object) if network.kind == "discrete" else rows).save(path)
            open_model(path).query(asked, evidence)


STEPS: dict[str, Callable[[], None]] = {
    "graphs": _graphs,
    "decomposition": _decomposition,
    "questions": _questions,
    "Gaussian questions": _gaussian_questions,
    "learning": _learning,
}
