"""The commands as a user types them, in a process of their own where exit codes and streams matter."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from typer.testing import CliRunner

import dconvex as dc
from dconvex.cli.app import app


def output(*words: str) -> str:
    result = CliRunner().invoke(app, words, catch_exceptions=False)
    assert result.exit_code == 0
    return result.stdout


def test_networks_lists_all():
    text = output("networks")
    assert all(name in text for name in dc.network_names())
    assert "80,592" in text


def test_networks_as_json():
    records = json.loads(output("networks", "--json"))
    assert [record["name"] for record in records] == list(dc.network_names())
    assert records[0].keys() >= {"kind", "variables", "edges", "parameters", "source", "reference", "licence"}


def test_show_a_discrete_network():
    text = output("show", "asia")
    for word in ("8 variables", "8 edges", "either", "lung, tub", "2: yes, no", "Lauritzen"):
        assert word in text


def test_show_families():
    text = output("show", "asia", "either", "tub")
    assert "P(either | lung, tub)" in text
    assert "P(tub | asia)" in text
    assert "0.05" in text


def test_show_a_gaussian_network():
    assert "N" not in output("show", "ecoli70", "aceB").replace("aceB", "").split(":")[0]
    assert "0.1324 + 1.0464 icdA, variance 0.0853" in output("show", "ecoli70", "aceB")


@pytest.mark.parametrize("name", ["asia", "ecoli70"])
def test_show_as_json_holds_the_numbers(name):
    network = dc.load_network(name)
    shown = json.loads(output("show", name, "--json"))
    assert [record["name"] for record in shown["variables"]] == list(network.dag.nodes)
    last = shown["variables"][-1]
    assert last["parents"] == list(network.dag.parents(last["name"]))


def test_convert_there_and_back(tmp_path):
    bif, gz = str(tmp_path / "a.bif"), str(tmp_path / "b.json.gz")
    assert "wrote" in output("convert", "asia", bif)
    output("convert", bif, gz)
    assert dc.read(gz) == dc.load_network("asia")


def test_convert_tells_what_it_renamed(tmp_path):
    source, target = str(tmp_path / "a.json"), str(tmp_path / "b.bif")
    dc.write(dc.BayesianNetwork.discrete([], {'a"b': [1.0]}, {'a"b': ["x"]}), source)
    assert "renamed variable 'a\"b' to 'a_b'" in output("convert", source, target, "--rename")
    assert dc.read(target).dag.nodes == ("a_b",)


def test_help_and_version():
    assert "dconvex show alarm HR CO" in output("show", "--help")
    assert output("--version").strip() == dc.__version__
    assert "networks" in output()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["show", "alram"], "error: unknown network 'alram'; did you mean 'alarm'?"),
        (["show", "asia", "lang"], "error: unknown variable 'lang'; did you mean 'lung'?"),
        (["show", "nowhere.bif"], "error: nowhere.bif: No such file or directory"),
        (["convert", "asia", "asia.xyz"], "error: asia.xyz: unknown suffix '.xyz'"),
        (["convert", "ecoli70", "e.bif"], "error: BIF cannot hold a gaussian network"),
    ],
)
def test_errors_are_one_line_on_stderr(dconvex, words, said):
    ended = dconvex(*words)
    assert (ended.code, ended.stdout) == (1, "")
    assert ended.stderr.startswith(said)
    assert ended.stderr.count("\n") == 1


def test_a_broken_file_is_told_with_its_place(dconvex, tmp_path):
    path = tmp_path / "broken.bif"
    path.write_text("variable x {\n  type discrete [ 2 ] { a };\n}\n")
    assert f"{path}:2:23: expected 2 states, found 1" in dconvex("show", path).stderr


def test_the_demo_runs():
    result = subprocess.run([sys.executable, "-m", "dconvex.demo"], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    assert "21 clusters of up to 9 among 37 variables" in result.stdout
    assert "├── 5  BP, CO, HR  [CATECHOL, TPR]" in result.stdout
    assert "P(HR, CO | BP = LOW)" in result.stdout
    assert result.stdout.count("the clusters that answer") == 1
    assert "learned from 200,000 rows, 50 families" in result.stdout
    assert "read from the file" in result.stdout
