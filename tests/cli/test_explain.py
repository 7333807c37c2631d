"""`dconvex explain`: the plan, and the clusters that answer."""

from __future__ import annotations

import json
import re

import pytest
from rich.console import Console
from typer.testing import CliRunner

import dconvex as dc
from dconvex.cli.app import app
from dconvex.cli.evidence import read_given
from dconvex.cli.explain import SHOWN, print_clusters

QUESTION = ["alarm", "HR", "CO", "--given", "BP=LOW", "--given", "PAP=LOW", "--soft", "CVP=LOW:0.5,HIGH:1"]


def output(*words: str) -> str:
    result = CliRunner().invoke(app, ["explain", *words], catch_exceptions=False, env={"COLUMNS": "160"})
    assert result.exit_code == 0, result.output
    return result.stdout


@pytest.fixture(scope="module")
def plan() -> dc.QueryPlan:
    model = dc.localize(dc.load_network("alarm"))
    return model.explain(["HR", "CO"], {"BP": "LOW", "PAP": "LOW"}, soft={"CVP": {"LOW": 0.5, "HIGH": 1.0}})


def test_the_plan_and_the_clusters_that_answer(plan):
    text = output(*QUESTION)
    assert text.startswith(f"{plan}\n")
    rows = re.findall(r"^ +(\d+)  (.+)$", text.partition("the clusters that answer")[2], re.MULTILINE)
    assert [int(index) for index, _ in rows] == list(plan.kept)
    for index, members in rows:
        assert re.sub(r"[?!()]", "", members).split(", ") == sorted(plan.tree.clusters[int(index)])


def test_members_are_marked(plan):
    listed = output(*QUESTION).partition("the clusters that answer")[2].partition("\n")[2]
    words = set(re.findall(r"[^\s,]+", re.sub(r"^ +\d+  ", "", listed, flags=re.MULTILINE)))
    members = set().union(*(plan.tree.clusters[index] for index in plan.kept))
    assert {word[:-1] for word in words if word.endswith("?")} == {"HR", "CO"}
    assert {word[:-1] for word in words if word.endswith("!")} == {"BP", "PAP", "CVP"} & members
    assert {word[1:-1] for word in words if word.startswith("(")} == set(plan.barren) - {"HR", "CO", "BP", "PAP", "CVP"}


def test_many_clusters_are_listed_in_part():
    chain = dc.random_network([(node, node + 1) for node in range(3 * SHOWN)], seed=1)
    plan = dc.localize(chain).explain([0, 3 * SHOWN])
    console = Console(width=100, color_system=None)
    with console.capture() as capture:
        print_clusters(console, plan, read_given(chain, [], []))
    assert len(plan.kept) > SHOWN
    assert f"  … {len(plan.kept) - SHOWN} more" in capture.get().splitlines()


def test_a_variable_that_was_seen_may_be_asked_for():
    assert "lung?" in output("asia", "lung", "--given", "lung=yes")


def test_as_json(plan):
    record = json.loads(output(*QUESTION, "--json"))
    assert record["network"] == "alarm"
    assert (record["on"], record["method"]) == (plan.network, plan.method)
    assert [cluster["place"] for cluster in record["clusters"]] == list(plan.kept)
    assert record["clusters"][0]["members"] == sorted(plan.tree.clusters[plan.kept[0]])
    assert record["dropped"] == len(plan.tree) - len(plan.kept)
    for name in ("variables", "evidence", "likelihoods", "requisite", "variables_kept", "barren", "order"):
        assert record[name] == list(getattr(plan, name))
    for name in ("derived", "peak_bytes", "multiplications"):
        assert record[name] == getattr(plan, name)
    assert record["candidates"]


def test_a_gaussian_network():
    record = json.loads(output("ecoli70", "lacA", "--given", "aceB=1.5", "--json"))
    plan = dc.localize(dc.load_network("ecoli70")).explain("lacA", {"aceB": 1.5})
    assert [cluster["place"] for cluster in record["clusters"]] == list(plan.kept)
    assert record["evidence"] == ["aceB"]


def test_help_has_examples():
    assert "dconvex explain alarm HR CO --given BP=LOW" in re.sub(r"\s+", " ", output("--help"))


def test_a_question_needs_variables():
    assert CliRunner().invoke(app, ["explain", "alarm"]).exit_code == 2


def test_what_is_too_large_is_refused():
    with pytest.raises(dc.DconvexError, match="the limit is 10 bytes"):
        CliRunner().invoke(app, ["explain", *QUESTION, "--max-bytes", "10"], catch_exceptions=False)
