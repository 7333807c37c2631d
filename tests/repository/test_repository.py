"""Every built-in network against the file in pgmpy's wheel, parsed by a second small parser that shares no code with ours."""

from __future__ import annotations

import gzip
import importlib.util
import itertools
import json
import math
import re
from pathlib import Path

import numpy as np
import pytest

import dconvex as dc

WHEEL = Path(importlib.util.find_spec("pgmpy").origin).parent / "utils" / "example_models"
DISCRETE = (
    "asia cancer earthquake survey sachs child insurance water mildew alarm barley hailfinder hepar2 win95pts "
    "pathfinder andes diabetes pigs link munin munin1 munin2 munin3 munin4"
).split()
GAUSSIAN = ["ecoli70", "magic-niab", "magic-irri", "arth150"]


def bif_states(text: str) -> dict[str, list[str]]:
    found = re.findall(r"variable (\S+) \{\s*type discrete \[ \d+ \] \{ ([^}]*) \};", text)
    return {name: [state.strip() for state in states.split(",")] for name, states in found}


def bif_rows(text: str):
    """(variable, {parent: state}, numbers) for every row in the file."""
    for head, body in re.findall(r"probability \( ([^)]*) \) \{(.*?)\n\}", text, re.DOTALL):
        name, _, after = head.partition(" | ")
        parents = [parent.strip() for parent in after.split(",")] if after else []
        for line in body.strip().split("\n"):
            states, numbers = re.fullmatch(r"\s*(?:table|\((.*?)\)) (.*);", line).groups()
            given = [state.strip() for state in states.split(",")] if states else []
            yield name.strip(), dict(zip(parents, given, strict=True)), [float(n) for n in numbers.split(",")]


@pytest.mark.parametrize("name", DISCRETE)
def test_discrete_networks_equal_the_wheels_numbers(name):
    text = gzip.decompress((WHEEL / f"{name}.bif.gz").read_bytes()).decode()
    network = dc.load_network(name)
    states = bif_states(text)
    assert network.states == {variable: tuple(labels) for variable, labels in states.items()}
    index = {variable: {label: n for n, label in enumerate(labels)} for variable, labels in states.items()}
    tables = {variable: network.family(variable) for variable in states}
    rows = 0
    for variable, given, numbers in bif_rows(text):
        table = tables[variable]
        assert set(table.parents) == set(given)
        ours = table.values[tuple(index[parent][given[parent]] for parent in table.parents)]
        total = math.fsum(numbers)
        if abs(total - 1) < 1e-12:
            assert ours.tolist() == numbers
        else:  # off by rounding: divided by its sum
            np.testing.assert_allclose(ours, np.array(numbers) / total, rtol=1e-14)
        rows += 1
    assert rows == sum(table.values.size // table.values.shape[-1] for table in tables.values())


@pytest.mark.parametrize("name", GAUSSIAN)
def test_gaussian_networks_equal_the_wheels_numbers(name):
    document = json.loads((WHEEL / f"{name}.json").read_text())
    network = dc.load_network(name)
    assert set(network.dag.nodes) == set(document["nodes"])
    assert set(network.dag.edges) == set(map(tuple, document["arcs"]))
    for variable, cpd in document["cpds"].items():
        family = network.family(variable)
        coefficients = {key: value[0] for key, value in cpd["coefficients"].items()}
        assert family.intercept == coefficients.pop("(Intercept)")
        assert dict(family.coefficients) == coefficients
        assert family.variance == cpd["variance"][0]


def test_all_networks_are_there():
    assert set(dc.network_names()) == {*DISCRETE, *GAUSSIAN}
    assert list(dc.network_names()) == sorted(dc.network_names())


@pytest.mark.parametrize(
    ("name", "variables", "edges", "parameters"),
    [  # as the bnlearn repository states them
        ("asia", 8, 8, 18),
        ("alarm", 37, 46, 509),
        ("hailfinder", 56, 66, 2656),
        ("pathfinder", 109, 195, 72079),
        ("munin", 1041, 1397, 80592),
        ("ecoli70", 46, 70, 162),
        ("arth150", 107, 150, 364),
    ],
)
def test_published_sizes(name, variables, edges, parameters):
    info = dc.network_info(name)
    assert (info.variables, info.edges, info.parameters) == (variables, edges, parameters)


def test_info_agrees_with_the_network():
    for name in dc.network_names():
        info, network = dc.network_info(name), dc.load_network(name)
        assert (info.kind, info.variables, info.edges) == (network.kind, len(network), len(network.dag.edges))
        assert all([info.source, info.reference, info.licence])


def test_an_unknown_name_gets_a_near_match():
    for ask in (dc.load_network, dc.network_info):
        with pytest.raises(dc.DconvexError, match="unknown network 'alram'; did you mean 'alarm'"):
            ask("alram")


def test_every_network_is_named_in_the_data_licence():
    text = (Path(__file__).parents[2] / "LICENSE-DATA").read_text()
    missing = list(itertools.filterfalse(lambda name: re.search(rf"\b{name}\b", text), dc.network_names()))
    assert not missing
