"""Our JSON, the repository's Gaussian JSON, and what is refused."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dconvex as dc

DISCRETE = {
    "format": "dconvex-network",
    "version": 1,
    "kind": "discrete",
    "variables": [
        {"name": "rain", "parents": [], "states": ["no", "yes"], "table": [0.8, 0.2]},
        {"name": 7, "parents": ["rain"], "states": [False, 3, "x"], "table": [0.9, 0.05, 0.05, 0, 0.5, 0.5]},
    ],
}
GAUSSIAN = {
    "format": "dconvex-network",
    "version": 1,
    "kind": "gaussian",
    "variables": [
        {"name": "x", "parents": [], "intercept": 1, "coefficients": [], "variance": 0},
        {"name": "y", "parents": ["x"], "intercept": 0.5, "coefficients": [2.5], "variance": 1.25},
    ],
}
REPOSITORY = {
    "nodes": ["x", "y"],
    "arcs": [["x", "y"]],
    "cpds": {
        "x": {"coefficients": {"(Intercept)": [1]}, "variance": [0.0], "parents": []},
        "y": {"coefficients": {"(Intercept)": [0.5], "x": [2.5]}, "variance": [1.25], "parents": ["x"]},
    },
}


def read_document(tmp_path, document) -> dc.BayesianNetwork:
    path = tmp_path / "network.json"
    path.write_text(document if isinstance(document, str) else json.dumps(document, indent=1))
    return dc.read(path)


def changed(document, *keys, to):
    """A copy of the document with one part replaced (or removed, if `to` is `...`)."""
    copy = json.loads(json.dumps(document))
    part = copy
    for key in keys[:-1]:
        part = part[key]
    if to is ...:
        del part[keys[-1]]
    else:
        part[keys[-1]] = to
    return copy


def test_a_discrete_network(tmp_path):
    network = read_document(tmp_path, DISCRETE)
    assert network.states == {"rain": ("no", "yes"), 7: (False, 3, "x")}
    assert [type(label) for label in network.states[7]] == [bool, int, str]
    np.testing.assert_array_equal(network.family(7).values, [[0.9, 0.05, 0.05], [0, 0.5, 0.5]])


def test_a_gaussian_network_in_both_kinds_of_json(tmp_path):
    network = read_document(tmp_path, GAUSSIAN)
    assert network.family("y") == dc.Regression("y", ("x",), 0.5, {"x": 2.5}, 1.25)
    assert read_document(tmp_path, REPOSITORY) == network


def test_the_documented_example_is_what_is_written(tmp_path):
    from dconvex.formats import network_json

    text = network_json.__doc__.split("\n\n")[1]
    network = read_document(tmp_path, text)
    dc.write(network, tmp_path / "again.json")
    assert json.loads((tmp_path / "again.json").read_text()) == json.loads(text)


@pytest.mark.parametrize(
    ("document", "said"),
    [
        ("{", "not JSON"),
        ("[1, 2]", "expected a JSON object"),
        ("[" * 200_000, "nested too deeply"),
        ("1" * 5_000, "not JSON"),
        ({"format": "other"}, 'expected "format": "dconvex-network"'),
        (changed(DISCRETE, "version", to=2), "reads version 1 of the format, not 2"),
        (changed(DISCRETE, "kind", to="mixed"), 'expected "kind"'),
        (changed(DISCRETE, "variables", to=...), "expected list as 'variables', found nothing"),
        (changed(DISCRETE, "variables", 0, to=3), "expected str or int as 'name'"),
        (changed(DISCRETE, "variables", 1, "name", to="rain"), "the variable 'rain' is defined twice"),
        (changed(DISCRETE, "variables", 1, "name", to=True), "expected str or int as 'name', found True"),
        (
            changed(DISCRETE, "variables", 1, "parents", to=["rian"]),
            "unknown parent (of 7) 'rian'; did you mean 'rain'?",
        ),
        (changed(DISCRETE, "variables", 1, "parents", to=[[1]]), "a variable name must be a str or an int"),
        (changed(DISCRETE, "variables", 1, "parents", to=[7]), "cycle"),
        (changed(DISCRETE, "variables", 1, "states", to=[1, True]), "two states of 7 compare equal"),
        (changed(DISCRETE, "variables", 1, "states", to=[]), "no states"),
        (changed(DISCRETE, "variables", 1, "states", to=[1.5, 2.5, 3.5]), "a state must be a str, an int or a bool"),
        (changed(DISCRETE, "variables", 1, "table", to=[0.5, 0.5]), "expected 6 numbers as 'table', found 2"),
        (changed(DISCRETE, "variables", 1, "table", to=[None] * 6), "expected only numbers as 'table'"),
        (changed(DISCRETE, "variables", 1, "table", to=[10**400] + [0] * 5), "too large"),
        (changed(DISCRETE, "variables", 0, "table", to=[0.8, 0.3]), "sums to 1.1"),
        (changed(DISCRETE, "variables", 0, "table", to=[float("nan"), 0.3]), "nan"),
        (changed(GAUSSIAN, "variables", 1, "variance", to=-1), "variance"),
        (changed(GAUSSIAN, "variables", 1, "variance", to="1"), "expected float or int as 'variance', found '1'"),
        (changed(GAUSSIAN, "variables", 1, "coefficients", to=[]), "expected 1 numbers as 'coefficients', found 0"),
        (changed(REPOSITORY, "cpds", "y", "variance", to=[1, 2]), "expected 1 numbers as 'variance', found 2"),
        (changed(REPOSITORY, "cpds", "y", "parents", to=[]), "coefficients for ['x']"),
        (changed(REPOSITORY, "nodes", to=["x"]), "'y' is in only one of nodes and cpds"),
    ],
)
def test_errors_say_what_is_wrong_and_where(tmp_path, document, said):
    with pytest.raises(dc.FormatError) as caught:
        read_document(tmp_path, document)
    assert said in str(caught.value)
    assert caught.value.path == str(tmp_path / "network.json")
    assert caught.value.line is not None
    assert caught.value.column is not None


def test_an_error_tells_the_line_of_its_variable(tmp_path):
    with pytest.raises(dc.FormatError) as caught:
        read_document(tmp_path, changed(DISCRETE, "variables", 1, "table", to=[1.0]))
    line = (tmp_path / "network.json").read_text().split("\n")[caught.value.line - 1]
    assert '"name": 7' in line


ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4) | st.just("rain"),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_mutilated_documents_raise_nothing_but_format_errors(tmp_path_factory, data):
    document = data.draw(st.sampled_from([DISCRETE, GAUSSIAN, REPOSITORY]))
    keys = []
    part = document
    while isinstance(part, dict | list) and part and (not keys or data.draw(st.booleans())):
        keys.append(data.draw(st.sampled_from(sorted(part) if isinstance(part, dict) else range(len(part)))))
        part = part[keys[-1]]
    folder = tmp_path_factory.mktemp("fuzz")
    try:
        read_document(folder, changed(document, *keys, to=data.draw(ANY_JSON | st.just(...))))
    except dc.FormatError:
        pass
