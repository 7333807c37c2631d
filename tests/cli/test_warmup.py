"""`dconvex warmup`: afterwards no question has to wait for a kernel."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from dconvex.cli.app import app

LATER = """
import sys

import numpy as np

import dconvex as dc
from dconvex.cli.warmup import warm_up

def compiled():
    modules = [module for name, module in sys.modules.items() if name.startswith("dconvex.kernels.")]
    found = {(module.__name__, name): value for module in modules for name, value in vars(module).items()}
    return {place: len(value.signatures) for place, value in found.items() if hasattr(value, "signatures")}

warm_up()
before = compiled()
for network in (dc.load_network("child"), dc.load_network("magic-niab")):
    dag = network.dag
    for mode in ("minimal", "any", "complete"):
        tree = dc.decompose(dag, separators=mode)
        assert not dc.check_tree(dag, tree, irreducible=True)
    first, second, third, *_ = dag.nodes
    dc.d_separated(dag, first, second, given=third)
    dc.markov_boundary(dag, first), dc.is_d_convex(dag, [first, second, third]), dc.convex_hull(dag, [first, second, third])
    model, rows = dc.localize(network), network.sample(50, seed=1)
    seen = {third: rows[third].tolist()[0]}
    soft = {second: np.linspace(1e-200, 1e-100, len(network.states[second]))} if network.states else None
    for evidence, likelihoods in ((None, None), (seen, None), (seen, soft)):
        model.explain([first, second], evidence, soft=likelihoods)
        model.query([first, second], evidence, soft=likelihoods)
        model.query([first, second], evidence, soft=likelihoods, method="sampling", samples=1_000, seed=1)
        model.marginals(evidence, soft=likelihoods), model.log_evidence(evidence, soft=likelihoods)
        model.most_probable(None, evidence, soft=likelihoods), model.most_probable([first], evidence, soft=likelihoods)
        model.sample(20, evidence, soft=likelihoods, seed=1)
    model.predict(rows, [first, second]), model.predict(rows[[third]], first)
later = compiled()
print([place for place in later if later[place] > before.get(place, 0)])
print(len(before))
"""


def test_afterwards_nothing_is_compiled():
    result = subprocess.run([sys.executable, "-c", LATER], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    *_, new, count = result.stdout.splitlines()
    assert new == "[]"
    assert int(count) > 20


def test_it_tells_how_long_it_took_and_where_they_are_kept():
    record = json.loads(CliRunner().invoke(app, ["warmup", "--json"], catch_exceptions=False).stdout)
    assert list(Path(record["folder"]).rglob("*.nbi"))
    assert record["seconds"] == pytest.approx(sum(record["steps"].values()), abs=1)
    text = CliRunner().invoke(app, ["warmup"], catch_exceptions=False).stdout
    assert text.startswith("all kernels are ready after ")
    assert text.endswith(f"they are kept in {record['folder']}\n")


def test_where_nothing_can_be_written_it_says_so(monkeypatch):
    compiling = pytest.importorskip("dconvex.kernels.compiling")
    monkeypatch.setattr(compiling, "cache_folder", lambda: None)
    text = CliRunner().invoke(app, ["warmup"], catch_exceptions=False).stdout
    assert "nothing can be written, so each process compiles them anew" in text


def test_help_has_an_example():
    assert "dconvex warmup" in CliRunner().invoke(app, ["warmup", "--help"]).stdout
