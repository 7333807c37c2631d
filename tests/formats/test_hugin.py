"""Hugin's NET: what is wrong where, nodes that are refused, states that Hugin leaves empty."""

from __future__ import annotations

import numpy as np
import pytest
from formats.example_files import HUGIN, NETWORK, parsed

import dconvex as dc


def test_blocks_in_another_order(tmp_path):
    net, *blocks = HUGIN.split("\n}\n")[:-1]
    assert parsed("".join(f"{block}\n}}\n" for block in [net, *reversed(blocks)]), ".net") == NETWORK


def test_commas_and_flat_data():
    text = HUGIN.replace('("no" "yes")', '("no", "yes")').replace("| season rain", "| season, rain")
    start, stop = text.index("(((0.8"), text.index(")));")
    flat = text[:start] + "(" + text[start:stop].replace("(", " ").replace(")", ",") + text[stop + 2 :]
    assert "(" not in flat[start + 1 :]
    assert parsed(flat, ".net") == NETWORK


def test_comments_end_with_the_line_and_do_not_begin_in_strings():
    text = HUGIN.replace('"mild"', '"mi%ld"').replace("net\n{", "net % { }\n{").replace("0.3 0.2", "0.3 % 0.9 \n 0.2")
    assert parsed(text, ".net").states["season"] == ("dry", "mi%ld", "wet")


def test_escapes_in_strings():
    assert parsed(HUGIN.replace('"mild"', r'"mi\"l\\d"'), ".net").states["season"][1] == 'mi"l\\d'


@pytest.mark.parametrize(
    ("values", "states"), [("0 10.5 20 90", ("0 - 10.5", "10.5 - 20", "20 - 90")), ("1 2 4", ("1", "2", "4"))]
)
def test_numbers_and_intervals_without_labels(values, states):
    text = HUGIN.replace('states = ("dry" "mild" "wet");', f'states = ("" "" ""); state_values = ({values});')
    assert parsed(text, ".net").states["season"] == states


@pytest.mark.parametrize(
    ("old", "new", "line", "column", "said"),
    [
        ("net\n{", "nett\n{", 2, 1, "expected 'net', found 'nett'"),
        ("node rain", "knot rain", 14, 1, "expected 'node' or 'potential', found 'knot'"),
        (
            "node rain",
            "decision rain",
            14,
            1,
            "'rain' is a decision; only discrete and linear Gaussian chance nodes",
        ),
        ("node rain", "utility rain", 14, 1, "'rain' is a utility;"),
        ("node rain", "function rain", 14, 1, "'rain' is a function;"),
        (
            "node rain",
            "continuous node rain",
            7,
            6,
            "'season' is discrete and 'rain' continuous; mixed networks",
        ),
        ("net\n{", "class Weather\n{", 2, 1, "'Weather' is a class;"),
        ("states = (no yes);", "", 14, 6, "expected 'states' in the node 'rain'"),
        ("(no yes)", "(no no)", 14, 6, "two states of 'rain' compare equal"),
        ("(no yes)", "()", 14, 6, "'rain' has no states"),
        ("node rain", "node season", 14, 6, "the variable 'season' is defined twice"),
        ("(no yes);", "(no yes)", 16, 5, "expected 'name = value;' or '}', found 'states'"),
        ("potential ( rain |", "potential ( wet |", 33, 11, "there is a second potential for 'wet'"),
        ("potential (season)\n{\n    data = ( 0.5 0.3 0.2 );\n}\n", "", 7, 6, "expected a potential for 'season', found none"),
        ("( rain | season )", "( rain | saeson )", 27, 11, "unknown variable 'saeson'; did you mean 'season'?"),
        ("( rain | season )", "( rain season )", 27, 11, "expected one name before '|', found 2"),
        ("( rain | season )", "rain season", 27, 11, "expected '( name | names )', found 'rain'"),
        ("( rain | season )", "( rain | season season )", 27, 11, "is given twice"),
        ("( rain | season )", "( rain | wet )", 33, 11, "the edges contain a cycle: wet → rain → wet"),
        ("data = ( 0.5 0.3 0.2 );", "model_data = ( Uniform(1, 2) );", 23, 11, "a model computes cannot be read"),
        ("data = ( 0.5 0.3 0.2 );", "", 23, 11, "expected 'data' in the potential of 'season'"),
        ("0.5 0.3 0.2", "0.5 O.3 0.2", 25, 18, "expected a number, found 'O.3'"),
        ("0.5 0.3 0.2", "0.5 0.3", 25, 12, "expected 3 numbers, found 2"),
        ("0.5 0.3 0.2", "0.5 0.3 0.3", 23, 11, "P('season') sums to 1.1"),
        ("0.5 0.3 0.2", "0.5 (0.3 0.2", 25, 12, "expected as many '(' as ')'"),
        ("( 0.6  0.4 )", "( 1.6 -0.6 )", 27, 11, "the probability -0.6"),
        ("(no yes);", '(no yes);\n    dconvex_states = "no:int:x";', 14, 6, "the notes on 'rain' are not valid"),
        ("(no yes);", '(no yes);\n    dconvex_name = "rain:float:1";', 14, 6, "'rain:float:1' is not spelling:type:name"),
        ("(no yes);", '(no yes);\n    dconvex_name = "rain:bool:True";', 14, 6, "must be a str or an int"),
        ("(no yes);", '(no yes);\n    dconvex_name = "rain:str:wet";', 14, 6, "two variables are called 'wet'"),
    ],
)
def test_errors_say_where_and_what(old, new, line, column, said):
    assert old in HUGIN
    with pytest.raises(dc.FormatError) as caught:
        parsed(HUGIN.replace(old, new, 1), ".net")
    assert said in str(caught.value)
    assert (caught.value.line, caught.value.column) == (line, column)


def test_reserved_words_and_odd_names_are_spelled_otherwise(tmp_path):
    network = dc.BayesianNetwork.discrete(
        dc.Dag.from_parents({"node": (), 7: ("node",), 'say "hi"': (7, "node")}),
        {"node": [0.5, 0.5], 7: [[0.1, 0.9], [0.2, 0.8]], 'say "hi"': np.full((2, 2, 2), 0.5)},
        {"node": [True, False], 7: ["a b", 'c"'], 'say "hi"': ["", "\n"]},
    )
    path = tmp_path / "network.net"
    dc.write(network, path)
    text = path.read_text()
    assert "node node_2\n" in text
    assert 'dconvex_name = "x_7:int:7"' in text
    assert dc.read(path) == network


def test_quotes_that_do_not_end_take_linear_time():
    with pytest.raises(dc.FormatError, match="expected 'name = value;'"):
        parsed("net { a = " + '"\\' * 200_000, ".net")
