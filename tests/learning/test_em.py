"""EM of discrete networks: laws, and behaviour at the edges."""

import itertools
import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from learning.samples import samples

import dconvex as dc

PRIORS = [None, dc.BDeu(5), dc.Dirichlet(0.5)]


def with_gaps(rows, share, seed=0):
    """The rows with a share of the cells missing."""
    plain = rows.astype(object)
    return plain.where(np.random.default_rng(seed).random(plain.shape) >= share, None)


def usable(sample):
    """Every column shows some cell."""
    return sample.rows.notna().any().all()


def tables_of(model):
    """All tables that were learned; those of a coherent model that are derived come later."""
    return model.network().parameters.values if model.coherent else model._engine.store.tables.values


@given(samples(missing=True).filter(usable), st.sampled_from(PRIORS), st.booleans())
@settings(deadline=None, max_examples=60)
def test_the_objective_never_falls(sample, prior, coherent):
    how = dc.EM(tolerance=0, max_iterations=15)
    report = dc.fit(sample.dag, sample.rows, prior=prior, coherent=coherent, states=sample.states, missing=how).report()
    for before, after in itertools.pairwise(report.em.objective):
        assert after >= before - 1e-9 * max(1, abs(before))
    if prior is None:
        assert report.em.objective == report.em.log_likelihood


@given(samples(), st.sampled_from(PRIORS), st.booleans())
@settings(deadline=None, max_examples=40)
def test_without_gaps_it_is_fit_bit_for_bit(sample, prior, coherent):
    how = {"prior": prior, "coherent": coherent, "states": sample.states}
    plain, em = dc.fit(sample.dag, sample.rows, **how), dc.fit(sample.dag, sample.rows, missing="em", **how)
    assert np.array_equal(tables_of(plain), tables_of(em))
    assert em.report().em.converged
    assert em.report().unobserved == plain.report().unobserved
    assert em.network() == plain.network()


def available_start(dag, rows, states):
    """The documented start: available cells, and one row more in each row of each table."""
    pseudo = dc.fit(dag, rows, states=states, coherent=True)
    statistics = pseudo._origin.statistics().part.tallies
    arrays = {}
    for number, name in enumerate(dag.nodes):
        table = statistics.table(number) + 1 / len(states[name])
        arrays[name] = table / table.sum(axis=-1, keepdims=True)
    return dc.BayesianNetwork.discrete(dag, arrays, states)


def completed(network, row):
    """Every completion of a row and its probability."""
    ranges = [network.states[v] if row[v] is None else [row[v]] for v in network.dag.nodes]
    frame = pd.DataFrame(list(itertools.product(*ranges)), columns=pd.Index(network.dag.nodes, dtype=object), dtype=object)
    return frame, np.exp(network.log_likelihood(frame))


def iterated(network, rows, prior):
    """One iteration of EM by enumeration; a row counts for the ancestors of its observed cells."""
    dag, states = network.dag, network.states
    counts = {v: np.zeros([len(states[m]) for m in (*dag.parents(v), v)]) for v in dag.nodes}
    log_likelihood = 0.0
    for row in rows.to_dict("records"):
        observed = [v for v in dag.nodes if row[v] is not None]
        counted = {*observed}.union(*(dag.ancestors([v]) for v in observed))
        frame, probability = completed(network, row)
        log_likelihood += np.log(probability.sum())
        for completion, weight in zip(frame.to_dict("records"), (probability / probability.sum()).tolist(), strict=True):
            for v in counted:
                counts[v][tuple(states[m].index(completion[m]) for m in (*dag.parents(v), v))] += weight
    arrays = {}
    for v, own in counts.items():
        own += 0 if prior is None else prior.pseudo_count(own.size)
        totals = own.sum(axis=-1, keepdims=True)
        arrays[v] = np.divide(own, totals, out=np.full(own.shape, 1 / own.shape[-1]), where=totals > 0)
    return dc.BayesianNetwork.discrete(dag, arrays, states), log_likelihood


@given(samples(missing=True, max_rows=12, max_nodes=5).filter(usable), st.sampled_from(PRIORS))
@settings(deadline=None, max_examples=25)
def test_iterations_are_those_of_enumeration(sample, prior):
    rows = sample.rows.astype(object).where(sample.rows.notna(), None)
    network = available_start(sample.dag, rows, sample.states)
    how = dc.EM(tolerance=0, max_iterations=3)
    model = dc.fit(sample.dag, rows, states=sample.states, prior=prior, coherent=True, missing=how)
    found = model.report().em
    trace = []
    for _ in range(found.iterations + 1):
        final = network
        network, log_likelihood = iterated(network, rows, prior)
        trace.append(log_likelihood)
    np.testing.assert_allclose(found.log_likelihood, trace[1:], rtol=1e-9, atol=1e-9)
    for v in sample.dag.nodes:
        np.testing.assert_allclose(model.network().family(v).values, final.family(v).values, atol=1e-8)


@pytest.mark.parametrize("coherent", [True, False])
def test_threads_batches_and_the_order_of_rows_make_no_difference(coherent):
    network = dc.load_network("alarm")
    rows = with_gaps(network.sample(3000, seed=3), 0.2)
    parts = [rows.iloc[first : first + 700] for first in range(0, 3000, 700)]
    how = {"coherent": coherent, "missing": "em", "states": network.states}
    one = dc.fit(network, rows, n_jobs=1, **how)
    for other in (
        dc.fit(network, rows, n_jobs=3, **how),
        dc.fit(network, iter(parts), n_jobs=2, **how),
        dc.fit(network, rows.sample(frac=1, random_state=1), **how),
    ):
        assert np.array_equal(tables_of(one), tables_of(other))
        assert one.report().em == other.report().em


def test_a_table_without_a_column_has_it_missing():
    network = dc.load_network("asia")
    rows = network.sample(2000, seed=1).astype(object)
    apart = [rows.iloc[:1000].drop(columns="lung"), rows.iloc[1000:].drop(columns=["smoke", "xray"])]
    blank = rows.copy()
    blank.loc[blank.index[:1000], "lung"] = None
    blank.loc[blank.index[1000:], ["smoke", "xray"]] = None
    how = {"coherent": True, "missing": "em", "states": network.states}
    split, together = dc.fit(network, apart, **how), dc.fit(network, blank, **how)
    assert np.array_equal(tables_of(split), tables_of(together))
    assert split.report().em.filled == 3000
    with pytest.raises(dc.DataError, match="no table has all the columns"):
        dc.fit(network, apart, coherent=True)


def test_files_and_partitions_are_the_same_rows(tmp_path):
    dd = pytest.importorskip("dask.dataframe")
    network = dc.load_network("asia")
    rows = with_gaps(network.sample(1000, seed=1), 0.2)
    rows.to_csv(tmp_path / "rows.csv", index=False)
    how = {"coherent": True, "missing": "em", "states": network.states}
    one = dc.fit(network, rows, **how)
    assert np.array_equal(tables_of(one), tables_of(dc.fit(network, tmp_path / "rows.csv", **how)))
    partitioned = dc.fit(network, dd.from_pandas(rows, npartitions=3), **how)  # sums of partitions are rounded otherwise
    np.testing.assert_allclose(tables_of(one), tables_of(partitioned), rtol=1e-10, atol=1e-10)


def test_cells_missing_at_random_leave_no_bias():
    """b is missing where a shows "yes" more often than not: available cases are biased, EM is not."""
    network = dc.BayesianNetwork.discrete(
        [("a", "b")], {"a": [0.5, 0.5], "b": [[0.9, 0.1], [0.1, 0.9]]}, {"a": ["no", "yes"], "b": ["no", "yes"]}
    )
    reverse = dc.Dag([("b", "a")])
    rows = network.sample(20_000, seed=1).astype(object)
    is_gone = (rows["a"] == "yes") & (np.random.default_rng(7).random(len(rows)) < 0.8)
    rows.loc[is_gone, "b"] = None
    em = dc.fit(reverse, rows, coherent=True, missing="em").query("b")["yes"]
    available = dc.fit(reverse, rows, coherent=True).query("b")["yes"]
    assert em == pytest.approx(0.5, abs=0.02)
    assert available < 0.3


def test_the_report_and_the_model_survive_a_file(tmp_path):
    network = dc.load_network("asia")
    rows = with_gaps(network.sample(1000, seed=1), 0.2)
    model = dc.fit(network, rows, coherent=True, missing=dc.EM(tolerance=1e-8, max_iterations=50), prior=dc.BDeu(1))
    model.save(tmp_path / "asia.dconvex", statistics=True)
    opened = dc.open_model(tmp_path / "asia.dconvex")
    assert opened.report() == model.report()
    assert opened.network() == model.network()
    assert "EM filled" in str(opened.report())
    assert "converged after" in str(opened.report())
    more = with_gaps(network.sample(500, seed=2), 0.2)
    assert np.array_equal(tables_of(opened.updated(more)), tables_of(model.updated(more)))
    statistics = model._origin.statistics()
    statistics.save(tmp_path / "counts.dconvex")
    assert dc.Statistics.load(tmp_path / "counts.dconvex") == statistics
    assert np.array_equal(tables_of(dc.fit(network, statistics, coherent=True, prior=dc.BDeu(1))), tables_of(model))


def test_an_update_is_incremental():
    network = dc.load_network("asia")
    how = {"coherent": True, "missing": dc.EM(tolerance=1e-9), "states": network.states}
    complete, gaps = network.sample(1000, seed=1), with_gaps(network.sample(1000, seed=2), 0.2)
    updated = dc.fit(network, complete, **how).updated(gaps)
    everything = dc.fit(network, [complete, gaps], **how)
    np.testing.assert_allclose(tables_of(updated), tables_of(everything), atol=1e-3)  # old rows have no gaps: nothing is lost
    assert updated.report().rows == 2000
    new_state = pd.DataFrame({name: [labels[0]] for name, labels in network.states.items()}).replace({"asia": {"yes": "far"}})
    free = dc.fit(network, complete.astype(object), coherent=True, missing="em").updated(new_state.astype(object))
    assert set(free.states["asia"]) == {"yes", "no", "far"}


def by_pyagrum(start, rows, pseudo):
    """Their EM from a start, without noise, until it rises no more."""
    import pyagrum

    given = dc.to_pyagrum(start)
    learner = pyagrum.BNLearner(rows.astype(object).where(rows.notna(), "?"), given, ["?"])
    if pseudo:
        learner.useSmoothingPrior(pseudo)
    learner.useEMWithRateCriterion(1e-8, 0.0)
    learner.EMsetMaxIter(200)
    return dc.from_pyagrum(learner.learnParameters(given, False))


SLOW = pytest.mark.slow


@pytest.mark.parametrize(
    ("name", "count", "pseudo"),  # without a prior pyAgrum refuses configurations of parents that no row has
    [("asia", 300, None), pytest.param("alarm", 100, 0.01, marks=SLOW), pytest.param("hepar2", 60, 1.0, marks=SLOW)],
)
def test_pyagrum_comes_to_the_same_likelihood(name, count, pseudo, tmp_path, monkeypatch):
    pytest.importorskip("pyagrum")
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    network = dc.load_network(name)
    rows = with_gaps(network.sample(count, seed=5), 0.1)
    how = {"states": network.states, "coherent": True}
    start = dc.fit(network, network.sample(2000, seed=6), prior=dc.Dirichlet(1), **how).network()
    how["prior"] = None if pseudo is None else dc.Dirichlet(pseudo)
    ours = dc.fit(network, rows, missing=dc.EM(tolerance=1e-11, max_iterations=3000, start=start), **how).report().em
    theirs = by_pyagrum(start, rows, pseudo)
    # one iteration of ours from their tables, at which it rises no more
    again = dc.fit(network, rows, missing=dc.EM(max_iterations=1, start=theirs), **how).report().em
    assert ours.converged
    assert again.log_likelihood[-1] == pytest.approx(ours.log_likelihood[-1], rel=1e-6)


def test_a_start_is_taken_as_it_is():
    network = dc.load_network("asia")
    rows = with_gaps(network.sample(500, seed=1), 0.3)
    model = dc.fit(network, rows, coherent=True, missing=dc.EM(start=network, max_iterations=1))
    assert model.report().em.iterations == 1
    assert not model.report().em.converged
    assert "not converged" in str(model.report())
    again = dc.fit(network, rows, coherent=True, missing=dc.EM(start=model.network(), max_iterations=1))
    assert again.report().em.objective[0] >= model.report().em.objective[0]
    with pytest.raises(ValueError, match="coherent=True"):
        dc.fit(network, rows, missing=dc.EM(start=network))
    with pytest.raises(ValueError, match="same graph"):
        dc.fit(dc.Dag([("lung", "smoke")]), rows, coherent=True, missing=dc.EM(start=dc.load_network("cancer")), states={})


def test_rows_that_a_start_makes_impossible_are_named():
    states = {"a": ["x", "y"], "b": ["x", "y"]}
    start = dc.BayesianNetwork.discrete([("a", "b")], {"a": [0.5, 0.5], "b": [[1.0, 0.0], [1.0, 0.0]]}, states)
    rows = pd.DataFrame({"a": [None, "x", "y"], "b": ["y", "x", "x"]}, dtype=object)
    with pytest.raises(dc.DataError, match="probability zero under start="):
        dc.fit(start, rows, coherent=True, missing=dc.EM(start=start))


def test_restarts_are_reported_and_the_best_wins():
    network = dc.load_network("asia")
    rows = with_gaps(network.sample(300, seed=1), 0.5)
    report = dc.fit(network, rows, coherent=True, missing=dc.EM(restarts=4, seed=3)).report().em
    assert len(report.restarts) == 4
    assert report.restarts[report.best] == max(report.restarts) == report.objective[-1]
    again = dc.fit(network, rows, coherent=True, missing=dc.EM(restarts=4, seed=3)).report().em
    assert again == report


def test_empty_columns_and_absent_ones_name_hidden():
    rows = pd.DataFrame({"a": ["x", "y"], "b": [None, None]}, dtype=object)
    dag = dc.Dag([("a", "b")])
    with pytest.raises(dc.DataError, match=r"'b' has no values.*hidden=\{'b'"):
        dc.fit(dag, rows, coherent=True, missing="em")
    with pytest.raises(dc.DataError, match=r"'b' has no values.*hidden=\{'b'"):
        dc.fit(dag, rows, missing="em", states={"b": ["x", "y"]})
    with pytest.raises(dc.DataError, match=r"no table has a column 'b'.*hidden=\{'b'"):
        dc.fit(dag, rows[["a"]], coherent=True, missing="em")
    with pytest.raises(dc.DataError, match="no rows"):
        dc.fit(dag, rows.iloc[:0], coherent=True, missing="em")


def test_one_row_and_constant_columns():
    dag = dc.Dag([("a", "b"), ("b", "c")])
    one = dc.fit(dag, pd.DataFrame({"a": ["x"], "b": ["y"], "c": ["z"]}), coherent=True, missing="em")
    assert one.report().em.log_likelihood[-1] == 0
    rows = pd.DataFrame({"a": ["x", None, "x"], "b": ["y", "y", None], "c": [None, "z", "w"]}, dtype=object)
    for coherent in (True, False):
        model = dc.fit(dag, rows, coherent=coherent, missing="em")
        assert model.query("a")["x"] == 1
        assert model.report().em.converged


def test_what_is_too_large_is_refused_by_its_pattern(monkeypatch):
    size = 14
    names = [f"v{k}" for k in range(size)]
    pairs = [(a, f"{a}{b}") for a, b in itertools.combinations(names, 2)] + [
        (b, f"{a}{b}") for a, b in itertools.combinations(names, 2)
    ]
    dag = dc.Dag(pairs)
    rows = pd.DataFrame({name: ["x", "y"] for name in dag.nodes}, dtype=object)
    rows.loc[1, names] = None
    monkeypatch.setattr("dconvex.learning.estimation.em.maximum", None)  # it is refused before the work starts
    with pytest.raises(dc.TooLargeError, match=r"the posterior of 'v0', .* and 8 more, which are missing in one row"):
        dc.fit(dag, rows, coherent=True, missing="em", max_bytes=200_000, states={name: ["x", "y"] for name in dag.nodes})
    with pytest.raises(dc.TooLargeError, match="rows of the data"):
        dc.fit(dc.load_network("asia"), dc.load_network("asia").sample(1000, seed=1), missing="em", max_bytes=1000)


def test_what_rows_leave_open_counts():
    network = dc.load_network("asia")
    rows = with_gaps(network.sample(2000, seed=1), 0.5)
    with pytest.raises(dc.TooLargeError, match=r"what is missing in the rows would take .* Raise max_bytes"):
        dc.fit(network, rows, coherent=True, missing="em", max_bytes=30_000)


def test_options_that_do_not_go_together():
    network = dc.load_network("asia")
    rows = network.sample(50, seed=1)
    with pytest.raises(ValueError, match="missing='drop' is unknown"):
        dc.fit(network, rows, missing="drop")
    with pytest.raises(ValueError, match="hidden= needs missing"):
        dc.fit(network, rows, hidden={"lung": ["a", "b"]})
    with pytest.raises(ValueError, match="hidden= needs coherent=True"):
        dc.fit(network, rows.drop(columns="lung"), hidden={"lung": ["a", "b"]}, missing="em")
    with pytest.raises(ValueError, match="statistics have none"):
        dc.fit(network, dc.statistics(network, rows), missing="em")
    with pytest.raises(ValueError, match="Gaussian"):
        dc.fit(network, rows, missing="em", prior=dc.NormalInverseGamma())
    for wrong in ({"tolerance": -1}, {"max_iterations": 0}, {"restarts": 0}):
        with pytest.raises(ValueError, match=r"tolerance|at least one"):
            dc.EM(**wrong)
    with pytest.raises(TypeError, match="BayesianNetwork"):
        dc.EM(start="asia")


def test_an_interrupt_ends_a_pass(monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    network = dc.load_network("asia")
    rows = with_gaps(network.sample(300, seed=1), 0.3)
    monkeypatch.setattr("dconvex.progress.Iterations.show", interrupted)
    with pytest.raises(KeyboardInterrupt):
        dc.fit(network, rows, coherent=True, missing="em", n_jobs=2)


def test_a_hidden_variable_is_found():
    """Three children of a hidden cause; the names of its states are free."""
    follows = [[0.9, 0.1], [0.2, 0.8]]
    names = ["x", "y", "z"]
    truth = dc.BayesianNetwork.discrete(
        [("h", name) for name in names], {"h": [0.4, 0.6], **dict.fromkeys(names, follows)}, {n: ["no", "yes"] for n in "hxyz"}
    )
    rows = truth.sample(20_000, seed=1).drop(columns="h")
    how = {
        "coherent": True,
        "hidden": {"h": ["one", "two"]},
        "missing": dc.EM(tolerance=1e-10, max_iterations=3000, restarts=3),
    }
    model = dc.fit(truth.dag, rows, **how)
    assert sorted(model.query("h").values.tolist()) == pytest.approx([0.4, 0.6], abs=0.03)
    assert model.report().em.alike == ()
    assert model.states["h"] == ("one", "two")
    with pytest.raises(dc.DataError, match="a table has its column"):
        dc.fit(truth.dag, truth.sample(10, seed=1), **{**how, "hidden": {"h": ["no", "yes"]}})
    alone = dc.fit(dc.Dag([("h", "x")]), rows[["x"]], coherent=True, missing="em", hidden={"h": ["one", "two"]})
    assert alone.report().em.log_likelihood[-1] == pytest.approx(20_000 * -_entropy(rows["x"]), rel=1e-6)


def _entropy(column):
    share = column.value_counts(normalize=True)
    return -(share * np.log(share)).sum()


@pytest.mark.parametrize("coherent", [True, False])
def test_complete_rows_only(coherent):
    network = dc.load_network("asia")
    rows = with_gaps(network.sample(2000, seed=1), 0.1)
    how = {"coherent": coherent, "states": network.states}
    model = dc.fit(network, rows, missing="complete", **how)
    assert np.array_equal(tables_of(model), tables_of(dc.fit(network, rows.dropna(), **how)))
    assert model.report().rows == 2000
    lacking = dc.statistics(network, [rows, rows.drop(columns="lung")], missing="complete", **how)
    assert np.array_equal(lacking.part.tallies.counts, model._origin.statistics().part.tallies.counts)
    with pytest.raises(ValueError, match="needs parameters"):
        dc.statistics(network, rows, missing="em")


def test_complete_rows_of_numbers():
    network = dc.random_gaussian_network(dc.random_dag(5, 6, seed=1), seed=1)
    rows = network.sample(200, seed=1)
    gaps = rows.mask(np.random.default_rng(0).random(rows.shape) < 0.1)
    complete, dropped = dc.fit(network, gaps, missing="complete"), dc.fit(network, gaps.dropna())
    assert complete.network() == dropped.network()


def test_local_em_is_em_of_each_cluster():
    network = dc.load_network("asia")
    rows = with_gaps(network.sample(1500, seed=4), 0.2)
    how = {"missing": dc.EM(tolerance=1e-12, max_iterations=500), "states": network.states}
    local = dc.fit(network, rows, **how)
    for cluster in local.tree.clusters:
        own = network.dag.induced(cluster)
        states = {name: network.states[name] for name in own.nodes}
        alone = dc.fit(own, rows[list(own.nodes)], coherent=True, missing=how["missing"], states=states)
        for name in own.nodes:
            if (
                set(own.parents(name)) == set(network.dag.parents(name))
                and sum({name, *network.dag.parents(name)} <= set(other) for other in local.tree.clusters) == 1
            ):
                mine, theirs = local.network().family(name), alone.network().family(name)
                assert mine.parents == theirs.parents
                np.testing.assert_allclose(mine.values, theirs.values, atol=1e-10)


class ShownStatus:
    """What a bar shows, instead of a terminal."""

    def __init__(self, text):
        self.texts = [text]

    def start(self):
        self.texts.append("started")

    def update(self, text):
        self.texts.append(text)

    def stop(self):
        self.texts.append("stopped")


@pytest.fixture
def bars(monkeypatch):
    """All that is shown of iterations, from the first one on."""
    shown = []
    monkeypatch.setattr("dconvex.progress.PATIENCE", 0.0)
    monkeypatch.setattr("rich.console.Console.status", lambda _, text: shown.append(ShownStatus(text)) or shown[-1])
    return shown


def test_the_bar_of_a_search_shows_its_score(bars, monkeypatch):
    monkeypatch.setattr("dconvex.structure.climbing.AT_ONCE", 1)
    rows = dc.load_network("asia").sample(300, seed=1)
    dc.learn_structure(rows, method="greedy", progress=True)
    assert bars[-1].texts[0] == "learning a structure (greedy): iteration 1"  # scores of families so far
    assert re.search(r"iteration \d+, score -\d+\.\d{3}$", bars[-1].texts[-2])
    dc.learn_structure(rows, method="exact", progress=True)
    assert bars[-1].texts[0] == "learning a structure (exact): iteration 0"


def test_the_bar_shows_iterations_and_log_likelihood(bars):
    network = dc.load_network("asia")
    rows = with_gaps(network.sample(300, seed=1), 0.3)
    report = dc.fit(network, rows, coherent=True, missing="em", progress=True).report().em
    (bar,) = bars
    assert bar.texts[0] == f"EM: iteration 1, log-likelihood {report.log_likelihood[0]:,.3f}"
    assert bar.texts[-2] == f"EM: iteration {report.iterations:,}, log-likelihood {report.log_likelihood[-1]:,.3f}"
    assert bar.texts[-1] == "stopped"
    dc.fit(network, rows, missing="em", progress=True)  # clusters at the same time show none


def test_a_start_of_another_kind_is_refused():
    network = dc.load_network("asia")
    numbers = dc.random_gaussian_network(network.dag, seed=1)
    with pytest.raises(ValueError, match="the data is discrete, and start= is a gaussian network"):
        dc.fit(network, network.sample(20, seed=1), coherent=True, missing=dc.EM(start=numbers))
    states = {**network.states, "asia": ("no", "yes")}
    with pytest.raises(ValueError, match="start= has the states"):
        dc.fit(network, network.sample(20, seed=1), states=states, coherent=True, missing=dc.EM(start=network))
