"""The benchmark of UAI instances: answers are compared with published ones, and who is refused or late is noticed."""

from __future__ import annotations

import math

import numpy as np
import pytest

import dconvex as dc
from benchmarks import uai, uai_answers

GRID = "MARKOV\n3\n2 2 2\n2\n2 0 1\n2 1 2\n\n4\n2 1 1 2\n\n4\n2 1 1 2\n"


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "small.uai").write_text(GRID)
    (tmp_path / "small.uai.evid").write_text("1 0 1\n")
    (tmp_path / "small.uai.PR").write_text(f"PR\n{math.log10(9)}\n")
    (tmp_path / "small.uai.MAR").write_text("MAR\n3 2 0 1 2 0.333333 0.666667 2 0.444444 0.555556\n")
    (tmp_path / "small.uai.MAP").write_text("MAP\n3 1 1 1\n")
    return tmp_path


@pytest.mark.parametrize(("task", "error"), [("PR", 0.0), ("MAR", 0.0), ("MPE", 0.0)])
def test_answers_are_compared_with_what_was_published(folder, task, error):
    found = uai_answers.ours(uai_answers.Instance(folder, "small"), task, 2**30)
    assert found == pytest.approx(error, abs=1e-6)


def test_pyagrum_is_asked_the_same(folder):
    assert uai_answers.pyagrums(uai_answers.Instance(folder, "small"), "MAR", 2**30) == pytest.approx(0.0, abs=1e-6)


def test_without_a_published_answer_there_is_no_error(folder):
    for suffix in ("PR", "MAR", "MAP"):
        (folder / f"small.uai.{suffix}").unlink()
    instance = uai_answers.Instance(folder, "small")
    assert [uai_answers.ours(instance, task, 2**30) for task in uai.TASKS] == [None] * 3


def test_functions_of_the_same_variables_are_multiplied():
    own = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    merged = uai_answers.merged_functions(dc.MarkovNetwork([2, 3], [(0, 1), (1, 0), ()], [own, own.T, 2.0]))
    assert [*merged] == [(0, 1)]
    np.testing.assert_array_equal(merged[0, 1], own * own)


def test_a_process_answers_or_is_refused(folder):
    assert uai.instances(folder) == ["small"]
    solved = uai.outcome(folder, "small", "PR", "dconvex", uai.Limits())
    assert (solved.status, str(solved).split()[-1][:2]) == ("solved", f"{solved.error:+.1e}"[:2])
    refused = uai.outcome(folder, "small", "MAR", "dconvex", uai.Limits(bytes=uai_answers.FOR_PYTHON))
    assert refused.status == "refused"
    failed = uai.outcome(folder, "nothing", "PR", "dconvex", uai.Limits())
    assert (failed.status, str(failed)) == ("failed", "failed")
    columns = [str(column.header) for column in uai.as_table([solved, refused]).columns]
    assert columns == ["instance", "dconvex PR", "dconvex MAR"]
    assert [*uai.summary([solved, refused])] == [
        "dconvex PR: 1 of 1 solved",
        "dconvex MAR: 0 of 1 solved; 1 refused",
    ]
