"""One page of all results; a quick run leaves those of full ones alone."""

import json
import tempfile

import pytest

import benchmarks.__main__ as command
from benchmarks import harness
from benchmarks.summary import write_summary


def race(case, **ratios):
    return {"case": case, "timings": [{"contender": name, "median": 0.5, "ratio": ratio} for name, ratio in ratios.items()]}


def contest(case, **ratios):
    rows = [{"contender": name, "median": 0.5, "worst": 1.0, "ratios": found, "notes": []} for name, found in ratios.items()]
    return {"case": case, "rows": rows}


def written(folder, *, quick=False, **measured):
    facts = {"cpu": "a fast one", "cores": 2, "python": "3.11"}
    for name, found in measured.items():
        record = {"benchmark": name, "quick": quick, "machine": facts, **found}
        (folder / f"{name}.json").write_text(json.dumps(record), encoding="utf-8")
    write_summary(["reading", "queries", "storing", "absent"], folder, folder / "page.md")
    return (folder / "page.md").read_text(encoding="utf-8")


def test_all_peers_stand_in_one_table(tmp_path):
    races = [race("small", dconvex=1, pgmpy=3.0, pyAgrum=0.5), race("large", dconvex=1, pgmpy=5000.0, pyAgrum=None)]
    contests = [contest("|Q| = 2", **{"dconvex": [], "dconvex, asked again": [], "pgmpy": [2.0, 8.0, 1.0]})]
    page = written(tmp_path, reading={"cases": races}, queries={"cases": contests})
    overview = [line for line in page.split("## reading")[0].splitlines() if line.startswith("| ")][2:]
    assert overview == [
        "| reading | pgmpy | 2 | 3× (small) | 2,502× | 5,000× |",
        "| reading | pyAgrum | 1 | 0.5× (small) | 0.5× | 0.5× |",
        r"| queries | pgmpy | 1 | 2× (\|Q\| = 2) | 2× | 2× |",
    ]


def test_a_section_tells_what_was_measured_on_what(tmp_path):
    page = written(tmp_path, quick=True, storing={"sizes": [{"nodes": 10, "saved": 0.12345, "apart": {}}]})
    section = page.split("## storing (quick)")[1]
    assert "How long a model takes to be saved" in section
    assert "a fast one, 2 cores; python 3.11." in section
    assert "| nodes | saved |\n| --- | --- |\n| 10 | 0.123 |" in section


def test_a_picture_is_shown_where_there_is_one(tmp_path):
    (tmp_path / "queries.png").touch()
    page = written(tmp_path, reading={"cases": [race("small", dconvex=1)]}, queries={"cases": [contest("small", dconvex=[])]})
    assert "![" not in page.split("## reading")[1].split("## queries")[0]
    assert "![queries](queries.png)" in page.split("## queries")[1]


@pytest.mark.parametrize("quick", [True, False])
def test_only_a_full_run_replaces_results(quick, monkeypatch, tmp_path):
    folders = {}
    monkeypatch.setattr(tempfile, "mkdtemp", lambda prefix: str(tmp_path))
    monkeypatch.setattr(harness, "run", lambda name, cases, quick, folder: folders.update({name: folder}))
    monkeypatch.setattr(command, "write_summary", lambda names, folder, page: folders.update({"page": page}))
    command.main(["sampling"], quick=quick)
    where = tmp_path if quick else harness.RESULTS
    assert folders == {"sampling": where, "page": (where if quick else where.parent) / "RESULTS.md"}


def test_the_chart_of_headline_numbers_is_drawn_from_the_committed_results():
    from benchmarks import headline

    found = dict(headline.rows(headline.RESULTS))
    assert "the first answer of a process" in found
    assert headline.PICTURE.read_text(encoding="utf-8") == headline.chart(list(found.items()))
    drawn = headline.chart([("some work", {"pyAgrum": 0.5, "pgmpy": 1e6})])
    assert "0.5×" in drawn
    assert "1,000,000×" in drawn
