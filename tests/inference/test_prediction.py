"""Targets predicted for a whole frame, rows with missing cells included."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from inference.brute_force import BruteForce
from inference.models import SPRINKLER, chain, close, naive_bayes
from inference.questions import small_networks
from network.enumeration import frame

import dconvex as dc
from dconvex.inference.plan import Plan

LIBRARIES = [pd.DataFrame, pl.DataFrame, pa.table]
libraries = pytest.mark.parametrize("library", LIBRARIES, ids=["pandas", "polars", "pyarrow"])

ROWS = {"rain": ["much", None, "none", "some"], "wet": ["wet", "wet", None, "dry"]}
IMPOSSIBLE = {"rain": ["much", "much", "none"], "wet": ["wet", "dry", "wet"], "sprinkler": [2, 2, 1]}


def model():
    return dc.localize(SPRINKLER)


def told(row):
    """The cells that are there."""
    return {name: value for name, value in row.items() if value is not None}


def column(data, name):
    return data[name].to_pylist() if isinstance(data, pa.Table) else list(data[name])


# --- against brute force


@given(small_networks.filter(len), st.data())
def test_rows_with_missing_cells_are_those_of_brute_force(network, data):
    nodes = network.dag.nodes
    columns = data.draw(st.lists(st.sampled_from(nodes), unique=True))
    targets = data.draw(st.lists(st.sampled_from(nodes), unique=True, min_size=1, max_size=3))
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    complete = network.sample(6, seed=rng).to_dict("records")
    rows = [{name: None if rng.random() < 0.3 else row[name] for name in columns} for row in complete]
    table = frame(rows, columns)
    local = dc.localize(network)
    probabilities, predicted = local.predict_proba(table, targets), local.predict(table, targets)
    assert list(probabilities) == targets
    for place, row in enumerate(rows):
        evidence = {name: value for name, value in told(row).items() if name not in targets}
        oracle = BruteForce(network, evidence)
        for target in targets:
            exact = oracle.query([target])
            close(probabilities[target][place], exact)
            assert oracle.probability({target: predicted[target].iloc[place]}) == pytest.approx(exact.max(), rel=1e-9)


@given(small_networks.filter(len), st.data())
def test_predictions_are_the_queries_row_by_row(network, data):
    target = data.draw(st.sampled_from(network.dag.nodes))
    local, table = dc.localize(network), network.sample(5, seed=0)
    found = local.predict_proba(table, target)[target]
    assert found.shape == (5, len(network.states[target]))
    for place, row in enumerate(table.to_dict("records")):
        del row[target]
        close(found[place], local.query(target, row).values)


@pytest.fixture
def executed(monkeypatch):
    """How many targets each plan has that was executed for rows."""
    found = []

    def run_rows(self, states):
        found.append(len(self.outputs))
        return own(self, states)

    own = Plan.run_rows
    monkeypatch.setattr(Plan, "run_rows", run_rows)
    return found


def test_many_targets_are_answered_by_one_propagation(executed):
    network = chain(40, states=3, seed=2)
    local, given_ = dc.localize(network), [3, 17, 30]
    targets = [node for node in network.dag.nodes if node not in given_]
    table = network.sample(200, seed=3)
    table.loc[::3, 17] = None
    together = local.predict_proba(table, targets)
    assert executed == [len(targets)] * 2  # with and without the missing cell
    for target in targets:
        close(together[target], local.predict_proba(table[given_], target)[target])


def test_targets_for_which_few_rows_differ_are_answered_each_for_itself(executed):
    """Many pieces: each target sees four kinds of rows, all of them together see as many as there are rows."""
    pieces = range(14)
    edges = [(f"{a}{k}", f"{b}{k}") for k in pieces for a, b in ("xa", "xb", "ac", "bc", "cy", "ay", "by")]
    network = dc.random_network(dc.Dag(edges), states=4, seed=4)
    local, targets = dc.localize(network), [f"y{k}" for k in pieces]
    found = local.predict_proba(table := network.sample(3000, seed=5)[[f"x{k}" for k in pieces]], targets)
    assert executed == [1] * len(targets)
    for k in pieces:
        exact = {label: local.query(f"y{k}", {f"x{k}": label}).values for label in network.states[f"x{k}"]}
        close(found[f"y{k}"], np.array([exact[label] for label in table[f"x{k}"]]))


def test_one_propagation_names_impossible_rows_too(executed):
    """Who is in state 0 stays there."""
    last, targets = 25, list(range(1, 25))
    tables = {0: [0.5, 0.5], **{node: [[1, 0], [0.1, 0.9]] for node in range(1, last + 1)}}
    edges = [(node, node + 1) for node in range(last)]
    local = dc.localize(dc.BayesianNetwork.discrete(edges, tables, dict.fromkeys(tables, (0, 1))))
    data = pd.DataFrame({0: [1, 0, 1, 0], last: [0, 0, 1, 1]})
    found = local.predict_proba(data, targets, impossible="nan")
    assert executed == [len(targets), 1]  # and whether the evidence as a whole is possible
    for target in targets:
        assert np.isnan(found[target][3]).all()
        for place in range(3):
            close(found[target][place], local.query(target, data.iloc[place].to_dict()).values)
    with pytest.raises(dc.ImpossibleEvidenceError, match="row 3"):
        local.predict_proba(data, targets)


def test_many_rows_with_all_patterns_of_missing_cells():
    network = dc.random_network(dc.random_dag(7, 9, max_parents=2, seed=0), 3, seed=0)
    table = network.sample(3000, seed=1).astype(float)
    table = table.mask(np.random.default_rng(2).random(table.shape) < 0.25)
    local = dc.localize(network)
    target = network.dag.nodes[3]
    found = local.predict_proba(table, target)[target]
    for place in range(0, 3000, 60):
        row = {name: int(value) for name, value in table.iloc[place].items() if name != target and not math.isnan(value)}
        close(found[place], local.query(target, row).values)


# --- the caller's frame


@libraries
def test_the_callers_frame_type_comes_back(library):
    found = model().predict(library(ROWS), ["cloudy", "sprinkler"])
    assert type(found) is type(library(ROWS))
    names = found.column_names if isinstance(found, pa.Table) else list(found.columns)
    assert names == ["cloudy", "sprinkler"]
    for name in names:
        best = [
            model().query(name, told(dict(zip(ROWS, row, strict=True)))).values.argmax()
            for row in zip(*ROWS.values(), strict=True)
        ]
        assert column(found, name) == [SPRINKLER.states[name][code] for code in best]


@libraries
def test_probabilities_from_every_library(library):
    found = model().predict_proba(library(ROWS), "cloudy")
    assert list(found) == ["cloudy"]
    for place, row in enumerate(zip(*ROWS.values(), strict=True)):
        close(found["cloudy"][place], model().query("cloudy", told(dict(zip(ROWS, row, strict=True)))).values)


def test_the_index_of_pandas_is_kept():
    data = pd.DataFrame(ROWS, index=[7, 7, 3, 0])
    assert model().predict(data, "cloudy").index.tolist() == [7, 7, 3, 0]


def test_columns_of_the_target_and_of_strangers_are_ignored():
    data = pd.DataFrame({**ROWS, "cloudy": ["?", 5, None, True], "stranger": [[1], 2, "x", None]})
    for target in ("cloudy", ["cloudy"]):
        close(model().predict_proba(data, target)["cloudy"], model().predict_proba(pd.DataFrame(ROWS), target)["cloudy"])


def test_all_targets_are_left_out_of_the_evidence():
    data = SPRINKLER.sample(20, seed=0)
    together = model().predict_proba(data, ["cloudy", "rain"])
    close(together["cloudy"], model().predict_proba(data.drop(columns="rain"), "cloudy")["cloudy"])


def test_the_frame_is_not_changed():
    data = pd.DataFrame(ROWS)
    before = data.copy()
    model().predict(data, "cloudy")
    model().predict_proba(data, ["cloudy", "wet"])
    pd.testing.assert_frame_equal(data, before)


@libraries
def test_no_rows(library):
    empty = library({"rain": pa.array([], pa.string()) if library is pa.table else pd.Series([], dtype=str).to_numpy()})
    assert len(model().predict(empty, "cloudy")) == 0
    assert model().predict_proba(empty, ["cloudy", "rain"])["rain"].shape == (0, 3)


def test_rows_that_tell_nothing():
    found = model().predict_proba(pd.DataFrame(index=range(3)), "rain")["rain"]
    close(found, np.tile(model().query("rain").values, (3, 1)))


def test_labels_keep_their_types():
    found = model().predict(pd.DataFrame(ROWS), ["cloudy", "rain", "sprinkler"])
    assert {type(label) for label in found["sprinkler"].tolist()} == {int}
    assert {type(label) for label in found["cloudy"].tolist()} == {bool}
    assert {type(label) for label in found["rain"].tolist()} == {str}


def test_whole_numbers_as_floats_are_integer_states():
    data = pd.DataFrame({"sprinkler": [1.0, 2.0, math.nan]})
    exact = [model().query("wet", given).values for given in ({"sprinkler": 1}, {"sprinkler": 2}, {})]
    close(model().predict_proba(data, "wet")["wet"], np.array(exact))


def test_of_several_best_states_the_first_is_predicted():
    tables = {"a": [0.5, 0.5], "b": [[0.1, 0.45, 0.45], [0.4, 0.2, 0.4]]}
    network = dc.BayesianNetwork.discrete([("a", "b")], tables, {"a": ["z", "y"], "b": [3, 2, 1]})
    local = dc.localize(network)
    assert local.predict(pd.DataFrame({"a": ["z", "y"]}), "b")["b"].tolist() == [2, 3]
    assert local.predict(pd.DataFrame(index=[0]), "a")["a"].tolist() == ["z"]


def test_targets_that_are_not_there():
    for ask in (model().predict, model().predict_proba):
        with pytest.raises(dc.UnknownVariableError, match="unknown variable 'rian'; did you mean 'rain'"):
            ask(pd.DataFrame(ROWS), ["cloudy", "rian"])
        with pytest.raises(ValueError, match="'rain'"):
            ask(pd.DataFrame(ROWS), ["rain", "rain"])


def test_what_is_no_data_frame():
    with pytest.raises(dc.DataError, match="expected a data frame"):
        model().predict([{"rain": "much"}], "cloudy")


# --- rows that cannot be answered


@libraries
def test_an_impossible_row_is_named(library):
    for ask in (model().predict, model().predict_proba):
        with pytest.raises(dc.ImpossibleEvidenceError, match="row 1") as caught:
            ask(library(IMPOSSIBLE), "cloudy")
        assert caught.value.conflict == {"rain": "much", "wet": "dry", "sprinkler": 2}


@libraries
def test_an_impossible_row_may_be_left_open(library):
    found = model().predict_proba(library(IMPOSSIBLE), "cloudy", impossible="nan")["cloudy"]
    assert np.isnan(found[1]).all()
    assert np.isfinite(found[[0, 2]]).all()
    labels = column(model().predict(library(IMPOSSIBLE), ["cloudy"], impossible="nan"), "cloudy")
    assert pd.isna(labels[1])
    assert [bool(label) for label in (labels[0], labels[2])] == [True, False]


def test_the_first_impossible_row_is_named_whichever_cells_are_missing():
    rows = [{}, {"rain": "much"}, {"cloudy": True, "sprinkler": 1, "rain": "none"}, {"cloudy": True, "sprinkler": 1}]
    for order in (rows, [rows[0], rows[1], rows[3], rows[2]], [rows[2], rows[3], rows[0]], [rows[3], rows[2]]):
        data = frame([{name: row.get(name) for name in ("rain", "cloudy", "sprinkler")} for row in order], rows[2])
        first = next(place for place, row in enumerate(order) if "cloudy" in row)
        with pytest.raises(dc.ImpossibleEvidenceError, match=f"row {first}"):
            model().predict_proba(data, "wet")


@pytest.mark.parametrize("targets", ["a", ["a", "e", "f"]], ids=["one", "several"])
def test_an_opened_model_finds_impossible_rows_in_clusters_that_it_has_not_read(targets, tmp_path):
    edges = [("a", "b"), ("b", "e"), ("e", "f"), ("c", "d")]
    tables = {"a": [0.5, 0.5], "c": [0.5, 0.5], **{name: [[0.2, 0.8], [0.7, 0.3]] for name in "bef"}, "d": [[1, 0], [0.5, 0.5]]}
    dc.localize(dc.BayesianNetwork.discrete(edges, tables, dict.fromkeys("abcdef", (0, 1)))).save(tmp_path / "model.dcx")
    opened = dc.open_model(tmp_path / "model.dcx")
    opened._engine.store.tables.buffer[:] = 0.5  # whatever may stand in memory that was not written yet
    data = pd.DataFrame({"b": [0, 1], "c": [0, 0], "d": [0, 1]})
    with pytest.raises(dc.ImpossibleEvidenceError, match="row 1"):
        opened.predict_proba(data, targets)


def test_a_row_is_impossible_also_where_the_target_does_not_need_it():
    network = dc.BayesianNetwork.discrete(
        [("a", "b")], {"a": [0.5, 0.5], "b": [[1, 0], [0, 1]], "c": [0.2, 0.8]}, dict.fromkeys("abc", (0, 1))
    )
    local, data = dc.localize(network), pd.DataFrame({"a": [0, 0, 1], "b": [0, 1, 1]})
    with pytest.raises(dc.ImpossibleEvidenceError, match="row 1"):
        local.predict_proba(data, "c")
    found = local.predict_proba(data, "c", impossible="nan")["c"]
    assert np.isnan(found[1]).all()
    close(found[[0, 2]], np.array([[0.2, 0.8], [0.2, 0.8]]))


@libraries
def test_an_unknown_state_is_named_by_column_and_row(library):
    data = library({"rain": ["much", "none", "mch"], "wet": ["wet", "dry", "wet"]})
    for ask in (model().predict, model().predict_proba):
        with pytest.raises(dc.UnknownStateError, match="unknown state 'mch' of 'rain' in row 2; did you mean 'much'") as caught:
            ask(data, "cloudy")
        assert 'unknown="missing"' in str(caught.value)


@libraries
def test_an_unknown_state_may_count_as_missing(library):
    strange, missing = (library({"rain": ["much", cell], "wet": ["wet", "wet"]}) for cell in ("mch", None))
    close(
        model().predict_proba(strange, "cloudy", unknown="missing")["cloudy"],
        model().predict_proba(missing, "cloudy")["cloudy"],
    )
    assert column(model().predict(strange, "cloudy", unknown="missing"), "cloudy") == column(
        model().predict(missing, "cloudy"), "cloudy"
    )


@pytest.mark.parametrize("policy", [{"impossible": "ignore"}, {"unknown": "nan"}])
def test_policies_that_are_not_there(policy):
    for ask in (model().predict, model().predict_proba):
        with pytest.raises(ValueError, match=next(iter(policy.values()))):
            ask(pd.DataFrame(ROWS), "cloudy", **policy)


def test_rows_too_improbable_for_a_float():
    leaves = [f"x{k}" for k in range(300)]
    network = naive_bayes([[0.001, 0.002]] * 300)
    data = pd.DataFrame({leaf: [1, 0, 1 if k % 2 else None] for k, leaf in enumerate(leaves)})
    found = dc.localize(network).predict_proba(data, "class")["class"][:, 1]
    odds = [2.0**300, (0.998 / 0.999) ** 300, 2.0**150]
    np.testing.assert_allclose(found, [own / (1 + own) for own in odds], rtol=1e-9)


@pytest.mark.parametrize("coherent", [True, False])
def test_predictions_are_the_same_bits_by_any_number_of_threads(coherent):
    network = dc.load_network("asia")
    rows = network.sample(40_000, seed=1).astype(object)
    rows = rows.mask(np.random.default_rng(2).random(rows.shape) < 0.2)
    model = dc.fit(network, rows, prior=dc.BDeu(1), coherent=coherent)
    alone = model.predict_proba(rows, ["lung", "bronc"], n_jobs=1)
    for n_jobs in (2, 3, None, -1):
        found = model.predict_proba(rows, ["lung", "bronc"], n_jobs=n_jobs)
        assert all(found[name].tobytes() == alone[name].tobytes() for name in alone)
    for row in (0, 20_000, 39_999):
        evidence = {name: label for name, label in rows.iloc[row].items() if label == label and name not in ("lung", "bronc")}
        np.testing.assert_allclose(alone["lung"][row], model.query("lung", evidence).values, rtol=1e-9)
    assert model.predict(rows, "lung", n_jobs=2).equals(model.predict(rows, "lung", n_jobs=1))


def test_an_impossible_row_of_a_later_block_is_named():
    network = dc.load_network("asia")
    rows = network.sample(40_000, seed=1)[["tub", "lung", "either"]].astype(object)
    rows.loc[35_000] = ["yes", "no", "no"]
    model = dc.localize(network)
    with pytest.raises(dc.ImpossibleEvidenceError, match="in row 35000"):
        model.predict(rows, "xray", n_jobs=2)
    found = model.predict_proba(rows, "xray", impossible="nan", n_jobs=2)["xray"]
    assert np.flatnonzero(np.isnan(found[:, 0])).tolist() == [35_000]


def test_no_threads_are_refused():
    with pytest.raises(ValueError, match="n_jobs must not be 0"):
        dc.localize(dc.load_network("asia")).predict(dc.load_network("asia").sample(3, seed=1), "lung", n_jobs=0)


# --- as frames


@libraries
def test_probabilities_come_as_frames_of_the_callers_kind(library):
    data = library({"rain": ["much", None, "none"]})
    arrays, frames = (model().predict_proba(data, ["wet", "sprinkler"], as_frame=kind) for kind in (False, True))
    assert list(frames) == ["wet", "sprinkler"]
    for name, states in (("wet", ["wet", "dry"]), ("sprinkler", [1, 2])):
        own = model().states[name]
        assert sorted(map(str, own)) == sorted(map(str, states))
        assert type(frames[name]) is type(data)
        for k, state in enumerate(own):
            assert np.array_equal(column(frames[name], state if library is pd.DataFrame else str(state)), arrays[name][:, k])


def test_frames_of_probabilities_keep_the_index():
    data = pd.DataFrame({"rain": ["much", "none"]}, index=["monday", "tuesday"])
    found = model().predict_proba(data, "wet", as_frame=True)["wet"]
    assert list(found.index) == ["monday", "tuesday"]
    close(found.sum(axis=1), 1.0)


def test_states_that_are_spelled_alike_need_a_frame_of_pandas():
    network = dc.BayesianNetwork.discrete(
        [("a", "b")], {"a": [0.5, 0.5], "b": [[0.1, 0.9], [0.6, 0.4]]}, {"a": ["x", "y"], "b": [1, "1"]}
    )
    alike = dc.localize(network)
    assert list(alike.predict_proba(pd.DataFrame({"a": ["x"]}), "b", as_frame=True)["b"].columns) == [1, "1"]
    with pytest.raises(dc.DataError, match="two of \\[1, '1'\\] are spelled alike"):
        alike.predict_proba(pl.DataFrame({"a": ["x"]}), "b", as_frame=True)


# --- memory


@pytest.fixture
def small_blocks(monkeypatch):
    """Blocks of few rows, so that few rows make many of them."""
    from dconvex.inference import prediction, row_parts

    monkeypatch.setattr(row_parts, "ROWS_AT_ONCE", 8)
    monkeypatch.setattr(prediction, "ROWS_AT_ONCE", 8)


def test_rows_are_counted_before_anything_is_allocated():
    model = dc.localize(dc.load_network("asia"))
    rows = dc.load_network("asia").sample(5_000, seed=1)
    with pytest.raises(dc.TooLargeError, match=r"predicting 5,000 rows would take .* predict fewer rows or targets") as caught:
        model.predict_proba(rows, ["lung", "tub"], max_bytes=100_000)
    assert caught.value.estimate > 5_000 * 4 * 8
    assert len(model.predict_proba(rows, ["lung", "tub"], max_bytes=10_000_000)["lung"]) == 5_000
    genes = dc.load_network("ecoli70")
    with pytest.raises(dc.TooLargeError, match="predicting 5,000 rows"):
        dc.localize(genes).predict(genes.sample(5_000, seed=1), "lacA", max_bytes=100_000)


def test_parts_of_the_rows_give_the_same_bits(small_blocks, monkeypatch):
    from dconvex.inference import row_parts

    network = dc.load_network("asia")
    model, rows = dc.localize(network), network.sample(50, seed=1).drop(columns=["lung", "either"])
    whole, labels = model.predict_proba(rows, ["lung", "tub"]), model.predict(rows, "lung")
    monkeypatch.setattr(row_parts, "BYTES_AT_ONCE", 1)
    for jobs in (1, 2):
        parts = model.predict_proba(rows, ["lung", "tub"], n_jobs=jobs)
        assert all((parts[name] == whole[name]).all() for name in whole)
        assert model.predict(rows, "lung", n_jobs=jobs).equals(labels)
    genes = dc.load_network("ecoli70")
    numbers = genes.sample(50, seed=1)
    several = dc.localize(genes).predict(numbers, "lacA")
    monkeypatch.undo()
    np.testing.assert_allclose(several, dc.localize(genes).predict(numbers, "lacA"), rtol=1e-12)


def test_errors_number_the_rows_of_the_whole_table(small_blocks, monkeypatch):
    from dconvex.inference import row_parts

    monkeypatch.setattr(row_parts, "BYTES_AT_ONCE", 1)
    network = dc.load_network("asia")
    model, rows = dc.localize(network), network.sample(50, seed=1).astype(object)
    odd = rows.copy()
    odd.loc[29, "smoke"] = "often"
    with pytest.raises(dc.UnknownStateError, match="'often' of 'smoke' in row 29"):
        model.predict_proba(odd, "lung")
    rows.loc[29, ["tub", "lung", "either"]] = ["no", "no", "yes"]
    with pytest.raises(dc.ImpossibleEvidenceError, match="in row 29"):
        model.predict(rows, "smoke")
    assert model.predict(rows, "smoke", impossible="nan")["smoke"].isna().tolist() == [row == 29 for row in range(50)]
    line = dc.BayesianNetwork.gaussian([("x", "y")], {"x": (0.0, {}, 1.0), "y": (0.0, {"x": 1.0}, 0.0)})
    numbers = line.sample(50, seed=1).assign(z=0.0)
    numbers.loc[31, "y"] += 1
    two = dc.BayesianNetwork.gaussian(
        [("x", "y"), ("x", "z")], {"x": (0.0, {}, 1.0), "y": (0.0, {"x": 1.0}, 0.0), "z": (0.0, {"x": 1.0}, 1.0)}
    )
    with pytest.raises(dc.ImpossibleEvidenceError, match="in row 31"):
        dc.localize(two).predict(numbers, "z")


def test_what_a_plan_takes_is_counted_with_the_rows():
    """The error of a plan that is too large says how much all of it would take, and the limit that was given."""
    from inference.models import grid, in_one_cluster

    model = in_one_cluster(grid(9, 9))
    rows = pd.DataFrame({"0,0": [0, 1] * 50})
    with pytest.raises(dc.TooLargeError) as caught:
        model.predict_proba(rows, "8,8", max_bytes=8_000)
    assert caught.value.limit == 8_000
    assert caught.value.estimate > 8_000
