"""What the page gets is what the library answers."""

from __future__ import annotations

import csv
import io
import json
import math
from typing import Any

import numpy as np
import pytest
from explorer.questions import exploring, request
from hypothesis import given, settings
from hypothesis import strategies as st

import dconvex as dc
from dconvex.explorer.explorer import FOLDED_ABOVE, MOST_VARIABLES, Explorer
from dconvex.explorer.request_data import RequestError
from dconvex.explorer.translation import MOST_CELLS, SHOWN_ROWS

EVIDENCE = {"BP": "LOW", "CVP": {"NORMAL", "HIGH"}}
SOFT = {"PCWP": {"LOW": 0.7, "NORMAL": 0.25, "HIGH": 0.5}}


@pytest.fixture(scope="module")
def alarm() -> Explorer:
    return exploring("alarm")


@pytest.fixture(scope="module")
def ecoli() -> Explorer:
    return exploring("ecoli70")


@pytest.fixture(scope="module")
def odd() -> Explorer:
    """Names and labels that JSON or JavaScript would mix up, were they sent."""
    large = 2**60 + 1
    states = {large: [True, False], "1": [1, "1"], 1: ["", "a\nb", large]}
    tables = {large: [0.25, 0.75], "1": [[0.1, 0.9], [0.4, 0.6]], 1: [[0.5, 0.25, 0.25], [0.1, 0.2, 0.7]]}
    network = dc.BayesianNetwork.discrete([(large, "1"), ("1", 1)], tables, states)
    return Explorer(dc.localize(network), "odd", "model")


def numbers(answer: dict[str, Any]) -> dict[int, list[float]]:
    return dict(answer["marginals"]["numbers"])


def executed(script: str, **known: Any) -> Any:
    """What is called `answer` after the script."""
    found: dict[str, Any] = dict(known)
    exec(script, found)
    return found["answer"]


def rows(text: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text, newline="")))


def test_overview_describes_the_network(alarm):
    overview = json.loads(json.dumps(alarm.overview()))
    dag, tree = alarm.model.dag, alarm.model.tree
    assert [variable["name"] for variable in overview["variables"]] == list(dag.nodes)
    assert [variable["states"] for variable in overview["variables"]] == [list(alarm.model.states[name]) for name in dag.nodes]
    named = {dag.nodes[index]: [dag.nodes[each] for each in own["parents"]] for index, own in enumerate(overview["variables"])}
    assert named == {name: list(dag.parents(name)) for name in dag.nodes}
    assert [{dag.nodes[index] for index in cluster} for cluster in overview["tree"]["clusters"]] == [*map(set, tree.clusters)]
    assert [tuple(edge) for edge in overview["tree"]["edges"]] == list(tree.edges)
    assert overview["edgeCount"] == len(dag.edges)


def test_nothing_overlaps_in_the_layouts(alarm):
    overview = alarm.overview()
    for layout in (overview["network"], overview["tree"]):
        boxes = np.array(layout["boxes"])
        left, top, right, bottom = boxes[:, 0], boxes[:, 1], boxes[:, 0] + boxes[:, 2], boxes[:, 1] + boxes[:, 3]
        apart = (right[:, None] <= left) | (left[:, None] >= right) | (bottom[:, None] <= top) | (top[:, None] >= bottom)
        assert (apart | np.eye(len(boxes), dtype=bool)).all()
        assert (right <= layout["size"][0] + 0.2).all()
        assert (bottom <= layout["size"][1] + 0.2).all()


def test_a_large_network_starts_folded_and_is_drawn_in_parts():
    pigs = exploring("pigs")
    dag = pigs.model.dag
    assert len(dag) > FOLDED_ABOVE
    overview = pigs.overview()
    assert overview["network"] is None
    assert overview["tree"]["compact"]
    wanted = sorted({dag.index_of(name) for name in dag.nodes[:5]} | {dag.index_of(each) for each in dag.parents(dag.nodes[4])})
    layout = pigs.layout({"variables": wanted})
    assert layout["variables"] == wanted
    expected = {(dag.index_of(tail), dag.index_of(head)) for tail, head in dag.edges} & {(a, b) for a in wanted for b in wanted}
    assert {tuple(edge) for edge in layout["edges"]} == expected
    assert len(layout["routes"]) == len(expected)


def test_the_whole_layout_on_demand(alarm):
    assert alarm.layout({"variables": None}) == alarm.overview()["network"]
    assert alarm.layout({"variables": []})["variables"] == []


@pytest.mark.parametrize(("evidence", "soft"), [({}, {}), (EVIDENCE, {}), ({}, SOFT), (EVIDENCE, SOFT)])
def test_marginals_and_joint_are_those_of_the_library(alarm, evidence, soft):
    model = alarm.model
    answer = alarm.answer(request(model, ("HR", "CO"), evidence, soft, shown=model.dag.nodes))
    expected = model.marginals(evidence, soft=soft)
    assert {model.dag.nodes[index]: found for index, found in numbers(answer).items()} == {
        name: own.values.tolist() for name, own in expected.items()
    }
    joint = model.query(["HR", "CO"], evidence, soft=soft).values
    found = np.zeros_like(joint)
    for cell, probability in zip(
        answer["question"]["joint"]["states"], answer["question"]["joint"]["probabilities"], strict=True
    ):
        found[tuple(cell)] = probability
    np.testing.assert_array_equal(found, joint)
    assert answer["evidence"]["log"] == model.log_evidence(evidence, soft=soft)


def test_the_plan_is_the_librarys(alarm):
    model = alarm.model
    plan = alarm.answer(request(model, ("HR",), EVIDENCE))["question"]["plan"]
    expected = model.explain("HR", EVIDENCE)
    assert plan["kept"] == list(expected.kept)
    assert [model.dag.nodes[index] for index in plan["variables"]] == list(expected.variables_kept)
    assert [model.dag.nodes[index] for index in plan["requisite"]] == list(expected.requisite)
    assert (plan["method"], plan["network"], plan["multiplications"]) == (
        expected.method,
        expected.network,
        expected.multiplications,
    )
    assert plan["text"] == str(expected)


def test_only_what_is_asked_for_or_shown_is_answered(alarm):
    model = alarm.model
    found = numbers(alarm.answer(request(model, ("HR",), shown=("CO", "HR"))))
    assert list(found) == [model.dag.index_of("HR"), model.dag.index_of("CO")]
    nothing = alarm.answer({})
    assert nothing["marginals"]["numbers"] == []
    assert nothing["question"] is None


def test_a_long_joint_is_cut_to_its_most_probable_states(alarm):
    targets = ("HR", "CO", "BP", "CVP", "PAP")
    joint = alarm.answer(request(alarm.model, targets))["question"]["joint"]
    values = np.sort(alarm.model.query(targets).values.reshape(-1))[::-1]
    assert joint["count"] == values.size == 3**5
    assert joint["probabilities"] == values[:SHOWN_ROWS].tolist()


def test_a_joint_that_is_too_large_leaves_the_rest_of_the_answer(alarm):
    targets = tuple(name for name in alarm.model.dag.nodes if len(alarm.model.states[name]) > 2)[:12]
    assert MOST_CELLS < 3**12
    answer = alarm.answer(request(alarm.model, targets))
    assert len(answer["marginals"]["numbers"]) == 12
    assert "would take" in answer["question"]["joint"]["problem"]
    assert answer["question"]["plan"]["kept"]
    with pytest.raises(dc.TooLargeError, match="joint distribution of"):
        alarm.table(request(alarm.model, targets))


def test_what_is_too_large_for_the_model_is_reported():
    model = dc.localize(dc.load_network("alarm"), max_bytes=20)
    answer = Explorer(model, "alarm", "model").answer(request(model, ("HR",), EVIDENCE))
    assert "the limit is 20 bytes" in answer["marginals"]["problem"]
    assert "the limit is 20 bytes" in answer["question"]["problem"]
    assert "model.query(['HR'], evidence)" in answer["python"]
    assert "the limit is 20 bytes" in Explorer(model, "alarm", "model").most_probable({})["problem"]


def test_impossible_evidence_names_the_conflict():
    asia = exploring("asia")
    model = asia.model
    with pytest.raises(dc.ImpossibleEvidenceError) as caught:
        asia.answer(request(model, ("lung",), {"tub": "yes", "either": "no", "smoke": "yes"}))
    problem = asia.problem(caught.value)
    assert problem["problem"].startswith("impossible evidence: ")
    assert problem["problem"].endswith(" cannot happen together")
    assert {model.dag.nodes[index] for index in problem["conflict"]} == {"tub", "either"}
    assert asia.problem(ValueError("no"))["conflict"] == []


@pytest.mark.parametrize("targets", [(), ("HR", "CO")])
def test_most_probable_states(alarm, targets):
    model = alarm.model
    answer = alarm.most_probable(request(model, targets, EVIDENCE, SOFT))
    states, height = model.most_probable(targets or None, EVIDENCE, soft=SOFT)
    assert {model.dag.nodes[index]: model.states[model.dag.nodes[index]][state] for index, state in answer["states"]} == states
    assert answer["logProbability"] == height
    assert executed(answer["python"]) == (states, height)
    table = rows(alarm.most_probable_table(request(model, targets, EVIDENCE, SOFT)))
    assert table == [["variable", "state"], *([name, state] for name, state in states.items())]


def test_python_lines_ask_the_same_question(alarm):
    model = alarm.model
    answer = alarm.answer(request(model, ("HR", "CO"), EVIDENCE, SOFT))
    np.testing.assert_array_equal(executed(answer["python"]).values, model.query(["HR", "CO"], EVIDENCE, soft=SOFT).values)
    everything = executed(alarm.answer(request(model, (), EVIDENCE))["python"])
    assert {name: own.values.tolist() for name, own in everything.items()} == {
        name: own.values.tolist() for name, own in model.marginals(EVIDENCE).items()
    }


def test_tables_hold_every_digit(alarm):
    model = alarm.model
    joint = rows(alarm.table(request(model, ("HR", "CO"), EVIDENCE)))
    expected = model.query(["HR", "CO"], EVIDENCE)
    assert joint[0] == ["HR", "CO", "probability"]
    assert {(one, other): float(number) for one, other, number in joint[1:]} == {
        (one, other): expected[one, other] for one in expected.labels[0] for other in expected.labels[1]
    }
    each = rows(alarm.table(request(model, (), EVIDENCE)))
    assert each[0] == ["variable", "state", "probability"]
    assert {(name, state): float(number) for name, state, number in each[1:]} == {
        (name, state): own[state] for name, own in model.marginals(EVIDENCE).items() for state in own.labels[0]
    }


def test_a_gaussian_network(ecoli):
    model, evidence = ecoli.model, {"aceB": 1.5, "asnA": -2.0}
    answer = ecoli.answer(request(model, ("lacA", "lacY"), evidence, shown=model.dag.nodes))
    for name, own in model.marginals(evidence).items():
        assert numbers(answer)[model.dag.index_of(name)] == [own.mean[0], own.standard_deviations[0]]
    expected = model.query(["lacA", "lacY"], evidence)
    joint = answer["question"]["joint"]
    assert joint["mean"] == expected.mean.tolist()
    assert joint["correlation"][0][1] == expected.covariance[0, 1] / math.prod(expected.standard_deviations)
    np.testing.assert_array_equal(executed(answer["python"]).covariance, expected.covariance)
    table = rows(ecoli.table(request(model, ("lacA", "lacY"), evidence)))
    assert table[0] == ["variable", "mean", "standard deviation", "covariance with lacA", "covariance with lacY"]
    assert [float(cell) for cell in table[1][1:]] == [
        expected.mean[0],
        expected.standard_deviations[0],
        *expected.covariance[0],
    ]
    best = ecoli.most_probable(request(model, (), evidence))
    assert {model.dag.nodes[index]: value for index, value in best["states"]} == model.most_probable(None, evidence)[0]
    each = rows(ecoli.table(request(model, (), evidence)))
    assert each[0] == ["variable", "mean", "standard deviation"]
    assert len(each) == len(model) + 1


def test_an_observed_number_has_no_correlation(ecoli):
    answer = ecoli.answer(request(ecoli.model, ("lacA", "aceB"), {"aceB": 1.5}))
    assert answer["question"]["joint"]["correlation"] == [[1.0, None], [None, None]]


def test_names_and_labels_of_every_type_survive(odd):
    model = odd.model
    for name in model.dag.nodes:
        for other in model.dag.nodes:
            for label in model.states[other]:
                answer = odd.answer(json.loads(json.dumps(request(model, (name,), {other: label}))))
                expected = model.query(name, {other: label})
                assert numbers(answer)[model.dag.index_of(name)] == pytest.approx(expected.values, rel=1e-12)
                np.testing.assert_array_equal(executed(answer["python"], model=model).values, expected.values)
    assert all(name.isprintable() and name for own in odd.overview()["variables"] for name in (own["name"], *own["states"]))


def test_learned_models_answer_as_they_do(tmp_path):
    network = dc.load_network("asia")
    path = str(tmp_path / "asia.dcx")
    dc.fit(network, network.sample(2_000, seed=1)).save(path)
    model = dc.open_model(path)
    explorer = Explorer(model, "asia.dcx", f"dc.open_model({path!r})")
    assert not explorer.overview()["coherent"]
    answer = explorer.answer(request(model, ("lung",), {"smoke": "yes"}))
    assert executed(answer["python"]).values == pytest.approx(numbers(answer)[model.dag.index_of("lung")], rel=1e-12)


def test_too_many_variables_are_refused_at_once():
    network = dc.random_network(dc.Dag([], nodes=range(MOST_VARIABLES + 1)), seed=1)
    with pytest.raises(dc.DconvexError, match=r"5,001 variables are too many to explore \(at most 5,000\)"):
        Explorer(dc.localize(network), "large", "model")


@pytest.mark.parametrize(
    "wrong",
    [
        [],
        None,
        "HR",
        {"asked": 3},
        {"asked": ["HR"]},
        {"asked": [37]},
        {"asked": [-1]},
        {"asked": [True]},
        {"asked": [1.0]},
        {"asked": [[]]},
        {"evidence": {"3": [0]}},
        {"evidence": [[3]]},
        {"evidence": [[3, 0]]},
        {"evidence": [[3, ["LOW"]]]},
        {"evidence": [[3, [99]]]},
        {"evidence": [[99, [0]]]},
        {"evidence": [[[], [0]]]},
        {"soft": [[3, [0.5]]]},
        {"soft": [[3, {"LOW": 1}]]},
        {"soft": [[3, [0.5, "x", 0.5]]]},
        {"soft": [[3, [10**400] * 3]]},
        {"shown": [10**9]},
    ],
)
def test_what_the_page_never_sends_is_refused(alarm, wrong):
    for ask in (alarm.answer, alarm.most_probable, alarm.table, alarm.most_probable_table):
        with pytest.raises(RequestError):
            ask(wrong)


@pytest.mark.parametrize("wrong", [[], None, {"variables": 3}, {"variables": [99]}, {"variables": "all"}])
def test_what_cannot_be_laid_out_is_refused(alarm, wrong):
    with pytest.raises(RequestError):
        alarm.layout(wrong)


def test_not_everything_can_be_drawn_at_once():
    network = dc.random_network(dc.Dag([], nodes=range(2_001)), seed=1)
    large = Explorer(dc.localize(network), "large", "model")
    assert large.layout({"variables": [0, 2_000]})["variables"] == [0, 2_000]
    with pytest.raises(dc.DconvexError, match="2,001 variables are too many to draw at once"):
        large.layout({"variables": None})


@pytest.mark.parametrize(
    "wrong", [{"evidence": [[0, [1]]]}, {"evidence": [[0, "1.5"]]}, {"evidence": [[0, math.nan]]}, {"soft": [[0, [1, 2]]]}]
)
def test_a_gaussian_variable_takes_a_number(ecoli, wrong):
    with pytest.raises(RequestError):
        ecoli.answer(wrong)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
PARTS = st.fixed_dictionaries({}, optional=dict.fromkeys(["asked", "evidence", "soft", "shown", "variables"], JSON))


@settings(max_examples=150)
@given(JSON | PARTS)
def test_anything_sent_is_answered_or_refused(anything):
    explorer = exploring("asia")
    for ask in (explorer.answer, explorer.most_probable, explorer.layout):
        try:
            json.dumps(ask(anything), allow_nan=False)
        except (dc.DconvexError, ValueError) as error:
            assert explorer.problem(error)["problem"]
