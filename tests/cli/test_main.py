"""What holds for every command: exit codes, errors in one line, interruptions, closed pipes, terminals of any kind."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from rich.console import Console
from rich.table import Table

import dconvex as dc
from dconvex.cli import main, terminal
from dconvex.cli.complaints import problem_of
from dconvex.cli.terminal import make_printable, print_whole, waiting

UMLAUTS = dc.BayesianNetwork.discrete([], {"Größe": [0.5, 0.5]}, {"Größe": ["groß", "…"]})


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    """Files that a user may name by mistake."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder.bif").mkdir()
    (tmp_path / "broken.bif").write_text("hello")
    for name in ("binary.bif", "binary.csv", "binary.dcx"):
        (tmp_path / name).write_bytes(bytes(range(256)))
    (tmp_path / "rows.csv").write_text("smoke\nyes\n")
    (tmp_path / "strange.csv").write_text("smoke\nmaybe\n")
    dc.write(UMLAUTS, tmp_path / "umlauts.json")
    return tmp_path


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["show", "alram"], "unknown network 'alram'; did you mean 'alarm'?"),
        (["show", "folder.bif"], "folder.bif: Is a directory"),
        (["show", "."], ".: Is a directory"),
        (["show", "broken.bif"], "broken.bif:1:1: expected"),
        (["show", "binary.bif"], "binary.bif:2: the text is not UTF-8"),
        (["query", "binary.dcx"], "binary.dcx: this is not a dconvex model file"),
        (["query", "missing.dcx"], "missing.dcx: No such file or directory"),
        (["query", "alarm", "HR", "--given", "BP=HGIH"], "unknown state 'HGIH' of 'BP'; did you mean 'HIGH'?"),
        (["convert", "asia", "no/asia.bif"], "no: there is no such folder to write to"),
        (["convert", "asia", "folder.bif"], "folder.bif: this is a folder; name the file to write"),
        (["predict", "asia", "binary.csv", "--target", "lung"], "binary.csv: the text is not UTF-8"),
        (["predict", "asia", "rows.csv", "--target", "lung", "--out", "rows.csv"], "rows.csv holds the rows; write"),
        (["predict", "asia", "rows.csv", "--target", "lung", "--out", "./../x/rows.csv"], "../x: there is no such folder"),
        (["fit", "asia", "rows.csv", "-o", "no/model.dcx"], "no: there is no such folder to write to"),
        (["fit", "asia", "rows.csv", "-o", "model.txt"], "model.txt: a model file ends in .dcx"),
        (["fit", "asia", "rows.csv", "-o", "model.svg"], "model.svg: a model file ends in .dcx, not in '.svg'"),
        (["show", ""], "unknown network ''"),
        (["fit", "asia", "binary.csv", "-o", "model.dcx"], ""),
    ],
)
def test_what_cannot_be_done_is_one_line_and_1(dconvex, folder, words, said):
    before = sorted(folder.iterdir())
    ended = dconvex(*words)
    assert ended.code == 1
    assert ended.stdout == ""
    assert re.fullmatch(r"error: [^\n]+\n", ended.stderr)
    assert ended.stderr.startswith(f"error: {said}")
    assert sorted(folder.iterdir()) == before


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["shw"], "no such command 'shw'. Did you mean 'show'? See dconvex --help"),
        (["show"], "missing argument 'NETWORK'. See dconvex show --help"),
        (["show", "alarm", "--jsn"], "no such option: --jsn"),
        (["decompose", "alarm", "--separators", "few"], "invalid value for '--separators': 'few' is not one of 'minimal'"),
        (["query", "alarm", "HR", "--given", "BP"], "invalid value for --given: 'BP' is not of the form VARIABLE=STATE"),
        (["fit", "asia", "rows.csv", "-o", "model.dcx", "--jobs", "0"], "invalid value for --jobs: the number of threads"),
        (["predict", "asia", "rows.csv", "--target", "lung", "--json", "--out", "a.csv"], "invalid value: --json prints"),
    ],
)
def test_arguments_that_cannot_be_are_one_line_and_2(dconvex, folder, words, said):
    ended = dconvex(*words)
    assert ended.code == 2
    assert ended.stdout == ""
    assert re.fullmatch(r"error: [^\n]+ See dconvex[a-z ]* --help\n", ended.stderr)
    assert ended.stderr.startswith(f"error: {said}")


@pytest.mark.parametrize("words", [["--debug", "show", "alram"], ["show", "alram", "--debug"], ["show", "--debug"]])
def test_with_debug_the_error_is_raised(monkeypatch, words):
    monkeypatch.setattr(sys, "argv", ["dconvex", *words])
    with pytest.raises(Exception, match=r"alram|network"):
        main()


def test_advice_is_given_in_terms_of_options(dconvex, folder):
    assert "pass --unknown missing" in dconvex("fit", "asia", "strange.csv", "-o", "m.dcx").stderr
    assert "pass --kind discrete" in dconvex("fit", "asia", "rows.csv", "-o", "m.dcx", "--kind", "gaussian").stderr
    dc.write(dc.BayesianNetwork.discrete([], {'a"b': [1.0]}, {'a"b': ["x"]}), folder / "quote.json")
    assert "--rename writes 'a_b'" in dconvex("convert", "quote.json", "quote.bif").stderr


def test_what_was_not_foreseen_is_one_line_too():
    assert problem_of(ValueError("two\n  lines")).startswith("ValueError: two lines (an unexpected error; --debug")
    assert problem_of(ImportError("pip install 'dconvex[plot]'")) == "pip install 'dconvex[plot]'"
    assert problem_of(MemoryError("Unable to allocate 745. GiB")) == "out of memory: Unable to allocate 745. GiB"
    assert problem_of(OSError(28, "No space left on device")) == "No space left on device"


def test_ctrl_c_is_quiet(dconvex, monkeypatch):
    def interrupted(**options):
        raise KeyboardInterrupt

    monkeypatch.setattr("dconvex.cli.networks.print_networks", interrupted)
    ended = dconvex("networks")
    assert (ended.code, ended.stdout, ended.stderr) == (130, "", "")


@pytest.mark.parametrize("words", [["networks"], ["networks", "--json"], ["show", "alarm", "--json"]])
def test_whoever_reads_the_output_may_stop(words):
    reading, writing = os.pipe()
    os.close(reading)
    run = [sys.executable, "-m", "dconvex", *words]
    result = subprocess.run(run, stdout=writing, stderr=subprocess.PIPE, text=True, check=False)
    os.close(writing)
    assert (result.returncode, result.stderr) == (1, "")


def loaded_by(*commands: list[str]) -> set[str]:
    """The packages that a process has loaded after these commands."""
    code = f"""
import contextlib, io, sys
from dconvex.cli import main
for words in {commands!r}:
    sys.argv = ["dconvex", *words]
    with contextlib.suppress(SystemExit), contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        main()
print(*{{name.partition(".")[0] for name in sys.modules}})
"""
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert result.stderr == ""
    return set(result.stdout.split())


SERVING = {"starlette", "uvicorn", "asyncio"}
TABLES = {"pandas", "narwhals", "pyarrow", "networkx", "matplotlib", "dask", "sklearn"}


def test_what_needs_no_network_loads_no_numpy():
    assert loaded_by(["--help"], ["query", "--help"], ["--version"], ["networks"]).isdisjoint(
        {"numpy", "numba", "scipy", *TABLES, *SERVING}
    )


def test_what_needs_no_numbers_loads_none_of_the_heavy_packages():
    loaded = loaded_by(["show", "asia"], ["convert", "alram", "a.bif"])
    assert loaded.isdisjoint({"numba", "scipy", *TABLES, *SERVING})


def test_a_question_needs_no_tables_of_data():
    loaded = loaded_by(["query", "asia", "lung"], ["explain", "asia", "lung"], ["decompose", "asia"])
    assert loaded.isdisjoint({"numba", "scipy", *TABLES, *SERVING})


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_a_full_disk_is_reported():
    with Path("/dev/full").open("w") as full:
        run = [sys.executable, "-m", "dconvex", "networks", "--json"]
        result = subprocess.run(run, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert (result.returncode, result.stderr) == (1, "error: No space left on device\n")


def test_version_and_exit_codes(dconvex):
    assert dconvex("--version").stdout == f"{dc.__version__}\n"
    shown = " ".join(dconvex("--help").stdout.split())
    assert "Exit codes: 0 when all went well, 1 when" in shown
    assert all(name in shown for name in ("networks", "show", "convert", "decompose", "fit", "query", "explain", "predict"))


def test_without_a_command_it_greets_with_three_things_to_try(dconvex):
    greeting = dconvex().stdout
    tried = [line.split()[1] for line in greeting.splitlines() if line.startswith("  dconvex ")]
    assert tried == ["query", "learn", "explore"]
    assert "dconvex --help" in greeting
    assert max(map(len, greeting.splitlines())) <= 100


def test_colour_only_on_a_terminal(dconvex, monkeypatch):
    assert "\x1b" not in dconvex("query", "asia", "lung").stdout
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    assert "\x1b[36m" in dconvex("query", "asia", "lung").stdout
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[36m" not in dconvex("query", "asia", "lung").stdout


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252", "utf-8"])
@pytest.mark.parametrize(
    "words", [["query", "umlauts.json"], ["decompose", "pigs"], ["show", "munin1"], ["query", "--help"], ["networks", "--json"]]
)
def test_any_encoding_will_do(folder, monkeypatch, encoding, words):
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding=encoding))
    monkeypatch.setattr(sys, "argv", ["dconvex", *words])
    with pytest.raises(SystemExit) as ended:
        main()
    assert not ended.value.code
    assert raw.getvalue().decode(encoding)


def test_what_an_encoding_lacks_is_spelled_out():
    stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    make_printable(stream)
    print("P(a | …) → ± ü ✓ \udcff", file=stream)
    stream.seek(0)
    assert stream.read() == "P(a | ...) -> +- \\xfc \\u2713 \\udcff\n"


def test_predictions_are_utf8_in_any_locale(folder, monkeypatch):
    (folder / "big.csv").write_text("x\n1\n")
    network = dc.BayesianNetwork.discrete([("x", "Größe")], {"x": [1.0], "Größe": [[1.0]]}, {"x": [1], "Größe": ["groß"]})
    dc.write(network, folder / "big.json")
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding="ascii"))
    monkeypatch.setattr(sys, "argv", ["dconvex", "predict", "big.json", "big.csv", "--target", "Größe"])
    with pytest.raises(SystemExit):
        main()
    assert raw.getvalue().decode("utf-8") == "Größe\ngroß\n"


@pytest.mark.parametrize("width", [20, 40, 60, 80, 120, 300])
def test_names_and_numbers_are_whole_on_every_terminal(dconvex, monkeypatch, width):
    monkeypatch.setenv("COLUMNS", str(width))
    model = dc.localize(dc.load_network("alarm"))
    rows = dconvex("query", "alarm").stdout.splitlines()[3:]
    for answer, row in zip(model.marginals().values(), rows, strict=True):
        best = answer.labels[0][int(answer.values.argmax())]
        assert row.split()[:3] == [answer.variables[0], best, f"{answer.values.max():.6f}"]
    assert width < 50 or max(map(len, rows)) <= width
    names = {line.split()[1] for line in dconvex("networks").stdout.splitlines() if line.startswith("│")}
    assert names == set(dc.network_names())
    family = dconvex("show", "alarm", "HR").stdout
    assert all(word in family for word in ("CATECHOL", "NORMAL", "HIGH", "0.05", "0.09"))


def test_a_table_is_printed_whole():
    table = Table("one", "two")
    table.add_row("x" * 30, "y" * 30)
    console = Console(width=20, file=io.StringIO())
    print_whole(console, table)
    assert "x" * 30 in console.file.getvalue()
    assert console.width == 20


def test_a_sign_of_life_only_when_it_takes_long(capsys, monkeypatch):
    with waiting("asking [b]"):
        pass
    assert capsys.readouterr().err == ""
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setattr(terminal, "PATIENCE", 3600.0)
    with waiting("asking [b]"):
        pass
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(terminal, "PATIENCE", 0.0)
    with waiting("asking [b]"):
        for timer in [thread for thread in threading.enumerate() if isinstance(thread, threading.Timer)]:
            timer.join()
    assert "asking [b]" in capsys.readouterr().err


def test_a_model_file_stands_for_its_network(dconvex, folder):
    dc.localize(dc.load_network("asia")).save("asia.dcx")
    assert "8 variables" in dconvex("show", "asia.dcx").stdout
    assert json.loads(dconvex("decompose", "asia.dcx", "--json").stdout)["variables"] == 8
    assert dconvex("convert", "asia.dcx", "asia.bif").code == 0
    assert dc.read("asia.bif") == dc.load_network("asia")


def test_convert_as_json_tells_what_was_renamed(dconvex, folder):
    network = dc.BayesianNetwork.discrete([], {'a"b': [0.5, 0.5]}, {'a"b': ["x", 'y"z']})
    dc.write(network, "quote.json")
    record = json.loads(dconvex("convert", "quote.json", "quote.bif", "--rename", "--json").stdout)
    assert record["file"] == "quote.bif"
    assert {"variable": 'a"b', "to": "a_b"} in record["renamed"]
    assert {"variable": 'a"b', "state": 'y"z', "to": "y_z"} in record["renamed"]


@pytest.mark.parametrize(
    "words",
    [
        ["show", "asia"],
        ["decompose", "asia"],
        ["query", "asia", "lung", "smoke"],
        ["query", "ecoli70", "lacA", "b1191"],
        ["explain", "asia", "lung", "--given", "smoke=yes"],
    ],
)
@pytest.mark.parametrize(("name", "start"), [("picture.svg", b"<?xml"), ("picture.html", b"<!DOCTYPE html>")])
def test_pictures(dconvex, folder, words, name, start):
    plain, drawn, record = dconvex(*words), dconvex(*words, "--plot", name), dconvex(*words, "--plot", name, "--json")
    assert f"wrote {name}" in drawn.stdout
    assert set(map(without_times, plain.stdout.splitlines())) <= set(map(without_times, drawn.stdout.splitlines()))
    assert (folder / name).read_bytes().startswith(start)
    assert record.stderr == f"wrote {name}\n"
    assert json.loads(record.stdout)


def without_times(line: str) -> str:
    return re.sub(r"[0-9.]+ ms", "", line)


@pytest.mark.parametrize("words", [[], ["lung", "--each"], ["lung", "--most-probable"]])
def test_a_picture_is_of_one_distribution(dconvex, words):
    assert "--plot draws one distribution" in dconvex("query", "asia", *words, "--plot", "a.svg").stderr


def test_an_empty_network_can_be_asked(dconvex, folder):
    (folder / "empty.bif").write_text("network nothing {\n}\n")
    for command in ("show", "decompose", "query"):
        assert dconvex(command, "empty.bif").code == 0
