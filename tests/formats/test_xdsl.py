"""GeNIe's XDSL: what is wrong where, nodes that are refused or become tables, and pyAgrum's order of parents."""

from __future__ import annotations

import numpy as np
import pytest
from formats.example_files import NETWORK, XDSL, parsed

import dconvex as dc

CPT = '<cpt id="wet">'


@pytest.mark.parametrize(
    ("old", "new", "line", "column", "said"),
    [
        (CPT, "<cpt>", 18, 5, "expected the attribute 'id' in <cpt>"),
        ('<state id="mild" />', "<state />", 7, 7, "expected the attribute 'id' in <state>"),
        ('<state id="mild" />', '<state id="wet" />', 5, 5, "two states of 'season' compare equal"),
        (CPT, '<cpt id="rain">', 18, 5, "the variable 'rain' is defined twice"),
        ("season rain", "season rian", 18, 5, "unknown variable 'rian'; did you mean 'rain'?"),
        ("season rain", "season season", 18, 5, "is given twice"),
        ("<parents>season</parents>", "<parents>wet</parents>", 18, 5, "the edges contain a cycle: wet → rain → wet"),
        ("<probabilities>0.5 0.3 0.2</probabilities>", "", 5, 5, "expected one <probabilities> in <cpt>, found none"),
        ("0.5 0.3 0.2", "0.5 0.3 0,2", 9, 22, "expected 3 numbers, found 4"),
        ("0.5 0.3 0.2", "0.5 0.3 NaN", 5, 5, "the probability nan"),
        ("0.15 0.85", "0.15 x", 22, 35, "expected a number, found 'x'"),
        ("<nodes>", "<nodes/><nodes>", 3, 1, "expected one <nodes> in <smile>, found 2"),
        ("<nodes>", "<dynamic><x/></dynamic><nodes>", 4, 3, "this is a dynamic network"),
    ],
)
def test_errors_say_where_and_what(old, new, line, column, said):
    assert old in XDSL
    with pytest.raises(dc.FormatError) as caught:
        parsed(XDSL.replace(old, new, 1), ".xdsl")
    assert said in str(caught.value)
    assert (caught.value.line, caught.value.column) == (line, column)


@pytest.mark.parametrize("kind", ["noisyadder", "decision", "utility", "mau"])
def test_other_kinds_of_nodes_are_refused(kind):
    text = XDSL.replace(CPT, f'<{kind} id="wet">').replace("</cpt>\n  </nodes>", f"</{kind}>\n  </nodes>")
    with pytest.raises(dc.FormatError, match=f"'wet' is a <{kind}> node; only <cpt>, <deterministic>, ") as caught:
        parsed(text, ".xdsl")
    assert (caught.value.line, caught.value.column) == (18, 5)


SURE = "<resultingstates>no yes yes yes no no</resultingstates>"


def deterministic(states: str = SURE) -> str:
    start = XDSL.index("<probabilities>0.8")
    stop = XDSL.index("\n", start)
    text = XDSL[:start] + states + XDSL[stop:]
    return text.replace(CPT, '<deterministic id="wet">').replace("</cpt>\n  </nodes>", "</deterministic>\n  </nodes>")


def test_deterministic_nodes_become_tables():
    values = parsed(deterministic(), ".xdsl").family("wet").values
    np.testing.assert_array_equal(values[:, :, 1], [[0, 1], [1, 1], [0, 0]])
    np.testing.assert_array_equal(values.sum(axis=2), 1)


@pytest.mark.parametrize(
    ("states", "column", "said"),
    [
        (SURE.replace("no no", "no yess"), 42, "unknown state 'yess' of 'wet'; did you mean 'yes'?"),
        (SURE.replace("no no", "no"), 24, "expected 6 states, found 5"),
    ],
)
def test_errors_in_deterministic_nodes(states, column, said):
    with pytest.raises(dc.FormatError) as caught:
        parsed(deterministic(states), ".xdsl")
    assert said in str(caught.value)
    assert (caught.value.line, caught.value.column) == (22, column)


def test_a_deterministic_table_of_too_many_cells_is_refused():
    states = "".join(f'<state id="s{number}"/>' for number in range(9_000))
    sure = "<resultingstates>s0</resultingstates>"
    nodes = f'<deterministic id="a">{states}{sure}</deterministic>'
    nodes += f'<deterministic id="b">{states}<parents>a</parents>{sure}</deterministic>'
    problem = "the table of 'b' would have 81,000,000 cells; all tables together may have at most 67,108,864"
    with pytest.raises(dc.FormatError, match=problem):
        parsed(f"<smile><nodes>{nodes}</nodes></smile>", ".xdsl")


def test_in_files_of_pyagrum_the_first_parent_varies_fastest():
    values = NETWORK.family("wet").values.transpose(1, 0, 2).reshape(-1)
    start = XDSL.index("<probabilities>0.8")
    text = (
        XDSL[:start] + f"<probabilities>{' '.join(map(repr, values.tolist()))}" + XDSL[XDSL.index("</probabilities>", start) :]
    )
    assert parsed(text, ".xdsl") != NETWORK
    assert parsed(text.replace('app="GeNIe 4.0"', 'app="aGrUM 2.3.0"'), ".xdsl") == NETWORK


def test_parents_come_before_children_and_names_are_words(tmp_path):
    network = dc.BayesianNetwork.discrete(
        dc.Dag.from_parents({"a": ("b-1",), "b-1": (2,), 2: ()}),
        {"a": [[0.5, 0.5], [0.1, 0.9]], "b-1": [[0.2, 0.8], [0.3, 0.7]], 2: [0.4, 0.6]},
        {"a": ["<3", ">=3"], "b-1": [0, 1], 2: [False, True]},
    )
    path = tmp_path / "network.xdsl"
    dc.write(network, path)
    text = path.read_text()
    assert text.index('<cpt id="x_2">') < text.index('<cpt id="b_1">') < text.index('<cpt id="a">')
    assert '<state id="x_3" />\n      <state id="x_3_2" />' in text
    assert "<name>b-1</name>" in text
    assert dc.read(path) == network
