"""The experiment runs, and its contenders agree with each other."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from experiments import table2
from experiments.common import SMOKE


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
    local = times["contender"].isin([table2.OURS, table2.ONCE])
    assert times.loc[~local, "gap"].max() < 1e-12
    assert times.loc[local, "gap"].max() < 0.05


def test_errors_are_those_of_a_thousand_rows(result):
    errors = result.details["errors"]
    assert set(errors["answers"]) == {"local", "coherent"}
    cells = 2.0 ** errors["size"]
    assert (errors["mse"] < 10 / (cells * table2.ROWS)).all()  # a multinomial of so many cells has less than a tenth of that
    np.testing.assert_allclose(errors["rmse"] ** 2, errors["mse"])


def test_every_number_of_the_paper_stands_beside_ours(result):
    beside = [row for row in result.rows if row.paper]
    assert len(beside) == 2 * 4
    assert all(row.ours for row in result.rows)


def test_what_takes_too_much_memory_is_refused():
    timing = table2.Timing()
    assert table2.timed(lambda: np.ones(2 << 30), timing) is None
    assert timing.note == "refused: more than 4 GiB"
    assert timing.seconds == []
    assert table2.timed(lambda: np.ones(2), timing) is not None


@pytest.mark.parametrize("failure", [MemoryError(), Exception("std::bad_alloc")])
def test_who_is_refused_is_told_and_left_out(failure):
    def fail():
        raise failure

    paper, once = (table2.OURS, table2.WU, table2.BELIEFS), (table2.ONCE, table2.WU_ONCE, table2.BELIEFS_ONCE)
    names = (*paper, *once, table2.PYAGRUM, table2.PGMPY)
    case = table2.Case(25, {name: table2.Timing([0.5, 1.5]) for name in names}, [1e-15], [1e-15])
    case.timings[table2.PGMPY] = table2.Timing()
    assert table2.timed(fail, case.timings[table2.PGMPY]) is None
    told = {row.item: row.ours for row in table2.rows_of(case)}
    assert told["|Q| = 25: pgmpy VariableElimination"] == "refused: more than 4 GiB"
    assert told["|Q| = 25: pyAgrum VariableElimination"] == "1 s, 1 ×"
    times, errors = pd.DataFrame(table2.time_records(case)), pd.DataFrame(table2.error_records(case))
    assert "pgmpy ?, a calibrated" in table2.verdict(times, errors)


def test_other_failures_are_not_hidden():
    with pytest.raises(ZeroDivisionError):
        table2.timed(lambda: 1 / 0, table2.Timing())
