"""DSC, Netica's DNE and GeNIe's DSL: what is wrong where, kinds of nodes that are refused or become tables."""

from __future__ import annotations

import numpy as np
import pytest
from formats.example_files import DNE, DSC, DSL, parsed

import dconvex as dc


def check(text, suffix, line, column, said):
    with pytest.raises(dc.FormatError) as caught:
        parsed(text, suffix)
    assert said in str(caught.value)
    assert (caught.value.line, caught.value.column) == (line, column)


@pytest.mark.parametrize(
    ("old", "new", "line", "column", "said"),
    [
        ("belief network", "belief", 1, 1, "expected 'belief network', found 'belief'"),
        ("node rain", "decision rain", 8, 1, "expected 'node' or 'probability', found 'decision'"),
        ("[2] = { no, yes }", "[3] = { no, yes }", 8, 13, "expected 3 states, found 2"),
        ("type : discrete [2] = { no, yes }", "", 8, 14, "expected the type of 'rain' before '}'"),
        ("type : discrete [2] = { no, yes }", "type : continuous [2]", 8, 13, "expected 'type : discrete"),
        ("( season )", "( season, rain )", 10, 13, "expected one name before '|', found 2"),
        ("0.5, 0.3, 0.2", "0.5, 0.3", 11, 4, "expected 3 numbers, found 2"),
        ("0.5, 0.3, 0.2", "0.5, O.3, 0.2", 11, 9, "expected a number, found 'O.3'"),
        ("(2) : 0.25", "(3) : 0.25", 14, 4, "expected a state below 3, found 3"),
        ("(2) : 0.25", "(2, 0) : 0.25", 14, 11, "expected the states of 1 parents, found 2"),
        ("(0) : 0.9", "(2) : 0.9", 15, 8, "these states of the parents already have a row"),
        ("  default : 0.6, 0.4;\n", "", 13, 13, "expected a row for (1), found none"),
        ("0.5, 0.3, 0.2;", "function : max;", 11, 4, "a table with 'function : max' cannot be read"),
    ],
)
def test_errors_in_dsc(old, new, line, column, said):
    assert old in DSC
    check(DSC.replace(old, new, 1), ".dsc", line, column, said)


@pytest.mark.parametrize(
    ("old", "new", "line", "column", "said"),
    [
        ("bnet weather", "net weather", 2, 1, "expected 'bnet', found 'net'"),
        ("kind = NATURE", "kind = DECISION", 8, 1, "'season' is a decision; only chance and deterministic nodes can be read"),
        ("node season", "param season", 20, 1, "'rain' depends on the parameter 'season', and such nodes cannot be read"),
        ("states = (dry, mild, wet)", "count = 3", 8, 1, "expected 'states' in the node 'season'"),
        ("parents = (season)", "parents = (seasn)", 20, 1, "unknown variable 'seasn'; did you mean 'season'?"),
        ("probs =\n", "prob =\n", 8, 1, "expected 'probs' or 'functable' in the node 'season', which has no table"),
        ("whenchanged = 1;", "whenchanged = 1", 3, 15, "expected a value and ';', found '1'"),
        ("whenchanged = 1;", "a = {" * 200, 3, 496, "the blocks are nested too deeply"),
    ],
)
def test_errors_in_dne(old, new, line, column, said):
    assert old in DNE
    check(DNE.replace(old, new, 1), ".dne", line, column, said)


def test_old_macintosh_line_ends():
    assert parsed(DNE.replace("\n", "\r"), ".dne") == parsed(DNE, ".dne")


def node(text: str) -> np.ndarray:
    """The table of `wet` in a DNE text."""
    head = DNE[: DNE.index("node wet")]
    return parsed(f"{head}node wet {{ {text} }};\n}};", ".dne").family("wet").values


def test_a_deterministic_node_of_netica_becomes_a_table():
    wanted = [[1, 0], [0, 1], [0, 1]]
    assert (node("states = (no, yes); parents = (season); functable = (no, yes, yes);") == wanted).all()
    assert (node("states = (no, yes); parents = (season); functable = (#0, #1, #1);") == wanted).all()
    with pytest.raises(dc.FormatError, match="unknown state 'maybe' of 'wet'"):
        node("states = (no, yes); parents = (season); functable = (no, maybe, yes);")
    with pytest.raises(dc.FormatError, match="expected 3 states, found 2"):
        node("states = (no, yes); parents = (season); functable = (no, yes);")


@pytest.mark.parametrize(
    ("described", "states"),
    [
        ("numstates = 2;", ("#0", "#1")),
        ("discrete = FALSE; levels = (0, 1.5, 10);", ("0 - 1.5", "1.5 - 10")),
        ("discrete = TRUE; levels = (0, 10);", ("0", "10")),
    ],
)
def test_states_without_names(described, states):
    head = DNE[: DNE.index("node wet")]
    network = parsed(f"{head}node wet {{ {described} probs = (0.5, 0.5); }};\n}};", ".dne")
    assert network.states["wet"] == states


@pytest.mark.parametrize(
    ("old", "new", "line", "column", "said"),
    [
        ("net weather", "bnet weather", 1, 1, "expected 'net', found 'bnet'"),
        ("TYPE = CPT", "TYPE = LIST", 5, 2, "'season' is of type 'LIST'; only CPT, TRUTHTABLE and NOISY_MAX can be read"),
        ("DEFINITION = { NAMES", "DEFINITIONS = { NAMES", 5, 2, "expected a DEFINITION in the node 'season'"),
        ("PROBABILITIES", "PROBABILITY", 10, 3, "expected PROBABILITIES in the DEFINITION of 'season'"),
        ("0.5, 0.3, 0.2", "0.5, 0.3", 10, 65, "expected 3 numbers, found 2"),
    ],
)
def test_errors_in_dsl(old, new, line, column, said):
    assert old in DSL
    check(DSL.replace(old, new, 1), ".dsl", line, column, said)


def test_a_truth_table_of_genie_becomes_a_table():
    definition = (
        "TYPE = TRUTHTABLE; PARENTS = (season); DEFINITION = { NAMESTATES = (no, yes); RESULTINGSTATES = (no, yes, yes); };"
    )
    text = f"{DSL[: DSL.index('node wet')]}node wet {{ {definition} }};\n}};"
    assert (parsed(text, ".dsl").family("wet").values == [[1, 0], [0, 1], [0, 1]]).all()
