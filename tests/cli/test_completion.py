"""What shells offer on Tab."""

from __future__ import annotations

import pytest

import dconvex as dc


@pytest.fixture
def offered(dconvex, monkeypatch):
    """What fish, which passes words as they are typed, gets for the last of them."""

    def complete(line: str) -> list[str]:
        monkeypatch.setenv("_DCONVEX_COMPLETE", "complete_fish")
        monkeypatch.setenv("_TYPER_COMPLETE_FISH_ACTION", "get-args")
        monkeypatch.setenv("_TYPER_COMPLETE_ARGS", line)
        ended = dconvex()
        assert (ended.code, ended.stderr) == (0, "")
        return [row.split("\t")[0] for row in ended.stdout.split("\n") if row]

    return complete


@pytest.fixture
def offered_by_bash(dconvex, monkeypatch):
    """Bash cuts words at `=`."""

    def complete(*words: str) -> list[str]:
        monkeypatch.setenv("_DCONVEX_COMPLETE", "complete_bash")
        monkeypatch.setenv("COMP_WORDS", "\n".join(["dconvex", *words]))
        monkeypatch.setenv("COMP_CWORD", str(len(words)))
        return dconvex().stdout.split()

    return complete


def test_commands_and_options(offered):
    assert offered("dconvex net") == ["networks"]
    assert "--max-bytes" in offered("dconvex query alarm --max")
    assert offered("dconvex decompose alarm --separators m") == ["minimal"]


def test_built_in_networks(offered):
    assert offered("dconvex show mun") == ["munin", "munin1", "munin2", "munin3", "munin4"]
    assert offered("dconvex query ") == list(dc.network_names())
    assert offered("dconvex show ./my") == []


def test_variables_that_are_not_named_yet(offered, tmp_path):
    assert offered("dconvex query asia ") == list(dc.load_network("asia").dag.nodes)
    assert offered("dconvex show asia lung l") == []
    assert offered("dconvex predict asia rows.csv --target sm") == ["smoke"]
    dc.localize(dc.load_network("asia")).save(tmp_path / "asia.dcx")
    assert offered(f"dconvex explain {tmp_path / 'asia.dcx'} x") == ["xray"]


def test_evidence(offered):
    assert offered("dconvex query asia lung --given sm") == ["smoke="]
    assert offered("dconvex query asia --given smoke=yes --given tub=") == ["tub=yes", "tub=no"]
    assert offered("dconvex query alarm HR --soft BP=N") == ["BP=NORMAL"]
    assert offered("dconvex query ecoli70 --given aceB=") == []


@pytest.mark.parametrize("line", ["query nowhere.bif x", "query --given s", "query asia --given nobody=", "query alram x"])
def test_where_nothing_can_be_offered_nothing_is_said(offered, line):
    assert offered(f"dconvex {line}") == []


def test_evidence_in_bash(offered_by_bash):
    assert offered_by_bash("query", "asia", "lung", "--given", "sm") == ["smoke="]
    assert offered_by_bash("query", "asia", "lung", "--given", "smoke", "=") == ["yes", "no"]
    assert offered_by_bash("query", "asia", "lung", "--given", "smoke", "=", "n") == ["no"]
    assert offered_by_bash("query", "asia", "--given", "smoke", "=", "no", "tu") == ["tub"]
