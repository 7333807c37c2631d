"""Cutting numbers into intervals: against pandas, against the recipe of Fayyad and Irani step by step, and in models."""

from __future__ import annotations

import math
import pickle
import re
from itertools import pairwise

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import dconvex as dc
from dconvex.learning.discretization import roundest, supervised_cuts

FEW = st.lists(st.sampled_from([0.0, 0.5, 1.0, 1.25, 2.0, 3.5, -1.0]), min_size=1, max_size=30)
MANY = st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=40)


def codes(discretizer: dc.Discretizer, values) -> list[int]:
    return discretizer.transform(pd.DataFrame({"x": values}))["x"].cat.codes.tolist()


@settings(max_examples=40)
@given(FEW | MANY, st.integers(1, 7))
def test_cuts_are_at_quantiles(values, bins):
    edges = np.quantile(values, np.arange(1, bins) / bins)
    expected = np.unique(np.searchsorted(edges, values), return_inverse=True)[1].tolist()
    found = codes(dc.discretize(pd.DataFrame({"x": values}), "x", bins), values)
    assert found == expected
    is_fit_for_pandas = all(value == 0 or abs(value) > 1e-290 for value in values)  # which rounds by 10 ** 310 below that
    if is_fit_for_pandas and len(set(values)) == len(values) > bins:  # where values repeat, pandas joins the lowest two
        assert found == pd.qcut(values, bins).codes.tolist()


@settings(max_examples=40)
@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=40), st.integers(1, 7))
def test_widths_are_equal(values, bins):
    width = (max(values) - min(values)) / bins
    assume(width > 1e-6)
    edges = dc.discretize(pd.DataFrame({"x": values}), "x", bins, method="width").edges["x"]
    exact = np.linspace(min(values), max(values), bins + 1)[1:-1]
    assert np.allclose(edges, exact, rtol=0, atol=1.01e-3 * width)
    assert len(edges) == bins - 1


def described(values, labels) -> list[float]:
    """The cuts of Fayyad and Irani, 1993, as the paper says it: the best cut of all, accepted or not, then both sides."""

    def entropy(part):
        _, counts = np.unique(part, return_counts=True)
        return -sum(count / len(part) * math.log2(count / len(part)) for count in counts)

    def kinds(part):
        return len(set(part.tolist()))

    distinct = np.unique(values)
    best = None
    for low, high in pairwise(distinct):
        left, right = labels[values <= low], labels[values > low]
        gain = entropy(labels) - len(left) / len(labels) * entropy(left) - len(right) / len(labels) * entropy(right)
        if best is None or gain > best[0] + 1e-12:
            best = gain, low, high, left, right
    if best is None:
        return []
    gain, low, high, left, right = best
    delta = math.log2(3 ** kinds(labels) - 2)
    delta -= kinds(labels) * entropy(labels) - kinds(left) * entropy(left) - kinds(right) * entropy(right)
    if gain <= math.log2(len(labels) - 1) / len(labels) + delta / len(labels) + 1e-12:
        return []
    below, above = values <= low, values > low
    return [*described(values[below], left), roundest(float(low), float(high)), *described(values[above], right)]


@settings(max_examples=60)
@given(st.integers(0, 2**32 - 1), st.integers(2, 4), st.integers(1, 120), st.sampled_from([4, 12, 1000]))
def test_supervised_cuts_are_those_of_the_paper(seed, kinds, rows, distinct):
    rng = np.random.default_rng(seed)
    values = rng.integers(0, distinct, rows) / 8
    labels = (values * 8 * kinds // distinct).astype(int)
    labels = np.where(rng.random(rows) < 0.15, rng.integers(0, kinds, rows), labels)
    found = supervised_cuts(values, labels, 1000)
    assert found == described(values, labels)
    fewer = supervised_cuts(values, labels, 3)
    assert set(fewer) <= set(found)
    assert len(fewer) == min(len(found), 2)


@settings(max_examples=40)
@given(st.integers(0, 2**32 - 1), st.sampled_from(["quantile", "width", "supervised"]), st.integers(1, 6))
def test_a_row_of_weight_two_is_two_rows(seed, method, bins):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({"x": rng.integers(0, 25, 30) / 4 + 0.125, "y": rng.integers(0, 2, 30), "w": rng.integers(0, 4, 30)})
    assume(frame["w"].sum() > 0)
    again = frame.loc[frame.index.repeat(frame["w"])]
    target = {"target": "y"} if method == "supervised" else {}
    weighted = dc.discretize(frame.assign(w=frame["w"] * 1.0), bins=bins, method=method, weights="w", **target)
    assert weighted == dc.discretize(again, columns="x", bins=bins, method=method, **target)
    halves = dc.discretize(frame.assign(w=frame["w"] / 3), columns="x", bins=bins, method=method, weights="w", **target)
    assert len(halves.edges["x"]) < bins


def test_weights_that_cannot_be():
    frame = pd.DataFrame({"x": [0.5, 1.5], "w": [1.0, -1.0]})
    with pytest.raises(dc.DataError, match="weight -1"):
        dc.discretize(frame, columns="x", weights="w")
    with pytest.raises(dc.DataError, match="unknown column 'v'"):
        dc.discretize(frame, columns="x", weights="v")


def test_the_most_telling_cuts_come_first():
    values = np.arange(90.0)
    labels = np.where(values < 60, 0, np.where(values < 70, 1, 2))
    assert supervised_cuts(values, labels, 2) == [59]
    assert supervised_cuts(values, labels, 5) == [59, 69]


@settings(max_examples=40)
@given(st.floats(-1e9, 1e9), st.floats(-1e9, 1e9))
def test_round_edges_lie_between(one, other):
    low, high = min(one, other), max(one, other)
    assume(low < high)
    found = roundest(low, high)
    assert low <= found < high
    assert found == low or abs(found - (low + high) / 2) <= (high - low) / 4 * (1 + 1e-9)


@settings(max_examples=25)
@given(FEW, st.sampled_from(["quantile", "width"]), st.integers(1, 6), st.randoms(use_true_random=False))
def test_the_order_of_rows_does_not_matter(values, method, bins, random):
    shuffled = random.sample(values, len(values))
    one, other = (dc.discretize(pd.DataFrame({"x": own}), "x", bins, method) for own in (values, shuffled))
    assert one == other
    assert hash(one) == hash(other)
    assert pickle.loads(pickle.dumps(one)) == one


def test_missing_cells_constants_and_infinities():
    frame = pd.DataFrame({"x": [1.5, None, 2.5, 4.0], "same": 0.5, "none": [np.nan] * 4, "far": [1.0, 2.5, np.inf, 0]})
    found = dc.discretize(frame, ["x", "same"], bins={"x": 3})
    assert found.edges == {"x": (2, 3), "same": ()}
    cut = found.transform(frame)
    assert cut["x"].isna().tolist() == [False, True, False, False]
    assert cut["same"].tolist() == [dc.Interval(-math.inf, math.inf)] * 4
    assert found.transform(cut).equals(cut)
    with pytest.raises(dc.DataError, match=r"column 'none' has no numbers to make intervals of; leave it out of columns="):
        dc.discretize(frame, ["none"])
    with pytest.raises(dc.DataError, match="column 'far' holds inf in row 2; drop such rows, or make the cells missing"):
        dc.discretize(frame, ["far"])
    far = dc.discretize(frame.iloc[:2], "far", 2)
    assert codes(far, [0]) == [0] if "x" in far.edges else True
    assert far.transform(frame)["far"].cat.codes.tolist() == [0, 1, 1, 0]


def test_columns_with_fractions_are_found():
    frame = pd.DataFrame({"age": [18, 30, 41], "pay": [1.5, 2, 3], "name": list("abc"), "count": [1.0, None, 2.0]})
    assert list(dc.discretize(frame).edges) == ["pay"]
    with pytest.raises(dc.DataError, match=r"no column holds fractions; name the columns of numbers .*columns="):
        dc.discretize(frame[["age", "name"]])
    with pytest.raises(dc.DataError, match="unknown column 'aeg'; did you mean 'age'"):
        dc.discretize(frame, "aeg")
    with pytest.raises(dc.DataError, match=r"column 'name' .*not a number"):
        dc.discretize(frame, "name")


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"method": "best"}, "method='best' is unknown; use 'quantile', 'width' or 'supervised'"),
        ({"method": "supervised"}, "method='supervised' needs target=, a column with states"),
        ({"target": "y"}, "and no other method takes one"),
        ({"bins": 0}, "bins=0 must be a whole number of intervals, at least 1"),
        ({"bins": 2.5}, "bins=2.5 must be"),
    ],
)
def test_options_that_are_refused(options, problem):
    with pytest.raises(ValueError, match=re.escape(problem)):
        dc.discretize(pd.DataFrame({"x": [0.5, 1.5], "y": list("ab")}), "x", **options)


def test_bins_are_by_column():
    frame = pd.DataFrame({"x": np.arange(40) / 8, "y": np.arange(40) / 4})
    found = dc.discretize(frame, bins={"x": 2})
    assert [len(edges) for edges in found.edges.values()] == [1, 4]
    with pytest.raises(dc.DataError, match=r"unknown column 'z'.*bins= has columns as keys"):
        dc.discretize(frame, bins={"z": 2})


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame, pa.table, "csv", "parts"])
def test_any_table_gives_the_same(library, tmp_path):
    columns = {"x": [0.5, 1.5, 2.5, 4.5, None, 7.0], "y": ["a", "a", "b", "b", "a", "b"]}
    frame = pd.DataFrame(columns)
    expected = dc.discretize(frame, bins=2, method="supervised", target="y")
    if library == "csv":
        frame.to_csv(tmp_path / "rows.csv", index=False)
        table = tmp_path / "rows.csv"
    else:
        table = [frame.iloc[:2], frame.iloc[2:]] if library == "parts" else library(columns)
    assert dc.discretize(table, bins=2, method="supervised", target="y") == expected
    assert dc.discretize(table, "x", 3) == dc.discretize(frame, "x", 3)


def test_a_frame_of_the_same_kind_comes_back():
    columns = {"x": [0.5, None, 2.5], "name": ["a", "b", "c"]}
    cut = dc.Discretizer({"x": [1], "absent": [2]})
    pandas = cut.transform(pd.DataFrame(columns, index=[7, 8, 9]))
    assert pandas["x"].cat.ordered
    assert list(pandas.index) == [7, 8, 9]
    assert list(pandas.columns) == ["x", "name"]
    polars = cut.transform(pl.DataFrame(columns))
    assert polars["x"].to_list() == ["(-inf, 1]", None, "(1, inf]"]
    assert polars.schema["x"] == pl.Enum(["(-inf, 1]", "(1, inf]"])
    arrow = cut.transform(pa.table(columns))
    assert arrow["x"].to_pylist() == ["(-inf, 1]", None, "(1, inf]"]
    for table in (pandas, polars, arrow):
        assert list(map(str, dc.fit(dc.Dag([], ["x", "name"]), table).states["x"])) == ["(-inf, 1]", "(1, inf]"]
    integers = cut.transform(pd.DataFrame({7: [1, 2], "x": [0, 5]}))
    assert integers["x"].cat.codes.tolist() == [0, 1]
    with pytest.raises(dc.DataError, match="expected a data frame"):
        cut.transform([1, 2])
    with pytest.raises(dc.UnknownStateError, match="unknown state 'much' of 'x'"):
        cut.transform(pd.DataFrame({"x": ["much"]}))


def test_edges_given_by_hand_are_checked():
    assert dc.Discretizer({"x": [0.5, 2]}).states["x"][1] == pd.Interval(0.5, 2)
    for edges in ([2, 1], [1, 1], [math.inf], [math.nan], ["a"], 3):
        with pytest.raises(ValueError, match="the edges of 'x' must be"):
            dc.Discretizer({"x": edges})
    with pytest.raises(AttributeError, match="a Discretizer is frozen"):
        dc.Discretizer({}).edges = {}
    many = dc.Discretizer({f"x{k}": range(40) for k in range(25)})
    assert repr(many).splitlines()[0] == "Discretizer of 25 columns"
    assert repr(many).splitlines()[-1] == "  … and 5 more"
    assert "18, 19, …" in repr(many)


# --- in models


def customers(rows: int = 400) -> pd.DataFrame:
    rng = np.random.default_rng(5)
    frame = pd.DataFrame({"age": rng.normal(45, 15, rows), "visits": rng.poisson(6, rows)})
    frame["churn"] = np.where(rng.random(rows) < 1 / (1 + np.exp((frame["age"] - 40) / 10)), "yes", "no")
    frame.loc[::17, "age"] = np.nan
    return frame


EDGES = [("age", "churn"), ("visits", "churn")]


@pytest.mark.parametrize("options", [{}, {"missing": "em", "coherent": True}, {"for_query": ["churn", "age"]}])
def test_a_model_takes_numbers_as_its_discretizer_does(options, tmp_path):
    frame = customers()
    cut = dc.discretize(frame, ["age", "visits"], bins=3)
    model = dc.fit(EDGES, frame, discretizer=cut, **options)
    by_hand = dc.fit(EDGES, cut.transform(frame), **options)
    assert model.states == by_hand.states
    model.save(tmp_path / "model.dcx", statistics=True)
    for own in (model, dc.open_model(tmp_path / "model.dcx")):
        row = {"age": 31.5, "visits": 4}
        assert (
            own.query("churn", row).values.tolist()
            == by_hand.query("churn", cut.transform(pd.DataFrame([row]))).values.tolist()
        )
        expected = by_hand.predict_proba(cut.transform(frame), "churn")["churn"]
        assert own.predict_proba(frame, "churn")["churn"].tolist() == expected.tolist()
        assert own.predict(frame, "age")["age"].tolist() == by_hand.predict(frame, "age")["age"].tolist()
        more = customers(50)
        updated = own.updated(more)
        assert updated.query("churn", row).values.tolist() == pytest.approx(
            by_hand.updated(cut.transform(more)).query("churn", row).values.tolist()
        )
        if "for_query" not in options:
            whole = frame.dropna()
            assert own.log_likelihood(whole).tolist() == by_hand.log_likelihood(cut.transform(whole)).tolist()


def test_statistics_take_a_discretizer_too():
    frame = customers()
    cut = dc.discretize(frame, ["age", "visits"], bins=3)
    both = dc.statistics(EDGES, frame[:200], discretizer=cut) + dc.statistics(EDGES, frame[200:], discretizer=cut)
    assert both == dc.statistics(EDGES, frame, discretizer=cut)
    assert both == dc.statistics(EDGES, frame, states=cut.states)
    assert dc.fit(EDGES, frame, discretizer=cut, states={"visits": range(40)}).states["visits"] == tuple(range(40))
    with pytest.raises(TypeError, match=r"discretizer= takes what dc.discretize returns, not mappingproxy"):
        dc.fit(EDGES, frame, discretizer=cut.edges)


@pytest.mark.parametrize(
    "ages",
    [
        [30.5, 12.0, None, 70.0],
        pd.array([30, 12, None, 70], "Int64"),
        np.array([30, 12, 7, 70], object),
        pd.Categorical([30.5, 12.0, None, 70.0]),
        pd.array([30.5, 12.0, None, 70.0], "float64[pyarrow]"),
        pd.Categorical([pd.Interval(18, 65), pd.Interval(-math.inf, 18), None, pd.Interval(65, math.inf)]),
    ],
)
def test_numbers_of_every_kind_of_column_fall_into_intervals(ages):
    cut = dc.Discretizer({"age": [18, 65]})
    frame = pd.DataFrame({"age": ages, "churn": list("abab")})
    states = [1, 0, 2] if frame["age"].isna().any() else [1, 0, 0, 2]
    counted = dc.fit(dc.Dag([], ["age"]), frame, discretizer=cut).query("age").values
    assert counted.tolist() == (np.bincount(states) / len(states)).tolist()


def test_states_may_hold_labels_next_to_intervals():
    states = {"age": [dc.Interval(0, 65), 99, "unknown"]}
    found = dc.fit(dc.Dag([], ["age"]), pd.DataFrame({"age": [12, 30, 99, 30]}), states=states).query("age").values
    assert found.tolist() == [0.75, 0.25, 0]
    with pytest.raises(dc.DataError, match=r"unknown state 80 of 'age' in row 1.*pass unknown=\"missing\""):
        dc.fit(dc.Dag([], ["age"]), pd.DataFrame({"age": [12, 80]}), states=states)
    counted = dc.fit(dc.Dag([], ["age"]), pd.DataFrame({"age": [12, 80]}), states=states, unknown="missing").query("age")
    assert counted.values.tolist() == [1, 0, 0]


def test_the_error_about_mixed_columns_shows_the_line_that_solves_it():
    frame = customers().assign(pay=0.5, city="x")
    with pytest.raises(dc.DataError) as caught:
        dc.fit(dc.Dag([], frame.columns), frame)
    said = str(caught.value)
    assert "'age', 'pay' hold fractions, 'churn', 'city', 'visits' do not" in said
    line = re.search(r"discretizer=(dc\.discretize\(data\))", said).group(1)
    model = dc.fit(dc.Dag([], frame.columns), frame, discretizer=eval(line, {"dc": dc, "data": frame}))
    assert model.kind == "discrete"
    wide = pd.DataFrame({f"x{k}": [0.5, 1.5] for k in range(60)} | {"city": ["a", "b"]})
    with pytest.raises(dc.DataError, match=r"… \(60 in all\)"):
        dc.fit(dc.Dag([], wide.columns), wide)


def test_floats_among_states_are_refused_with_a_way_out():
    with pytest.raises(dc.DataError, match=r"holds 0.5 in row 0; .*dc.discretize\(data, \['x'\]\) makes of numbers"):
        dc.fit([("x", "y")], pd.DataFrame({"x": [0.5, 1.5], "y": [1, 2]}), kind="discrete")
    with pytest.raises(dc.DataError, match=r"holds 0.5 \(float\) in row 0; .*dc.discretize\(data, \['x'\]\)"):
        dc.fit([("x", "y")], pd.DataFrame({"x": np.array([0.5, 1.5], object), "y": [1, 2]}), kind="discrete")


def test_a_structure_is_learned_through_a_discretizer():
    frame = customers(2000)
    cut = dc.discretize(frame, ["age"], bins=3)
    found = dc.learn_structure(frame, discretizer=cut)
    assert found.dag == dc.learn_structure(frame, states=cut.states).dag == dc.learn_structure(cut.transform(frame)).dag
    assert ("age", "churn") in {tuple(sorted(edge)) for edge in found.dag.edges}
    with pytest.raises(TypeError, match=r"discretizer= takes what dc\.discretize returns, not dict"):
        dc.learn_structure(frame, discretizer={})
