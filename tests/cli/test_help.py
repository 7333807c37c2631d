"""The examples in the help: every one of them runs, on files that are called as they say."""

from __future__ import annotations

import re
import shlex

import pytest

import dconvex as dc
from dconvex.cli.app import app
from dconvex.formats.registry import FORMATS

COMMANDS = {command.callback.__name__: command for command in app.registered_commands}
NOT_RUN = {"explore"}
"""It goes on until it is interrupted."""


def examples(command: str) -> list[str]:
    return re.findall(r"- `(dconvex [^`]+)`", COMMANDS[command].epilog or "")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    alarm = dc.load_network("alarm")
    rows = alarm.sample(300, seed=1)
    for name in ("my.bif", "a.bif", "structure.bif", "structure.json"):
        dc.write(alarm, name)
    for name in ("one.csv", "two.csv", "rows.csv"):
        rows.to_csv(name, index=False)
    (tmp_path / "rows").mkdir()
    for name in ("data.parquet", "rows.parquet", "rows/part.parquet"):
        rows.to_parquet(name)
    dc.localize(alarm).save("model.dcx")
    dc.write(alarm, "alarm.uai", rename=True)
    (tmp_path / "edges.txt").write_text("age -> ill\n")
    (tmp_path / "patients.csv").write_text("age,ill\n" + "".join(f"{k / 2},{'yes' if k > 60 else 'no'}\n" for k in range(90)))
    (tmp_path / "alarm.uai.evid").write_text("1 0 1\n")


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_with_examples(dconvex, command):
    assert examples(command)
    shown = dconvex(command, "--help").stdout
    assert all(words.split()[1] == command for words in examples(command))
    assert "Examples:" in shown


@pytest.mark.parametrize("command", sorted(COMMANDS.keys() - NOT_RUN))
def test_the_examples_run(dconvex, folder, command):
    for example in examples(command):
        _, *words = shlex.split(example.partition("|")[0])
        ended = dconvex(*words)
        assert ended.code == 0, (example, ended.stderr)


def test_the_help_names_every_format(dconvex):
    shown = dconvex("convert", "--help").stdout
    assert all(form.suffixes[0] in shown for form in FORMATS if form.render)


@pytest.mark.parametrize("command", sorted(COMMANDS.keys() - {"explore"}))
def test_whatever_prints_results_prints_json_too(dconvex, command):
    assert "--json" in dconvex(command, "--help").stdout
