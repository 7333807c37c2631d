"""Interventions and changed tables: what the page gets is what the library answers on the changed network."""

from __future__ import annotations

import numpy as np
import pytest
from explorer.questions import exploring, request

import dconvex as dc
from dconvex.explorer.explorer import Explorer
from dconvex.explorer.request_data import RequestError
from dconvex.explorer.variants import MOST_KEPT, Variant, Variants, changed_network


@pytest.fixture
def asia() -> Explorer:
    return Explorer(exploring("asia").model, "asia", "dc.localize(dc.load_network('asia'))")


@pytest.fixture
def ecoli() -> Explorer:
    return exploring("ecoli70")


def executed(script):
    found: dict[str, object] = {}
    exec(script, found)
    return found["answer"]


def marginal(explorer, answer, name):
    return dict(answer["marginals"]["numbers"])[explorer.model.dag.index_of(name)]


def test_an_intervention_cuts_the_causes(asia):
    model = asia.model
    question = request(model, ("smoke",), {"lung": "yes"})
    lung = model.dag.index_of("lung")
    intervened = {**request(model, ("smoke",)), "do": [[lung, 0]]}
    assert marginal(asia, asia.answer(intervened), "smoke") == pytest.approx(model.query("smoke").values)
    assert marginal(asia, asia.answer(question), "smoke") == pytest.approx(model.query("smoke", {"lung": "yes"}).values)
    answer = asia.answer({**request(model, ("dysp",), {"xray": "yes"}), "do": [[lung, 0]]})
    expected = model.do({"lung": "yes"}).query("dysp", {"xray": "yes"}).values
    assert marginal(asia, answer, "dysp") == expected.tolist()
    np.testing.assert_array_equal(executed(answer["python"]).values, expected)
    plan = answer["question"]["plan"]
    assert all(
        model.tree.clusters[cluster] <= {model.dag.nodes[each] for each in plan["variables"]} for cluster in plan["kept"]
    )


def test_an_intervention_on_a_number(ecoli):
    model = ecoli.model
    number = model.dag.index_of("eutG")
    answer = ecoli.answer({**request(model, ("lacA",)), "do": [[number, 2.5]]})
    expected = model.do({"eutG": 2.5}).query("lacA")
    assert marginal(ecoli, answer, "lacA") == [expected.mean[0], expected.standard_deviations[0]]
    assert executed(answer["python"]).mean == pytest.approx(expected.mean)


def test_a_changed_row_of_a_table(asia):
    model = asia.model
    lung = model.dag.index_of("lung")
    changed = {**request(model, ("dysp",), {"xray": "yes"}), "tables": [[lung, [[0, [0.75, 0.25]]]]]}
    network = model.network()
    tables = {name: np.array(network.family(name).values) for name in network.dag.nodes}
    tables["lung"][0] = [0.75, 0.25]
    expected = dc.localize(dc.BayesianNetwork.discrete(network.dag, tables, network.states)).query("dysp", {"xray": "yes"})
    answer = asia.answer(changed)
    assert marginal(asia, answer, "dysp") == pytest.approx(expected.values, rel=1e-12)
    assert executed(answer["python"]).values == pytest.approx(expected.values, rel=1e-12)
    both = asia.answer({**changed, "do": [[model.dag.index_of("bronc"), 1]]})
    assert executed(both["python"]).values == pytest.approx(marginal(asia, both, "dysp"), rel=1e-12)
    assert marginal(asia, asia.answer(request(model, ("dysp",))), "dysp") == model.query("dysp").values.tolist()


def test_a_changed_regression(ecoli):
    model = ecoli.model
    name = next(each for each in model.dag.nodes if model.dag.parents(each))
    family = model.network().family(name)
    numbers = [family.intercept + 1, *(2 * family.coefficients[parent] for parent in family.parents), 4 * family.variance]
    answer = ecoli.answer({**request(model, (name,)), "tables": [[model.dag.index_of(name), [[0, numbers]]]]})
    network = changed_network(model.network(), {name: {0: tuple(numbers)}})
    assert network.family(name).coefficients == {parent: 2 * family.coefficients[parent] for parent in family.parents}
    expected = dc.localize(network).query(name)
    assert marginal(ecoli, answer, name) == pytest.approx([expected.mean[0], expected.standard_deviations[0]])
    assert executed(answer["python"]).mean == pytest.approx(expected.mean)


def test_the_tables_of_a_variable(asia):
    model = asia.model
    family = asia.family(request(model, ("dysp",)))
    table = model.network().family("dysp")
    assert [model.dag.nodes[index] for index in family["parents"]] == list(table.parents)
    assert (family["kind"], family["count"], family["total"]) == ("table", 4, 4)
    for row, states, numbers in family["rows"]:
        assert numbers == table.values[tuple(states)].tolist()
        assert row == int(np.ravel_multi_index(states, table.values.shape[:-1]))
    fixed = asia.family(request(model, ("dysp",), {"bronc": "no"}))
    assert fixed["count"] == 2
    assert {states[table.parents.index("bronc")] for _, states, _ in fixed["rows"]} == {1}
    lung = model.dag.index_of("lung")
    changed = asia.family({**request(model, ("lung",)), "tables": [[lung, [[1, [0.5, 0.5]]]]], "do": [[lung, 0]]})
    assert changed["rows"][1][2] == [0.5, 0.5]
    with pytest.raises(RequestError, match="one variable"):
        asia.family(request(model, ("lung", "dysp")))


def test_the_regression_of_a_variable(ecoli):
    model = ecoli.model
    name = next(each for each in model.dag.nodes if model.dag.parents(each))
    family = ecoli.family(request(model, (name,)))
    regression = model.network().family(name)
    coefficients = [regression.coefficients[parent] for parent in regression.parents]
    assert family["rows"] == [[0, [], [regression.intercept, *coefficients, regression.variance]]]


def test_a_changed_network_as_a_file(asia, ecoli, tmp_path):
    lung = asia.model.dag.index_of("lung")
    text = asia.network_file({"tables": [[lung, [[0, [0.75, 0.25]]]]]})
    (tmp_path / "changed.bif").write_text(text, encoding="utf-8")
    assert dc.read(tmp_path / "changed.bif").family("lung").values[0].tolist() == [0.75, 0.25]
    (tmp_path / "same.json").write_text(ecoli.network_file({}), encoding="utf-8")
    assert dc.read(tmp_path / "same.json") == ecoli.model.network()


@pytest.mark.parametrize(
    "wrong",
    [
        {"do": [[0, 5]]},
        {"do": [[0, [0]]]},
        {"do": [[99, 0]]},
        {"tables": [[0, 3]]},
        {"tables": [[0, [[-1, [0.5, 0.5]]]]]},
        {"tables": [[0, [["0", [0.5, 0.5]]]]]},
        {"tables": [[0, [[9, [0.5, 0.5]]]]]},
        {"tables": [[0, [[0, [1]]]]]},
        {"tables": [[0, [[0, [0.5, None]]]]]},
    ],
)
def test_changes_that_the_page_never_sends_are_refused(asia, wrong):
    with pytest.raises(RequestError):
        asia.answer(wrong)


def test_a_row_that_is_no_distribution_is_an_error_of_the_network(asia):
    with pytest.raises(dc.NetworkError, match="sum"):
        asia.answer({"tables": [[0, [[0, [0.5, 0.6]]]]]})


def test_a_regression_needs_all_its_numbers(ecoli):
    with pytest.raises(RequestError, match="numbers"):
        ecoli.answer({"tables": [[0, [[0, [1.0]]]]]})
    with pytest.raises(RequestError, match="finite number"):
        ecoli.answer({"do": [[0, None]]})


def test_the_last_few_copies_are_kept(asia):
    variants = Variants(asia.model)
    copies = [variants.of(Variant({"smoke": "yes"}, {"lung": {0: (0.1 * number, 1 - 0.1 * number)}})) for number in range(9)]
    assert variants.of(Variant({"smoke": "yes"}, {"lung": {0: (0.8, 1 - 0.8)}})) is copies[8]
    assert variants.of(Variant({"smoke": "yes"}, {"lung": {0: (0.0, 1.0)}})) is not copies[0]
    assert len(variants._kept) == MOST_KEPT
    assert variants.of(Variant()) is asia.model


def test_whether_evidence_fits_together(asia):
    model = asia.model
    evidence, soft = {"smoke": "no", "lung": "yes"}, {"xray": {"yes": 0.9, "no": 0.2}}
    found = asia.conflict(request(model, (), evidence, soft))
    single = [model.log_evidence({name: state}) for name, state in evidence.items()] + [model.log_evidence(soft=soft)]
    assert [log for _, log in found["pieces"]] == pytest.approx(single)
    assert found["conflict"] == pytest.approx(sum(single) - model.log_evidence(evidence, soft=soft))
    assert asia.conflict(request(model, (), {"smoke": "no", "bronc": "yes"}))["conflict"] > 0
    assert asia.conflict(request(model, (), {"smoke": "yes", "bronc": "yes"}))["conflict"] < 0


def test_the_script_is_there_without_an_answer(asia):
    impossible = request(asia.model, ("lung",), {"tub": "yes", "either": "no"})
    with pytest.raises(dc.ImpossibleEvidenceError):
        asia.answer(impossible)
    script = asia.script(impossible)["python"]
    assert "evidence = {'tub': 'yes', 'either': 'no'}" in script
    with pytest.raises(dc.ImpossibleEvidenceError):
        executed(script)
