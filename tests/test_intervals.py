"""Intervals as states: those of pandas, numbers that fall into them, and what their text means."""

from __future__ import annotations

import copy
import json
import math
import pickle
import re
import subprocess
import sys

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import LABELS

import dconvex as dc
from dconvex.bins import Bins, state_of_number
from dconvex.explorer.request_data import RequestError
from dconvex.explorer.translation import translator_of
from dconvex.intervals import intervals_between
from dconvex.names import canonical

INTERVALS = LABELS["interval"]
AGES = [dc.Interval(0, 18, "left"), dc.Interval(18, 65, "left"), dc.Interval(65, math.inf, "left")]


def network() -> dc.BayesianNetwork:
    return dc.BayesianNetwork.discrete(
        [("age", "buys")],
        {"age": [0.2, 0.5, 0.3], "buys": [[0.9, 0.1], [0.5, 0.5], [0.7, 0.3]]},
        {"age": AGES, "buys": ["no", "yes"]},
    )


@given(INTERVALS)
def test_an_interval_is_that_of_pandas(own):
    other = pd.Interval(own.left, own.right, own.closed)
    assert own == other
    assert other == own
    assert hash(own) == hash(other)
    assert str(own) == str(other)
    assert {own: 1}[other] == 1
    assert dc.Interval.of(other) == own


@given(st.lists(INTERVALS, max_size=6))
def test_intervals_are_ordered_as_pandas_does_it(intervals):
    others = [pd.Interval(own.left, own.right, own.closed) for own in intervals]
    assert [(own.left, own.right) for own in sorted(intervals)] == [(own.left, own.right) for own in sorted(others)]
    backwards = list(reversed(intervals))
    assert sorted(intervals) == sorted(backwards)  # one order, though pandas leaves equal ends as they come


@given(INTERVALS)
def test_text_copies_and_pickles_give_the_same(own):
    assert dc.Interval.from_text(str(own)) == own
    assert repr(dc.Interval.from_text(str(own))) == repr(own)
    assert pickle.loads(pickle.dumps(own)) == copy.deepcopy(own) == own


@given(INTERVALS, st.floats(allow_nan=False, allow_infinity=False) | st.integers(-10, 10))
def test_a_number_is_in_it_as_pandas_has_it(own, number):
    for one in (number, own.left, own.right):
        assert (one in own) == (one in pd.Interval(own.left, own.right, own.closed))


def test_infinite_ends_belong_to_their_interval():
    assert math.inf in dc.Interval(0, math.inf, "left")
    assert -math.inf in dc.Interval(-math.inf, 0)
    assert math.nan not in dc.Interval(-math.inf, math.inf)


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ((2, 1), "the left end of an interval, 2, must not be above the right one, 1"),
        ((0, math.nan), "the ends of an interval are numbers, not nan"),
        (("a", "b"), "the ends of an interval are numbers, not 'a'"),
        ((False, True), "the ends of an interval are numbers, not False"),
        ((0, 10**400), "an integer beyond 2**53"),
        ((0, 1, "up"), "closed='up' is unknown; use 'right', 'left', 'both' or 'neither'"),
    ],
)
def test_what_is_no_interval(arguments, problem):
    with pytest.raises(ValueError, match=re.escape(problem)):
        dc.Interval(*arguments)


@pytest.mark.parametrize(
    "text", ["", "(1,2]", "(1, 2", "(nan, 2]", "(2, 1]", "(1, 99999999999999999]", "(1e9999, 2]", "(a, b]"]
)
def test_text_that_is_no_interval(text):
    with pytest.raises(ValueError, match="interval"):
        dc.Interval.from_text(text)


def test_it_equals_nothing_else():
    days = pd.Interval(pd.Timestamp("2024-01-01"), pd.Timestamp("2024-01-02"))
    assert dc.Interval(0, 1) != "(0, 1]"
    assert dc.Interval(0, 1) != days
    assert dc.Interval(0, 1) in (pd.Interval(0, 1),)
    with pytest.raises(TypeError):
        _ = dc.Interval(0, 1) < 3


def test_canonical_order_is_by_type_name_first():
    labels = ["b", 2, dc.Interval(3, 4), "a", dc.Interval(0, 9), 1]
    assert canonical(labels) == [dc.Interval(0, 9), dc.Interval(3, 4), 1, 2, "a", "b"]


@given(st.lists(INTERVALS, min_size=1, max_size=6, unique=True), st.lists(st.floats() | st.integers(-5, 12), max_size=20))
def test_the_state_of_a_number_is_found_by_looking_at_all_intervals(intervals, numbers):
    bins = Bins.of(intervals)
    within = [[k for k, own in enumerate(intervals) if number in own] for number in numbers]
    if bins is None:  # some overlap, or are empty inside another one
        return
    assert all(len(found) <= 1 for found in within)
    assert bins.states_of(np.array(numbers, float)).tolist() == [found[0] if found else -1 for found in within]


@given(st.lists(st.floats(-10, 10), max_size=6, unique=True).map(sorted), st.floats(allow_nan=False))
def test_every_number_is_in_one_of_the_intervals_between_edges(edges, number):
    intervals = intervals_between(edges)
    state = state_of_number(number, intervals)
    assert [number in own for own in intervals] == [k == state for k in range(len(intervals))]


def test_overlapping_intervals_take_no_numbers():
    labels = (dc.Interval(0, 2), dc.Interval(1, 3))
    assert Bins.of(labels) is None
    assert state_of_number(0.5, labels) is None
    assert Bins.of((dc.Interval(0, 2), dc.Interval(2, 3))) is not None
    assert Bins.of((dc.Interval(0, 2), dc.Interval(2, 3, "both"))) is None


@pytest.mark.parametrize("value", ["1", True, None, pd.NA, 10**400, [1]])
def test_what_is_no_number_is_in_no_interval(value):
    assert state_of_number(value, (dc.Interval(0, math.inf),)) is None


def test_evidence_is_a_number_or_an_interval():
    local = dc.localize(network())
    for age in (40, 40.5, np.float32(40), np.int64(18), dc.Interval(18, 65, "left"), pd.Interval(18, 65, "left")):
        assert local.query("buys", {"age": age}).values.tolist() == [0.5, 0.5]
    assert local.query("buys", {"age": {3, dc.Interval(65, math.inf, "left")}}).values[1] == pytest.approx(0.22)
    assert local.query("buys", {"age": math.nan}).values.tolist() == local.query("buys").values.tolist()
    assert local.do({"age": 70}).query("age").values.tolist() == [0, 0, 1]
    assert network().do({"age": 70}) == network().do({"age": AGES[2]})
    assert local.most_probable(["age"])[0] == {"age": pd.Interval(18, 65, "left")}
    with pytest.raises(dc.UnknownStateError, match=r"unknown state -1 of 'age'.*Interval\(0, 18, closed='left'\)"):
        local.query("buys", {"age": -1})


def test_the_explorer_takes_numbers():
    translator = translator_of(dc.localize(network()))
    assert translator.evidence("age", 40) == translator.evidence("age", [1]) == AGES[1]
    with pytest.raises(RequestError, match="-3 falls into no interval of 'age'"):
        translator.evidence("age", -3)


def test_tables_hold_numbers_or_intervals():
    local = dc.localize(network())
    numbers = pd.DataFrame({"age": [10, 18.0, 90, np.nan], "buys": ["no"] * 4})
    cut = pd.cut(numbers["age"], [0, 18, 65, np.inf], right=False)
    expected = local.predict_proba(numbers, "buys")["buys"]
    assert expected[:3, 1].tolist() == [0.1, 0.5, 0.3]
    for ages in (cut, cut.astype(object), numbers["age"].astype(object)):
        assert local.predict_proba(numbers.assign(age=ages), "buys")["buys"].tolist() == expected.tolist()
    whole = numbers.iloc[:3]
    by_interval = local.log_likelihood(whole.assign(age=cut.iloc[:3].array))
    assert local.log_likelihood(whole).tolist() == by_interval.tolist()
    assert local.predict(pl.from_pandas(numbers), "age")["age"].to_list() == ["[18, 65)"] * 4
    assert local.predict(pa.Table.from_pandas(numbers), "age")["age"].to_pylist() == ["[18, 65)"] * 4
    assert local.predict(numbers, "age")["age"].tolist() == [AGES[1]] * 4
    with pytest.raises(dc.UnknownStateError, match=r"unknown state -3.0 of 'age' in row 1"):
        local.predict(pd.DataFrame({"age": [1.0, -3.0]}), "buys")
    assert local.predict_proba(pd.DataFrame({"age": [-3.0]}), "buys", unknown="missing")["buys"][0, 1] == pytest.approx(0.36)


@pytest.mark.parametrize("as_they_come", ["cut", "qcut", "interval"])
def test_columns_of_pandas_are_learned_as_they_come(as_they_come):
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"age": rng.normal(40, 10, 200)})
    frame["buys"] = np.where(rng.random(200) < frame["age"] / 80, "yes", "no")
    cut = pd.qcut(frame["age"], 4) if as_they_come == "qcut" else pd.cut(frame["age"], 4)
    states = cut.cat.categories.tolist()
    table = frame.assign(age=cut if as_they_come != "interval" else pd.arrays.IntervalArray(cut))
    model = dc.fit([("age", "buys")], table)
    assert list(model.states["age"]) == states
    assert all(type(label) is dc.Interval for label in model.states["age"])
    assert str(model.query("age")).splitlines()[1].startswith(f"  {states[0]}")
    assert list(map(str, model.query("age").to_series().index)) == list(map(str, states))
    rows = frame.iloc[[3]]
    assert model.query("buys", rows).values.tolist() == model.predict_proba(table.iloc[[3]], "buys")["buys"][0].tolist()


def test_intervals_of_dates_are_refused():
    days = pd.interval_range(pd.Timestamp("2024-01-01"), periods=3)
    with pytest.raises(dc.DataError, match=r"column 'day' holds Interval.*states are str, int, bool or intervals of numbers"):
        dc.fit([("day", "x")], pd.DataFrame({"day": days, "x": list("aba")}))
    with pytest.raises(dc.NetworkError, match=r"a state must be .*dc.Interval; 'a' has 0.5 \(float\); dc.Interval and dc.disc"):
        dc.BayesianNetwork.discrete([], {"a": [0.5, 0.5]}, {"a": [0.5, 1]})
    whole = dc.BayesianNetwork.discrete([], {"a": [0.5, 0.5]}, {"a": [1.0, np.float64(2)]})
    assert list(map(type, whole.states["a"])) == [int, int]


def test_a_sample_has_intervals_and_is_learned_again():
    rows = network().sample(300, seed=1)
    assert list(rows["age"].cat.categories) == AGES
    assert dc.fit(network(), rows).states == network().states
    assert dc.localize(network()).sample(5, {"age": 30}, seed=1)["age"].tolist() == [AGES[1]] * 5


def test_models_keep_intervals(tmp_path):
    model = dc.fit(network(), network().sample(300, seed=1))
    model.save(tmp_path / "model.dcx", statistics=True)
    code = f"""
import sys, dconvex as dc
model = dc.open_model({str(tmp_path / "model.dcx")!r})
answer = model.query("buys", {{"age": 30}})
assert "pandas" not in sys.modules
print(answer.values.tolist(), model.states["age"])
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == f"{model.query('buys', {'age': 30}).values.tolist()} {tuple(AGES)}"
    opened = dc.open_model(tmp_path / "model.dcx")
    assert opened.updated(network().sample(50, seed=2)).report().rows == 350


def test_our_json_keeps_the_type(tmp_path):
    dc.write(network(), tmp_path / "network.json")
    assert dc.read(tmp_path / "network.json") == network()
    document = json.loads((tmp_path / "network.json").read_text())
    assert document["variables"][0]["states"][0] == {"interval": "[0, 18)"}
    for wrong, problem in [({"interval": "0 to 18"}, "not an interval"), ({"left": 0}, "expected str as 'interval'")]:
        document["variables"][0]["states"][0] = wrong
        (tmp_path / "wrong.json").write_text(json.dumps(document))
        with pytest.raises(dc.FormatError, match=problem):
            dc.read(tmp_path / "wrong.json")
