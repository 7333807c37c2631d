"""A row of a CSV file as evidence, and CSV that no spreadsheet runs."""

from __future__ import annotations

import csv
import io
import math

import pytest
from explorer.questions import exploring, request

import dconvex as dc
from dconvex.explorer.case_rows import evidence_of_row
from dconvex.explorer.explorer import Explorer
from dconvex.explorer.request_data import RequestError


@pytest.fixture(scope="module")
def asia() -> dc.LocalModel:
    return exploring("asia").model


def named(model, found):
    if model.kind == "gaussian":
        return {model.dag.nodes[index]: value for index, value in found["evidence"]}
    return {model.dag.nodes[index]: model.states[model.dag.nodes[index]][value[0]] for index, value in found["evidence"]}


def test_a_row_becomes_evidence(asia):
    text = "\ufeffsmoke, xray,patient,dysp,tub\r\nyes,no,7,,NA\r\n\r\nno,yes,8,yes,no\r\n"
    found = evidence_of_row(asia, text, 0)
    assert named(asia, found) == {"smoke": "yes", "xray": "no"}
    assert (found["rows"], found["ignored"], found["problems"]) == (2, ["patient"], [])
    assert named(asia, evidence_of_row(asia, text, 1)) == {"smoke": "no", "xray": "yes", "dysp": "yes", "tub": "no"}


def test_cells_that_are_no_states_are_named(asia):
    found = evidence_of_row(asia, "smoke,xray\nmaybe,no\n", 0)
    assert named(asia, found) == {"xray": "no"}
    assert found["problems"] == ["smoke: 'maybe' is none of its states (yes, no)"]


def test_whole_numbers_are_states_however_they_are_written():
    network = dc.BayesianNetwork.discrete([], {"a": [0.25, 0.75], "b": [0.5, 0.5]}, {"a": [0, 1], "b": [True, False]})
    model = dc.localize(network)
    assert named(model, evidence_of_row(model, "a,b\n1.0,True\n", 0)) == {"a": 1, "b": True}
    assert evidence_of_row(model, "a,b\n0.5,x\n", 0)["problems"] == [
        "a: '0.5' is none of its states (0, 1)",
        "b: 'x' is none of its states (True, False)",
    ]


def test_numbers_fall_into_intervals():
    states = {"x": [dc.Interval(-math.inf, 1), dc.Interval(1, 5), dc.Interval(5, math.inf)], "y": ["no", "yes"]}
    network = dc.BayesianNetwork.discrete(
        [("x", "y")], {"x": [0.2, 0.3, 0.5], "y": [[0.9, 0.1], [0.5, 0.5], [0.2, 0.8]]}, states
    )
    explorer = Explorer(dc.localize(network), "intervals", "dc.localize(network)")
    for number, state in (("-3", 0), ("1", 0), ("2.5", 1), ("1e9", 2)):
        assert explorer.case({"text": f"x\n{number}\n"})["evidence"] == [[0, [state]]]
    for question in ({"evidence": [[0, [1]]]}, {"soft": [[0, [1, 0, 2]]]}, {"do": [[0, 2]]}, {"evidence": [[0, [0, 2]]]}):
        answer = explorer.answer({"asked": [1], **question})
        found = {"network": network}
        exec(answer["python"], found)
        assert found["answer"].values == pytest.approx(answer["marginals"]["numbers"][0][1])
    assert "(1, 5]" in explorer.table({})


def test_numbers_of_a_gaussian_network():
    model = exploring("ecoli70").model
    found = evidence_of_row(model, "aceB,lacA,lacY,asnA\n1.5,-2e3,1e400,x\n", 0)
    assert named(model, found) == {"aceB": 1.5, "lacA": -2000.0}
    assert found["problems"] == ["lacY: '1e400' is not a finite number", "asnA: 'x' is not a finite number"]


@pytest.mark.parametrize(
    ("text", "row", "said"),
    [
        ("", 0, "at least one line of values"),
        ("smoke\n", 0, "at least one line of values"),
        ("smoke\nyes\n", 1, "there is no row 1"),
        ("one,two\n1,2\n", 0, "none of the columns is a variable of this network: one, two"),
        ('smoke\n"yes', 0, "this is no CSV"),
        (",".join(map(str, range(9))) + "\n" + ",".join("1" * 9), 0, r"0, 1, 2, 3, 4, … \(4 more\)"),
    ],
)
def test_what_is_no_row_of_evidence_says_so(asia, text, row, said):
    with pytest.raises(dc.DataError, match=said):
        evidence_of_row(asia, text, row)


def test_the_page_sends_a_text_and_a_number(asia):
    explorer = exploring("asia")
    assert explorer.case({"text": "smoke\nyes\n"})["evidence"] == [[asia.dag.index_of("smoke"), [0]]]
    for wrong in ({"text": 3}, {}, {"text": "smoke\nyes\n", "row": "0"}, []):
        with pytest.raises(RequestError):
            explorer.case(wrong)


def test_names_and_labels_that_look_like_formulas_are_harmless():
    name = "=HYPERLINK(1)"
    states = {name: ["@a", "-1", "-1+2"], "b": ["+x", "plain"]}
    network = dc.BayesianNetwork.discrete([(name, "b")], {name: [0.2, 0.3, 0.5], "b": [[0.5, 0.5]] * 3}, states)
    explorer = Explorer(dc.localize(network), "odd", "model")
    texts = [explorer.table({}), explorer.table(request(explorer.model, (name, "b"))), explorer.most_probable_table({})]
    cells = [cell for text in texts for row in csv.reader(io.StringIO(text, newline="")) for cell in row]
    assert {"'=HYPERLINK(1)", "'@a", "-1", "'-1+2", "'+x"} <= set(cells)
    assert not [cell for cell in cells if cell.startswith(("=", "+", "@", "-1+"))]
