"""The experiment runs, and its contenders agree with each other."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from experiments import contenders, table2
from experiments.common import SMOKE
from experiments.timing import Timing, timed


@pytest.fixture(scope="module")
def result(tmp_path_factory):
    folder = tmp_path_factory.mktemp("table2")
    found = table2.run(SMOKE, folder)
    found.write(folder)
    assert (folder / "table2.png").exists()
    return found


def test_everybody_answers(result):
    times = result.details["times"]
    assert set(times["size"]) == {2, 5}
    assert (times["note"] == "").all()
    assert (times["asked"] >= 1).all()
    assert (times["median"] > 0).all()


def test_exact_methods_agree_on_the_global_estimate(result):
    times = result.details["times"]
    local = times["contender"].isin([contenders.OURS, contenders.ONCE])
    assert times.loc[~local, "gap"].max() < 1e-12
    assert times.loc[local, "gap"].max() < 0.05


def test_errors_are_those_of_a_thousand_rows(result):
    errors = result.details["errors"]
    assert set(errors["answers"]) == {"local", "coherent"}
    cells = 2.0 ** errors["size"]
    assert (errors["mse"] < 10 / (cells * table2.ROWS)).all()  # a multinomial of so many cells has less than a tenth of that
    np.testing.assert_allclose(errors["rmse"] ** 2, errors["mse"])


def test_every_number_of_the_paper_stands_beside_ours(result):
    beside = {row.item: row.paper for row in result.rows if row.paper != "–"}
    assert [cell.split(" (")[0].split(", ") for cell in beside.values()] == [
        ["61.3 ms", "118 ms"],
        ["506 ms", "498 ms"],
        ["774 ms", "767 ms"],
        ["9.78e-04", "7.80e-06"],
        ["9.78e-04", "7.80e-06"],
    ]
    assert all(row.ours and row.verdict for row in result.rows)


def test_errors_of_other_networks(result):
    others = result.details["other_networks"]
    assert set(others["size"]) == {2, 5}
    assert len(others) == 2 * SMOKE.repetitions
    assert others["mse"].is_unique


def test_what_takes_too_much_memory_is_refused():
    timing = Timing()
    assert timed(lambda: np.ones(2 << 30), timing) is None
    assert timing.note == "refused: more than 8 GiB"
    assert timing.seconds == []
    assert timed(lambda: np.ones(2), timing) is not None


def case_of(size, **seconds):
    names = (
        *contenders.AS_IN_THE_PAPER,
        contenders.ONCE,
        contenders.WU_ONCE,
        contenders.BELIEFS_ONCE,
        contenders.PYAGRUM,
        contenders.PGMPY,
    )
    timings = {name: Timing(own := seconds.get(name.split()[0], [0.5, 1.5, 4.0]), [one / 2 for one in own]) for name in names}
    return table2.Case(size, timings, [1e-15] * 3, [1e-15] * 3)


@pytest.mark.parametrize("failure", [MemoryError(), Exception("std::bad_alloc")])
def test_who_is_refused_is_told_and_left_out(failure):
    def fail():
        raise failure

    case = case_of(25, pgmpy=[])
    assert timed(fail, case.timings[contenders.PGMPY]) is None
    times, errors = pd.DataFrame(table2.time_records(case)), pd.DataFrame(table2.error_records(case))
    others = pd.DataFrame({"size": [2, 25], "questions": [5, 5], "mse": [1e-4, 1e-15]})
    told = {row.item: row.ours for row in table2.time_rows(times)}
    assert told["mean time: pgmpy VariableElimination"] == "refused: more than 8 GiB"
    assert told["mean time: pyAgrum VariableElimination"] == "2 s"
    assert "pgmpy ?, a calibrated" in " ".join(table2.remarks(times, errors, others, (4.0, 0.02)).split())


def test_who_was_asked_less_is_compared_on_those_questions_and_it_is_told():
    times = pd.DataFrame(table2.time_records(case_of(25, pgmpy=[1.0, 3.0])))
    (pgmpy,) = times[times["contender"] == contenders.PGMPY].to_dict("records")
    assert (pgmpy["mean"], pgmpy["times_ours"]) == (2.0, 2.0)
    (told,) = (row.ours for row in table2.time_rows(times) if "pgmpy" in row.item)
    assert told == "2 s (of the first 2 questions, then its time was used up)"


def test_who_is_refused_after_some_answers_is_told_with_these():
    case = case_of(25, pgmpy=[1.0, 3.0])
    case.timings[contenders.PGMPY].note = "refused: more than 8 GiB"
    (told,) = (row.ours for row in table2.time_rows(pd.DataFrame(table2.time_records(case))) if "pgmpy" in row.item)
    assert told == "2 s (of the first 2 questions, then refused: more than 8 GiB)"


def test_other_failures_are_not_hidden():
    with pytest.raises(ZeroDivisionError):
        timed(lambda: 1 / 0, Timing())
