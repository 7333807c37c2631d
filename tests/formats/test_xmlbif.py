"""XMLBIF: what is wrong where, and names that XML must spell otherwise."""

from __future__ import annotations

import pytest
from formats.example_files import NETWORK, XMLBIF, parsed

import dconvex as dc


def test_a_name_space_and_other_elements_are_passed_over():
    text = XMLBIF.replace('<BIF VERSION="0.3">', '<BIF VERSION="0.3" xmlns="http://example.org/xmlbif">')
    text = text.replace("<NETWORK>", "<NETWORK><VIEW><VARIABLE><NAME>wet</NAME></VARIABLE></VIEW>")
    assert parsed(text, ".xmlbif") == NETWORK


@pytest.mark.parametrize(
    ("old", "new", "line", "column", "said"),
    [
        ("<NETWORK>", "<NETWORK/><NETWORK>", 10, 1, "expected one <NETWORK> in <BIF>, found 2"),
        ("<NAME>rain</NAME>", "", 21, 1, "expected one <NAME> in <VARIABLE>, found none"),
        ("<VARIABLE>", '<VARIABLE TYPE="decision">', 24, 1, "'wet' is a variable of type 'decision'"),
        ("<OUTCOME>mild</OUTCOME>", "<OUTCOME>wet</OUTCOME>", 14, 1, "two states of 'season' compare equal"),
        ("<OUTCOME>no</OUTCOME><OUTCOME>yes</OUTCOME>", "", 21, 1, "'rain' has no states"),
        ("<NAME>rain", "<NAME>season", 21, 1, "the variable 'season' is defined twice"),
        ("<FOR>rain", "<FOR>season", 33, 1, "there is a second <DEFINITION> for 'season'"),
        ("<FOR>rain", "<FOR>rian", 33, 1, "unknown variable 'rian'; did you mean 'rain'?"),
        ("<GIVEN>rain", "<GIVEN>rian", 38, 1, "unknown variable 'rian'"),
        ("<FOR>rain</FOR>", "<FOR>rain</FOR><FOR>wet</FOR>", 33, 1, "expected one <FOR> in <DEFINITION>, found 2"),
        ("<TABLE>0.5 0.3 0.2</TABLE>", "", 29, 1, "expected one <TABLE> in <DEFINITION>, found none"),
        ("0.5 0.3 0.2", "0.5 0.3 zwei", 31, 18, "expected a number, found 'zwei'"),
        ("0.5 0.3 0.2", "0.5 0.3", 31, 10, "expected 3 numbers, found 2"),
        ("0.5 0.3 0.2", "0.5 0.3 0.1", 29, 1, "sums to 0.9"),
        ("position = (10, 20)", "dconvex_states = dry", 14, 1, "the notes on 'season' are not valid"),
    ],
)
def test_errors_say_where_and_what(old, new, line, column, said):
    assert old in XMLBIF
    with pytest.raises(dc.FormatError) as caught:
        parsed(XMLBIF.replace(old, new, 1), ".xmlbif")
    assert said in str(caught.value)
    assert (caught.value.line, caught.value.column) == (line, column)


def test_a_missing_definition():
    text = XMLBIF.replace("<FOR>season</FOR>", "<FOR>rain</FOR>").replace(
        "<FOR>rain</FOR>\n  <GIVEN>", "<FOR>wet</FOR>\n  <GIVEN>"
    )
    text = text[: text.rindex("<DEFINITION>")] + "</NETWORK></BIF>"
    with pytest.raises(dc.FormatError, match="expected a <DEFINITION> for 'season', found none"):
        parsed(text, ".xmlbif")


def test_names_are_readable_and_their_types_are_noted(tmp_path):
    network = dc.BayesianNetwork.discrete([], {"a <&> b": [0.5, 0.25, 0.25]}, {"a <&> b": [1, "1", " x"]})
    path = tmp_path / "network.xmlbif"
    dc.write(network, path)
    text = path.read_text()
    assert "<NAME>a &lt;&amp;&gt; b</NAME>" in text
    assert "<PROPERTY>dconvex_states = x_1:int:1 x:str:%20x</PROPERTY>" in text
    assert dc.read(path) == network
    path.write_text(
        text.replace("<OUTCOME>x_1<", "<OUTCOME>one<")
    )  # another program has renamed a state; ours is no longer meant
    assert dc.read(path).states["a <&> b"] == ("one", "1", " x")
