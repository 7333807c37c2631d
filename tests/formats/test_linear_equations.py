"""Linear Gaussian networks in XDSL and NET: expressions, what is wrong where, and round trips of real networks."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import dconvex as dc
from dconvex.formats.linear_terms import Terms
from dconvex.formats.scanner import Scanner


def linear(text: str):
    return Terms(Scanner(text, "x").excerpt(0, len(text))).whole()


@pytest.mark.parametrize(
    ("text", "constant", "coefficients", "variance"),
    [
        ("Normal(1, 2)", 1, {}, 4),
        ("2*x - y + Normal(0.5, 0)", 0.5, {"x": 2, "y": -1}, 0),
        ("x*2 + x + 3", 3, {"x": 3}, 0),
        ("-x/4 + 2*3", 6, {"x": -0.25}, 0),
        ("Normal(2*x + 1, 3) - Normal(0, 4)", 1, {"x": 2}, 25),
        ("2 * Normal(1, 3)", 2, {}, 36),
        ("1e2*x--1", 1, {"x": 100}, 0),
        (".5 + 0*z", 0.5, {"z": 0}, 0),
    ],
)
def test_linear_expressions(text, constant, coefficients, variance):
    found = linear(text)
    assert (found.constant, found.coefficients, found.variance) == (constant, coefficients, variance)


@pytest.mark.parametrize(
    ("text", "said", "column"),
    [
        ("x*y", "two variables are multiplied before this, found the end", 4),
        ("x^2", "expected '+' or '-', found '^'", 2),
        ("Sin(x)", "expected a linear expression with normal noise, found 'Sin'", 1),
        ("1 + ", "expected a number or a variable, found the end", 5),
        ("1/x", "expected a division by a number", 4),
        ("Normal(1, -2)", "expected a number that is not negative", 14),
        ("Normal(1)", "expected ',', found ')'", 9),
        ("Normal(Normal(1, 2), 1)", "expected a linear expression with normal noise", 8),
        ("x $ y", "expected a linear expression, found '$'", 3),
        ("x y", "expected '+' or '-', found 'y'", 3),
    ],
)
def test_what_is_not_linear(text, said, column):
    with pytest.raises(dc.FormatError) as caught:
        linear(text)
    assert said in str(caught.value)
    assert caught.value.column == column


@given(st.text("xy12.+-*/(), Normale", max_size=30))
def test_any_text_is_an_expression_or_an_error(text):
    try:
        linear(text)
    except dc.FormatError:
        return


@pytest.mark.parametrize("suffix", [".net", ".xdsl", ".net.gz"])
@pytest.mark.parametrize("name", ["ecoli70", "arth150"])
def test_gaussian_networks_of_the_repository_come_back_equal(tmp_path, name, suffix):
    network = dc.load_network(name)
    dc.write(network, tmp_path / f"network{suffix}")
    assert dc.read(tmp_path / f"network{suffix}") == network


EQUATIONS = """<smile version="1.0" id="x"><nodes>
<equation id="x"><definition>x=Normal(1.5,2)</definition></equation>
<equation id="y"><parents>x z</parents><definition>y = 2*x - z + Normal(0, 0.5)</definition></equation>
<equation id="z"><definition>z = 3</definition></equation>
</nodes></smile>"""
NODES = """continuous node x { }
continuous node y { label = "y"; }
continuous node z(1,a.b) { }
potential ( x ) { data = ( normal ( 1.5, 4 ) ); }
potential ( y | x z(1,a.b) ) { data = normal ( 2*x + 1, 0.25 ); }
potential ( z(1,a.b) ) { data = ( normal ( 3, 0 ) ); }
"""


def read(text: str, suffix: str) -> dc.BayesianNetwork:
    from dconvex.formats.registry import FORMATS

    [form] = [form for form in FORMATS if suffix in form.suffixes]
    return form.parse(text, f"network{suffix}")


def test_equations_of_genie():
    assert read(EQUATIONS, ".xdsl") == dc.BayesianNetwork.gaussian(
        dc.Dag.from_parents({"x": (), "y": ("x", "z"), "z": ()}),
        {"x": (1.5, {}, 4.0), "y": (0, {"x": 2, "z": -1}, 0.25), "z": (3, {}, 0)},
    )


def test_continuous_nodes_of_hugin_with_names_of_other_programs():
    assert read(NODES, ".net") == dc.BayesianNetwork.gaussian(
        dc.Dag.from_parents({"x": (), "y": ("x", "z(1,a.b)"), "z(1,a.b)": ()}),
        {"x": (1.5, {}, 4.0), "y": (1, {"x": 2, "z(1,a.b)": 0}, 0.25), "z(1,a.b)": (3, {}, 0)},
    )


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("x=Normal", "w=Normal", r":2:.*expected 'x = …', found 'w=Normal\(1.5,2\)'"),
        ("2*x - z", "2*x - w", r":3:1: 'y' depends on 'w', which is not among its parents"),
        ("<parents>x z", "<parents>x z w", r":3:1: unknown variable 'w'"),
        ("<parents>x z", "<parents>x y z", r"the edges contain a cycle: y → y"),
        ('<equation id="z">', '<equation id="x">', r":4:1: expected|:4:.*'x = …'|defined twice"),
        ("z = 3", "z = 1e999", "not a finite number|finite"),
        ('<equation id="z"><definition>z = 3</definition></equation>', '<cpt id="z" />', "'z' is a <cpt> node and 'x' an <eq"),
    ],
)
def test_what_is_wrong_with_equations(old, new, said):
    assert old in EQUATIONS
    with pytest.raises(dc.FormatError, match=said):
        read(EQUATIONS.replace(old, new, 1), ".xdsl")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("potential ( x ) { data = ( normal ( 1.5, 4 ) ); }\n", "", ":1:17: expected a potential for 'x', found none"),
        ("( x ) { data = ( normal", "( w ) { data = ( normal", "unknown variable 'w'"),
        ("normal ( 3, 0 )", "uniform ( 3, 0 )", r"expected 'normal \( mean, variance \)', found '\( uniform"),
        ("normal ( 3, 0 )", "normal ( 3, 0 ) + 1", r"expected the end of the distribution, found '\+'"),
        ("data = ( normal ( 3, 0 ) );", "", "expected 'data' in the potential of"),
        ("potential ( x ) {", "potential ( x ) { data = ( normal ( 1, 1 ) ); } potential ( x ) {", "'x' is defined twice"),
    ],
)
def test_what_is_wrong_with_continuous_nodes(old, new, said):
    assert old in NODES
    with pytest.raises(dc.FormatError, match=said):
        read(NODES.replace(old, new, 1), ".net")


def test_two_nodes_that_mean_the_same_name():
    text = EQUATIONS.replace('<equation id="z">', '<equation id="z"><property id="dconvex_name">z:str:x</property>')
    with pytest.raises(dc.FormatError, match="two variables are called 'x'"):
        read(text, ".xdsl")
    with pytest.raises(dc.FormatError, match="the name of 'z' is not valid"):
        read(text.replace("z:str:x", "z:float:x"), ".xdsl")
