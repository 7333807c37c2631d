"""Evidence of every kind: hard, set-valued and soft, its probability, and evidence too improbable for a float."""

from __future__ import annotations

import math
import re
from itertools import pairwise

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from inference.brute_force import BruteForce
from inference.models import SPRINKLER, close, naive_bayes
from inference.questions import Question, questions

import dconvex as dc
from dconvex import BayesianNetwork


def model():
    return dc.localize(SPRINKLER)


# --- P(evidence)


@given(questions(possible=False))
def test_log_evidence_is_that_of_brute_force(question: Question):
    found = dc.localize(question.network).log_evidence(question.evidence, soft=question.soft)
    assert isinstance(found, float)
    assert found == pytest.approx(question.oracle().log_evidence, rel=1e-9, abs=1e-12)


def test_no_evidence_is_certain():
    for nothing in (None, {}):
        assert model().log_evidence(nothing) == pytest.approx(0.0, abs=1e-15)
        assert model().log_evidence(soft=nothing) == pytest.approx(0.0, abs=1e-15)


@given(questions(apart=True, min_variables=1, max_variables=1))
def test_more_evidence_multiplies(question: Question):
    """log P(e, x) = log P(e) + log P(x | e)."""
    local = dc.localize(question.network)
    before = local.log_evidence(question.evidence, soft=question.soft)
    for variable in question.variables:
        posterior = local.query(variable, **question.given)
        for label in question.network.states[variable]:
            after = local.log_evidence({**question.evidence, variable: label}, soft=question.soft)
            assert math.exp(after - before) == pytest.approx(posterior[label], rel=1e-9, abs=1e-13)


def test_soft_likelihoods_count_as_given():
    twice = {"rain": [2.0, 2.0, 2.0]}
    assert model().log_evidence(soft=twice) == pytest.approx(math.log(2))
    assert model().log_evidence(soft={"rain": [5e-5, 0, 0]}) == pytest.approx(math.log(5e-5 * (0.3 * 0.8 + 0.7 * 0.3)))


# --- the same evidence in other words


@given(questions(kinds=("hard",)))
def test_a_set_of_one_label_is_hard_evidence(question: Question):
    local = dc.localize(question.network)
    for form in (set, frozenset):
        sets = {variable: form([label]) for variable, label in question.evidence.items()}
        close(local.query(question.variables, sets).values, local.query(question.variables, question.evidence).values)


@given(questions(kinds=("hard", "set")))
def test_zeros_and_ones_are_hard_and_set_valued_evidence(question: Question):
    local = dc.localize(question.network)
    zeros_and_ones = {}
    for variable, value in question.evidence.items():
        allowed = value if isinstance(value, set) else {value}
        zeros_and_ones[variable] = {label: float(label in allowed) for label in question.network.states[variable]}
    close(
        local.query(question.variables, soft=zeros_and_ones).values,
        local.query(question.variables, question.evidence).values,
    )
    told, asked = local.log_evidence(soft=zeros_and_ones), local.log_evidence(question.evidence)
    assert told == pytest.approx(asked, rel=1e-9, abs=1e-12)


@given(questions())
def test_the_set_of_all_labels_and_even_likelihoods_say_nothing(question: Question):
    states = question.network.states
    free = [v for v in states if v not in question.evidence and v not in question.soft]
    local = dc.localize(question.network)
    evidence = {**question.evidence, **{v: set(states[v]) for v in free[::2]}}
    soft = {**question.soft, **{v: np.full(len(states[v]), 0.25) for v in free[1::2]}}
    close(local.query(question.variables, evidence, soft=soft).values, local.query(question.variables, **question.given).values)


@given(questions(kinds=("soft", "soft array")), st.floats(-280, 280))
def test_only_the_ratios_of_likelihoods_matter(question: Question, exponent):
    scaled = {
        variable: {label: value * 10**exponent for label, value in given.items()}
        if isinstance(given, dict)
        else given * 10**exponent
        for variable, given in question.soft.items()
    }
    local = dc.localize(question.network)
    close(local.query(question.variables, soft=scaled).values, local.query(question.variables, soft=question.soft).values)


@pytest.mark.parametrize(
    "form", [list, tuple, np.array, lambda row: dict(zip(("much", "none", "some"), row[-1:] + row[:-1], strict=True))]
)
def test_likelihoods_in_any_form(form):
    row = [0.1, 0.5, 2]
    exact = BruteForce(SPRINKLER, None, {"rain": row}).query(["wet"])
    close(model().query("wet", soft={"rain": form(row)}).values, exact)


def test_states_that_likelihoods_do_not_name_are_excluded():
    close(
        model().query("wet", soft={"rain": {"some": 0.5, "much": 1.0}}).values,
        model().query("wet", soft={"rain": [0.0, 0.5, 1.0]}).values,
    )


def test_evidence_and_soft_on_one_variable_both_apply():
    found = model().query("rain", {"rain": {"some", "much"}}, soft={"rain": {"none": 5.0, "some": 1.0, "much": 3.0}})
    some, much = 0.3 * 0.15 + 0.7 * 0.3, 0.3 * 0.05 + 0.7 * 0.4
    close(found.values, np.array([0, some, 3 * much]) / (some + 3 * much))
    hard = model().query("wet", {"rain": "much"}, soft={"rain": [1.0, 1.0, 7.0]})
    close(hard.values, model().query("wet", {"rain": "much"}).values)
    both = model().log_evidence({"rain": "much"}, soft={"rain": [1.0, 1.0, 7.0]})
    assert both == pytest.approx(math.log(7 * much))


def test_soft_evidence_on_the_only_path_does_not_cut_it():
    network = dc.random_network([("a", "b"), ("b", "c")], 3, seed=1)
    local = dc.localize(network)
    for told, soft in (({"a": 0, "b": {0, 1}}, None), ({"a": 0}, {"b": [1, 2, 0]})):
        exact = BruteForce(network, told, soft).query(["c"])
        close(local.query("c", told, soft=soft).values, exact)
        del told["a"]
        assert np.abs(local.query("c", told, soft=soft).values - exact).max() > 1e-3


def test_the_order_of_the_evidence_does_not_matter():
    evidence = {"cloudy": True, "wet": "wet", "rain": {"some", "much"}}
    turned = dict(reversed(evidence.items()))
    assert model().query("sprinkler", evidence).values.tolist() == model().query("sprinkler", turned).values.tolist()


# --- what is refused


@pytest.mark.parametrize("kind", ["evidence", "soft"])
def test_an_unknown_variable_has_a_near_match(kind):
    with pytest.raises(dc.UnknownVariableError, match="unknown variable 'rian'; did you mean 'rain'"):
        model().query("wet", **{kind: {"rian": "much" if kind == "evidence" else [1, 1, 1]}})


@pytest.mark.parametrize(
    ("evidence", "problem"),
    [
        ({"rain": "mch"}, "unknown state 'mch' of 'rain'; did you mean 'much'"),
        ({"rain": {"none", "mch"}}, "unknown state 'mch' of 'rain'; did you mean 'much'"),
        ({"sprinkler": "1"}, "unknown state '1' of 'sprinkler'; did you mean 1?"),
        ({"rain": {None, "none"}}, "unknown state None of 'rain'"),
        ({"sprinkler": 1.5}, "unknown state 1.5 of 'sprinkler'"),
    ],
)
def test_an_unknown_state_has_a_near_match(evidence, problem):
    for ask in (
        lambda: model().query("wet", evidence),
        lambda: model().marginals(evidence),
        lambda: model().log_evidence(evidence),
    ):
        with pytest.raises(dc.UnknownStateError, match=re.escape(problem)):
            ask()


@pytest.mark.parametrize("kind", ["evidence", "soft"])
@pytest.mark.parametrize("given", [["rain"], "rain", {"rain"}, 3])
def test_evidence_is_told_by_variable(kind, given):
    line = dc.random_gaussian_network([("x", "y")], seed=1)
    for local, variable in ((model(), "wet"), (dc.localize(line), "y")):
        with pytest.raises(TypeError, match=f"{kind} must be a mapping with variables as keys, not"):
            local.query(variable, **{kind: given})


def test_a_likelihood_that_is_no_number():
    with pytest.raises(ValueError, match="the likelihood of 'rain' = 'some' must be a number, not 'x'"):
        model().query("wet", soft={"rain": {"some": "x"}})


def test_an_unknown_state_among_likelihoods_has_a_near_match():
    with pytest.raises(dc.UnknownStateError, match="unknown state 'mch' of 'rain'; did you mean 'much'"):
        model().query("wet", soft={"rain": {"none": 1.0, "some": 1.0, "much": 0.5, "mch": 0.5}})


@pytest.mark.parametrize(
    "likelihoods", [[1, 1], [1, 1, 1, 1], [1, -1, 1], [1, math.nan, 1], [1, math.inf, 1], [[1, 1, 1]], ["a", "b", "c"], 1.0]
)
def test_likelihoods_that_are_none(likelihoods):
    for ask in (model().query, model().explain, lambda _, soft: model().log_evidence(soft=soft)):
        with pytest.raises(ValueError, match="'rain'"):
            ask("wet", soft={"rain": likelihoods})


def test_numpys_scalars_are_labels():
    network = dc.random_network([(0, 1)], {0: [5, 7], 1: [True, False]}, seed=0)
    local = dc.localize(network)
    close(local.query(0, {1: np.bool_(True)}).values, local.query(0, {1: True}).values)
    close(local.query(1, {np.int64(0): np.int64(7)}).values, local.query(1, {0: 7}).values)


# --- too improbable for a float


@pytest.mark.parametrize("leaves", [200, 1500])
def test_hundreds_of_observations(leaves):
    rng = np.random.default_rng(leaves)
    rows = rng.uniform(0.001, 0.01, (leaves, 3))
    local = dc.localize(naive_bayes(rows, prior=(0.2, 0.3, 0.5)))
    evidence = dict.fromkeys([f"x{k}" for k in range(leaves)], 1)
    logs = np.log([0.2, 0.3, 0.5]) + np.log(rows).sum(axis=0)
    total = np.logaddexp.reduce(logs)
    assert total < -700  # exp of it is zero
    assert local.log_evidence(evidence) == pytest.approx(total, rel=1e-12)
    np.testing.assert_allclose(local.query("class", evidence).values, np.exp(logs - total), rtol=1e-9, atol=1e-300)
    np.testing.assert_allclose(local.marginals(evidence)["class"].values, np.exp(logs - total), rtol=1e-9, atol=1e-300)
    best, log_probability = local.most_probable("class", evidence)
    assert best == {"class": int(logs.argmax())}
    assert log_probability == pytest.approx(logs.max() - total, abs=1e-9)
    assert local.sample(5, evidence, seed=0)["class"].isin(range(3)).all()


@pytest.mark.parametrize("times", [1, 400])
@pytest.mark.parametrize("order", ["grouped", "mixed"])
def test_observations_that_contradict_each_other_by_more_than_a_float_holds(order, times):
    """Half of them speak for one class by a factor of 10 each, half for the other: in the end they are even."""
    rows = np.repeat([[0.9, 0.09], [0.05, 0.5]], times, axis=0)
    if order == "mixed":
        rows = np.random.default_rng(0).permutation(rows)
    local = dc.localize(naive_bayes(rows, prior=(0.25, 0.75)))
    evidence = dict.fromkeys([f"x{k}" for k in range(len(rows))], 1)
    np.testing.assert_allclose(local.query("class", evidence).values, [0.25, 0.75], rtol=1e-9)
    np.testing.assert_allclose(local.marginals(evidence)["class"].values, [0.25, 0.75], rtol=1e-9)
    assert local.log_evidence(evidence) == pytest.approx(times * math.log(0.9 * 0.05), rel=1e-9)


@pytest.mark.parametrize("tiny", [1e-160, 1e-300])
def test_tables_with_tiny_entries(tiny):
    local = dc.localize(naive_bayes([[tiny, 3 * tiny], [tiny, 2 * tiny], [tiny, tiny]], prior=(0.4, 0.6)))
    evidence = {"x0": 1, "x1": 1, "x2": 1}
    np.testing.assert_allclose(local.query("class", evidence).values, np.array([0.4, 3.6]) / 4, rtol=1e-9)
    assert local.log_evidence(evidence) == pytest.approx(3 * math.log(tiny) + math.log(4), rel=1e-9)


def test_tiny_likelihoods():
    local = dc.localize(naive_bayes([[0.5, 0.5]] * 3, prior=(0.4, 0.6)))
    soft = {"class": [1e-300, 1e-300]} | {f"x{k}": [1e-300, 1e-300] for k in range(3)}
    np.testing.assert_allclose(local.query("class", soft=soft).values, [0.4, 0.6], rtol=1e-9)
    assert local.log_evidence(soft=soft) == pytest.approx(4 * math.log(1e-300), rel=1e-12)


def test_likelihoods_further_apart_than_a_float_holds():
    """What makes the second state 1e600 times as likely does not make the first impossible."""
    network = BayesianNetwork.discrete([("a", "b")], {"a": [0.5, 0.5], "b": np.eye(2)}, {"a": [0, 1], "b": [0, 1]})
    local = dc.localize(network)
    soft = {"a": [1e-300, 1e300]}
    assert local.query("a", {"b": 0}, soft=soft).values.tolist() == [1.0, 0.0]
    assert local.log_evidence({"b": 0}, soft=soft) == pytest.approx(math.log(0.5e-300))


def test_a_long_observed_chain_is_the_forward_algorithm():
    """A hidden Markov chain of 800 steps, each observed, in logarithms."""
    steps = 800
    hidden, seen = [f"h{k}" for k in range(steps)], [f"y{k}" for k in range(steps)]
    edges = [*pairwise(hidden), *zip(hidden, seen, strict=True)]
    network = dc.random_network(edges, dict.fromkeys(hidden, 3) | dict.fromkeys(seen, 4), seed=3)
    row = network.sample(1, seed=4)
    evidence = {name: int(row[name].iloc[0]) for name in seen}
    with np.errstate(divide="ignore"):
        forward = np.log(network.family("h0").values) + np.log(network.family("y0").values[:, evidence["y0"]])
        for k in range(1, steps):
            step = np.logaddexp.reduce(forward[:, np.newaxis] + np.log(network.family(f"h{k}").values), axis=0)
            forward = step + np.log(network.family(f"y{k}").values[:, evidence[f"y{k}"]])
    total = np.logaddexp.reduce(forward)
    local = dc.localize(network)
    assert total < -700
    assert local.log_evidence(evidence) == pytest.approx(total, rel=1e-10)
    close(local.query(hidden[-1], evidence).values, np.exp(forward - total))
    close(local.marginals(evidence)[hidden[-1]].values, np.exp(forward - total))


def test_a_row_of_pandas_is_evidence():
    local = dc.localize(dc.load_network("asia"))
    row = pd.Series({"smoke": "yes", "xray": "yes"})
    assert local.query("lung", row).values.tolist() == local.query("lung", dict(row)).values.tolist()
    numbers = dc.localize(dc.load_network("ecoli70"))
    assert numbers.query("lacA", pd.Series({"aceB": 1.5})).mean == numbers.query("lacA", {"aceB": 1.5}).mean


@pytest.mark.parametrize("nothing", [None, float("nan"), np.float64("nan"), pd.NA, pd.NaT])
def test_what_is_missing_is_not_observed(nothing):
    local, given = dc.localize(dc.load_network("asia")), {"smoke": "yes", "xray": nothing}
    known = {"smoke": "yes"}
    assert local.query("lung", given).values.tolist() == local.query("lung", known).values.tolist()
    assert local.marginals(given)["lung"].values.tolist() == local.marginals(known)["lung"].values.tolist()
    assert local.log_evidence(given) == local.log_evidence(known)
    numbers = dc.localize(dc.load_network("ecoli70"))
    assert numbers.query("lacA", {"aceB": nothing, "asnA": 1}).mean == numbers.query("lacA", {"asnA": 1}).mean
    with pytest.raises(dc.UnknownVariableError, match="smok"):
        local.query("lung", {"smok": nothing})


def rows_of_a_table():
    """A row with a cell of the target, a missing one, and one that is no variable, in whatever holds rows."""
    table = pd.DataFrame({"id": [7, 8], "smoke": ["yes", "no"], "lung": ["no", "no"], "xray": [None, "yes"]})
    yield table.iloc[0]
    yield table.iloc[[0]]
    yield pl.from_pandas(table)[0]


def test_of_a_row_the_cells_that_are_variables_and_not_asked_for_count():
    local = dc.localize(dc.load_network("asia"))
    expected = local.query("lung", {"smoke": "yes"}).values.tolist()
    for row in rows_of_a_table():
        assert local.query("lung", row).values.tolist() == expected
        assert local.query(["lung"], row, method="sampling", seed=1).values.shape == (2,)
        assert local.marginals(row)["lung"].values.tolist() == [0, 1]
        assert local.log_evidence(row) == local.log_evidence({"smoke": "yes", "lung": "no"})
        assert local.most_probable(None, row)[0].keys() == set(local.dag.nodes) - {"smoke", "lung"}


def test_rows_that_are_no_evidence():
    local = dc.localize(dc.load_network("asia"))
    with pytest.raises(ValueError, match=r"evidence is one row, and this table has 2; predict_proba takes tables"):
        local.query("lung", pd.DataFrame({"smoke": ["yes", "no"]}))
    with pytest.raises(dc.UnknownVariableError, match="did you mean 'smoke'"):
        local.query("lung", pd.Series({"smok": "yes"}))


def test_a_row_that_became_a_dict_says_what_takes_it():
    """A dict is strict, so that no slip goes unnoticed; a row of polars is a dict, too."""
    model = dc.localize(dc.load_network("asia"))
    frame = pl.DataFrame({"id": [7], "smoke": ["yes"], "comment": [None]})
    row = frame.row(0, named=True)
    for ask in (model.query, model.most_informative):
        with pytest.raises(dc.UnknownVariableError, match=r"'id'; .*\{name: row\[name\] for name in model.dag.nodes if"):
            ask("lung", row)
    expected = model.query("lung", {"smoke": "yes"}).values
    for taken in ({name: row[name] for name in model.dag.nodes if name in row}, frame[0]):
        assert (model.query("lung", taken).values == expected).all()
    with pytest.raises(dc.UnknownVariableError, match=r"unknown variable 'smok'; did you mean 'smoke'\?; of a row"):
        model.query("lung", {"id": 7, "smok": "yes"})
    with pytest.raises(dc.UnknownVariableError, match=r"unknown variable 'smok'; did you mean 'smoke'\?$"):
        model.query("lung", {"smok": "yes", "xray": "no"})
    gaussian = dc.localize(dc.load_network("ecoli70"))
    with pytest.raises(dc.UnknownVariableError, match="pass it as a frame of one row"):
        gaussian.query("lacA", {"aceB": 1.0, "row number": 3})
