"""`dc.cross_validate` against a loop by hand; the same bits for any order of rows and columns and any number of threads."""

from __future__ import annotations

import math

import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pytest
from display.elements import root_of, texts
from sklearn import metrics

import dconvex as dc
from dconvex.evaluation.fold_table import FoldTable


@pytest.fixture(scope="module")
def network() -> dc.BayesianNetwork:
    return dc.load_network("asia")


@pytest.fixture(scope="module")
def rows(network) -> pd.DataFrame:
    return network.sample(300, seed=1)


@pytest.fixture(scope="module")
def found(network, rows) -> dc.CrossValidation:
    return dc.cross_validate(network, rows, "bronc", folds=4, prior=dc.BDeu(1))


def by_hand(network, rows, target, folds, **options):
    """The probabilities and the states of all rows, fold by fold."""
    table = FoldTable.of(rows, network.dag.nodes, target, None, folds, 0)
    chances, happened = [], []
    for fold in range(folds):
        train, test = (table.frame[mask] for mask in (table.fold_of != fold, table.fold_of == fold))
        model = dc.fit(network, train, states=table.states, **options)
        chances.append(model.predict_proba(test, target)[target])
        happened.append(pd.Categorical(test[target], model.states[target]).codes)
    return chances, happened


def test_each_fold_is_judged_by_a_model_of_the_others(network, rows, found):
    chances, happened = by_hand(network, rows, "bronc", 4, prior=dc.BDeu(1))
    for fold, own, codes in zip(found, chances, happened, strict=True):
        assert fold.scores["log_loss"] == pytest.approx(metrics.log_loss(codes, own, labels=[0, 1]))
        assert fold.scores["auc"] == pytest.approx(metrics.roc_auc_score(codes, own[:, 1]))
        assert fold.tested == len(codes)
        assert fold.trained == 300 - fold.tested
    together, codes = np.concatenate(chances), np.concatenate(happened)
    assert found.pooled.rows == 300
    assert found.scores["log_loss"] == pytest.approx(metrics.log_loss(codes, together, labels=[0, 1]))
    losses = [fold.scores["log_loss"] for fold in found]
    assert found.means["log_loss"] == pytest.approx(np.mean(losses))
    assert found.deviations["log_loss"] == pytest.approx(np.std(losses, ddof=1))


def test_order_threads_and_libraries_make_no_difference(network, rows, found):
    shuffled = rows.sample(frac=1, random_state=5)[list(rows.columns[::-1])]
    for data, jobs in ((shuffled, 1), (rows, 3), (pl.from_pandas(rows).with_columns(pl.all().cast(pl.Enum(["yes", "no"]))), 2)):
        again = dc.cross_validate(network, data, "bronc", folds=4, prior=dc.BDeu(1), n_jobs=jobs)
        assert again.scores == found.scores
        assert [fold.scores for fold in again] == [fold.scores for fold in found]


def test_another_seed_gives_other_folds(network, rows, found):
    again = dc.cross_validate(network, rows, "bronc", folds=4, prior=dc.BDeu(1), seed=1)
    assert again.scores != found.scores


def test_folds_are_stratified_by_the_target(network, rows):
    table = FoldTable.of(rows, network.dag.nodes, "bronc", None, 7, 3)
    counts = pd.crosstab(table.fold_of, table.frame["bronc"].astype(str))
    assert (counts.max() - counts.min()).max() <= 1
    assert (counts.sum(axis=1).max() - counts.sum(axis=1).min()) <= 1


def test_graphs_that_are_learned_in_each_fold(network, rows):
    def star(table):
        """From the column that agrees most often with bronc, to show that the rows matter."""
        agreement = {name: (table[name].astype(str) == table["bronc"].astype(str)).mean() for name in ("dysp", "smoke", "xray")}
        sizes.append(len(table))
        return [(max(sorted(agreement), key=agreement.__getitem__), "bronc"), ("smoke", "lung")]

    sizes: list[int] = []
    found = dc.cross_validate(star, rows, "bronc", folds=3, prior=dc.BDeu(1), n_jobs=1)
    assert sizes == [200, 200, 200]
    assert found.is_learned
    assert found.edge_counts["smoke", "lung"] == 3
    assert "of 2 edges in any of the graphs 2 are in all of them" in str(found)
    assert list(found.edge_counts.values()) == sorted(found.edge_counts.values(), reverse=True)
    assert set(found.folds[0].dag.nodes) <= set(network.dag.nodes)


def test_methods_of_structure_learning(rows):
    found = dc.cross_validate("greedy", rows, "bronc", folds=3, prior=dc.BDeu(1))
    again = dc.cross_validate(lambda own: dc.learn_structure(own, method="greedy"), rows, "bronc", folds=3, prior=dc.BDeu(1))
    assert [fold.dag for fold in found] == [fold.dag for fold in again]
    assert found.scores == again.scores
    assert set(found.folds[0].dag.nodes) == set(rows.columns)
    numbers = dc.load_network("ecoli70").sample(50, seed=1)[["lacA", "lacY", "asnA"]]
    weighted = dc.cross_validate("greedy", numbers.assign(w=1.0), "lacA", folds=2, weights="w")
    assert weighted.scores == pytest.approx(dc.cross_validate("greedy", numbers, "lacA", folds=2).scores)
    with pytest.raises(ValueError, match="did you mean 'greedy'"):
        dc.cross_validate("gredy", rows)


def test_intervals_are_found_in_each_fold():
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"x": rng.normal(size=90), "n": rng.integers(0, 40, 90), "y": rng.integers(0, 2, 90)})
    frame["x"] += frame["y"]
    edges, cut = [("y", "x"), ("y", "n")], dc.discretize(frame, ["x", "n"], bins=3)
    given = dc.cross_validate(edges, frame, "y", folds=3, discretizer=cut, prior=dc.BDeu(1))
    before = cut.transform(frame).assign(y=frame["y"])
    by_hand = dc.cross_validate(edges, before, "y", folds=3, prior=dc.BDeu(1))
    assert given.pooled.rows == by_hand.pooled.rows == 90
    seen: list[int] = []

    def cutter(rows):
        seen.append(len(rows))
        return dc.discretize(rows, ["x", "n"], bins=3)

    found = dc.cross_validate(edges, frame, "y", folds=3, discretizer=cutter, prior=dc.BDeu(1), n_jobs=1)
    assert seen == [60, 60, 60]
    assert found.scores != given.scores
    table = FoldTable.of(frame, ["x", "n", "y"], "y", None, 3, 0)
    train, test = table.split(0)
    own = dc.fit(edges, train, discretizer=dc.discretize(train, ["x", "n"], bins=3), prior=dc.BDeu(1))
    assert own.evaluate(test, "y").log_loss == pytest.approx(found.folds[0].scores["log_loss"])
    for structure in ("greedy", lambda rows: dc.learn_structure(rows, method="greedy")):
        learned = dc.cross_validate(structure, frame, "y", folds=3, discretizer=cutter, prior=dc.BDeu(1), n_jobs=1)
        assert set(learned.folds[0].dag.nodes) == {"x", "n", "y"}
        assert learned.pooled.rows == 90
    with pytest.raises(TypeError, match=r"dc\.discretize"):
        dc.cross_validate(edges, frame, "y", discretizer="quantile")
    with pytest.raises(dc.DataError, match="the states of 'x' differ between folds"):
        dc.cross_validate(edges, frame, "x", folds=3, discretizer=cutter, prior=dc.BDeu(1))


def test_any_graph_will_do(network, rows, found):
    for graph in (network.dag, nx.DiGraph(network.dag.edges), network.dag.edges):
        assert dc.cross_validate(graph, rows, "bronc", folds=4, prior=dc.BDeu(1)).scores == found.scores


def test_without_a_target_the_log_likelihood_of_rows_counts(network, rows):
    found = dc.cross_validate(network, rows, folds=3, prior=dc.BDeu(1))
    table = FoldTable.of(rows, network.dag.nodes, None, None, 3, 0)
    values = []
    for fold in range(3):
        train, test = table.split(fold)
        values.append(dc.fit(network, train, states=table.states, prior=dc.BDeu(1)).log_likelihood(test))
    assert found.scores["log_likelihood"] == pytest.approx(np.concatenate(values).mean())
    assert found.means["log_likelihood"] == pytest.approx(np.mean([own.mean() for own in values]))
    assert found.target is None
    shown = texts(root_of(found._repr_html_()))
    assert {"fold 0", "fold 1", "fold 2"} <= set(shown)


def test_without_a_prior_zeros_are_said(network, rows):
    found = dc.cross_validate(network, rows[:40], folds=3)
    assert found.scores["log_likelihood"] == -math.inf
    assert "probability zero; pass a prior" in str(found)
    assert "±" not in str(found)
    root_of(found._repr_html_())
    with_target = dc.cross_validate(network, rows[:40], "bronc", folds=3)
    assert "probability zero; pass a prior" in str(with_target)


def test_an_impossible_row_is_an_error_where_wanted():
    rows = pd.DataFrame({"a": [0, 0, 0, 0, 0, 1], "b": list("xyxyxy")})
    graph = [("a", "b")]
    assert dc.cross_validate(graph, rows, "b", folds=2).pooled.left_out.impossible == 1
    with pytest.raises(dc.ImpossibleEvidenceError, match=r"\(in fold \d, in which rows have numbers of their own\)"):
        dc.cross_validate(graph, rows, "b", folds=2, impossible="raise")


def test_weights_gaps_and_em(network, rows):
    weighted = rows.assign(w=np.arange(300) % 3).astype(object)
    weighted.loc[5:25, "smoke"] = None
    weighted.loc[50:59, "bronc"] = None
    weighted["w"] = weighted["w"].astype(float)
    found = dc.cross_validate(network, weighted, "bronc", folds=3, prior=dc.BDeu(1), weights="w")
    assert found.pooled.left_out.missing == 10
    assert found.pooled.weight == weighted["w"].drop(index=range(50, 60)).sum()
    em = dc.cross_validate(network, weighted, "bronc", folds=3, prior=dc.BDeu(1), weights="w", missing="em", coherent=True)
    assert em.scores != found.scores
    assert em.pooled.rows == found.pooled.rows


def test_a_fold_without_any_target_has_no_scores(network, rows):
    few = rows[:12].astype(object)
    few.loc[3:, "bronc"] = None
    found = dc.cross_validate(network, few, "bronc", folds=4, prior=dc.BDeu(1))
    assert found.pooled.rows == 3
    assert [len(fold.scores) for fold in found].count(0) == 1
    assert found.to_frame()["accuracy"].isna().sum() == 1


def test_numbers():
    network = dc.load_network("ecoli70")
    rows = network.sample(60, seed=1)
    found = dc.cross_validate(network, rows, "lacA", folds=3)
    again = dc.cross_validate(network, rows.sample(frac=1, random_state=1), "lacA", folds=3, n_jobs=1)
    assert found.scores == again.scores
    assert found.pooled.rows == 60
    assert found.scores["rmse"] < found.pooled.spread
    assert "RMSE" in str(found)
    root_of(found._repr_html_())


def test_the_memory_of_one_fold_is_enough(network, rows, found):
    """Folds that a share of the memory is too small for follow one by one."""
    for limit in (1 << power for power in range(8, 30)):
        try:
            model = dc.fit(network, rows, max_bytes=limit)
            model.evaluate(rows, "bronc", max_bytes=limit, impossible="nan")
            break
        except dc.TooLargeError:
            continue
    small = dc.cross_validate(network, rows, "bronc", folds=4, prior=dc.BDeu(1), max_bytes=limit)
    assert small.scores == found.scores
    with pytest.raises(dc.TooLargeError):
        dc.cross_validate(network, rows, "bronc", folds=4, max_bytes=10)


def test_tables(found):
    frame = found.to_frame()
    assert frame["tested"].sum() == 300
    assert frame["edges"].tolist() == [8] * 4
    assert frame["accuracy"].tolist() == [fold.scores["accuracy"] for fold in found]
    assert len(found) == 4
    assert repr(found.folds[0]).startswith("FoldScores(0: accuracy ")
    assert "Cross-validation of bronc in 4 folds of 300 rows" in str(found)
    assert "bronc, 300 rows" in texts(root_of(found._repr_html_()))


def test_what_is_refused(network, rows):
    for options, what in (({"folds": 1}, "folds must be at least 2"), ({"bins": 0}, "bins must be at least 1")):
        with pytest.raises(ValueError, match=what):
            dc.cross_validate(network, rows, "bronc", **options)
    with pytest.raises(dc.DataError, match="there are 300 rows for 301 folds"):
        dc.cross_validate(network, rows, "bronc", folds=301)
    with pytest.raises(dc.DataError, match="expected a data frame"):
        dc.cross_validate(network, "rows.csv", "bronc")
    with pytest.raises(dc.UnknownVariableError, match="did you mean 'bronc'"):
        dc.cross_validate(network, rows, "bronch")
    with pytest.raises(dc.DataError, match="unknown column 'bronc'"):
        dc.cross_validate(network, rows.drop(columns="bronc"), "bronc")
    with pytest.raises(dc.DataError, match="'smoke'"):
        dc.cross_validate(network, rows.drop(columns="smoke"), "bronc")
    with pytest.raises(dc.DataError, match="mixed"):
        dc.cross_validate([("a", "b")], pd.DataFrame({"a": [0.5, 1.5] * 5, "b": list("xy") * 5}), "b", folds=2)


def test_declared_states(network, rows):
    states = {"bronc": ["yes", "no", "unknown"]}
    found = dc.cross_validate(network, rows, "bronc", folds=2, states=states, prior=dc.BDeu(1))
    assert found.pooled.states == ("yes", "no", "unknown")
    two = {"bronc": ["yes"]}
    with pytest.raises(dc.DataError, match=r"unknown state .no."):
        dc.cross_validate(network, rows, "bronc", folds=2, states=two)
    only = dc.cross_validate(network, rows, "bronc", folds=2, states=two, unknown="missing")
    assert only.pooled.left_out.missing == (rows["bronc"] == "no").sum()


def test_states_of_the_target_that_differ():
    from dconvex.evaluation.fold_results import _pooled
    from dconvex.inference.classification import ScoredRows
    from dconvex.inference.outcomes import DiscreteOutcomes
    from dconvex.inference.row_likelihood import LeftOut

    scored = ScoredRows(np.zeros(1, int), np.full((1, 2), 0.5), np.ones(1))
    both = [DiscreteOutcomes("a", states, scored, LeftOut()) for states in (("x", "y"), ("x", "z"))]
    with pytest.raises(dc.DataError, match="differ between folds"):
        _pooled(both, 10)
