"""UAI: numbers for names, what is wrong where, and the orders in which other programs write tables."""

from __future__ import annotations

import gzip

import numpy as np
import pytest
from formats.example_files import NETWORK, NUMBERED, UAI, parsed

import dconvex as dc


def test_comments_and_one_line():
    assert parsed("c by hand\nc 1 2 3\n" + UAI.replace("3 0 1 2", "3 0 1 2 # the last one"), ".uai") == NUMBERED
    assert parsed(UAI.replace("\n", " "), ".uai") == NUMBERED


@pytest.mark.parametrize(
    ("old", "new", "line", "column", "said"),
    [
        ("BAYES", "MARKOV", 1, 1, "this is a Markov network, which dc.read_markov reads"),
        ("BAYES", "BAYS", 1, 1, "expected 'BAYES', found 'BAYS'"),
        ("BAYES\n3\n", "BAYES\nthree\n", 2, 1, "expected the number of variables, found 'three'"),
        ("3 2 2\n3\n1 0", "3 2 2\n2\n1 0", 9, 1, "expected a table of 6 entries, found 3"),
        ("3 2 2\n", "3 2 -2\n", 3, 5, "expected numbers of states, found '-2'"),
        ("3 2 2\n", "3 2 0\n", 3, 1, "the variable 2 has no states"),
        ("1 0\n", "0\n", 5, 1, "expected a scope of at least one variable"),
        ("2 0 1\n", "2 7 1\n", 6, 1, "unknown variable 7; there are 3, counted from 0"),
        ("2 0 1\n", "2 1 1\n", 12, 1, "expected a table of 4 entries, found 6"),
        ("2 0 1\n", "2 1 0\n", 6, 1, "there is a second function for 0"),
        ("\n6\n", "\n5\n", 12, 1, "expected a table of 6 entries, found 5"),
        ("0.6 0.4", "0.6 O.4", 14, 6, "expected a number, found 'O.4'"),
        ("0.6 0.4", "0.6 0.5", 6, 1, "sums to 1.1"),
        ("0.05 0.95\n", "0.05\n", 18, 2, "expected 12 numbers, found only 11 words"),
        ("0.05 0.95\n", "0.05 0.95 1\n", 23, 12, "expected the end of the file, found '1'"),
        ("BAYES\n3\n", "BAYES\n99999999999999999\n", 3, 1, "expected 99,999,999,999,999,999 numbers of states, found only"),
        ("3 2 2\n", f"3 2 {10**17}\n", 17, 1, "expected a table of"),
        ("BAYES\n3\n", "BAYES\n" + "9" * 19 + "\n", 2, 1, "expected the number of variables, found '9999"),
    ],
)
def test_errors_say_where_and_what(old, new, line, column, said):
    assert old in UAI
    with pytest.raises(dc.FormatError) as caught:
        parsed(UAI.replace(old, new, 1), ".uai")
    assert said in str(caught.value)
    assert (caught.value.line, caught.value.column) == (line, column)


def test_a_missing_function():
    text = UAI.replace("3 2 2\n3\n", "3 2 2\n2\n").replace("3 0 1 2\n", "")
    text = text[: text.index("\n12\n")]
    with pytest.raises(dc.FormatError, match="expected a function for 2, found none"):
        parsed(text, ".uai")


def entries(values: np.ndarray) -> str:
    return " ".join(map(repr, values.reshape(-1).tolist()))


def rearranged(order: list[int], rain_order: list[int]) -> str:
    head = UAI[: UAI.index("\n6\n")]
    rain, wet = (NETWORK.family(name).values for name in ("rain", "wet"))
    return f"{head}\n6\n{entries(rain.transpose(rain_order))}\n12\n{entries(wet.transpose(order))}\n"


def test_a_comment_behind_every_scope_tells_pyagrum_where_the_first_parent_varies_fastest():
    text = rearranged([1, 0, 2], [0, 1])
    marked = text.replace("\n1 0\n2 0 1\n3 0 1 2\n", "\n1 0   # season\n2 0 1   # rain\n3 0 1 2   # wet\n")
    assert parsed(marked, ".uai") == NUMBERED
    assert parsed(marked.replace("   # rain", ""), ".uai") != NUMBERED


def test_rows_that_sum_to_one_only_with_the_child_slowest_tell_pgmpy():
    assert parsed(rearranged([2, 1, 0], [1, 0]), ".uai") == NUMBERED
    with pytest.raises(dc.FormatError, match="sums to"):
        parsed(rearranged([2, 1, 0], [0, 1]), ".uai")


def test_names_become_numbers(tmp_path):
    path = tmp_path / "network.uai"
    with pytest.raises(dc.FormatError, match=r"UAI cannot hold the name 'rain'; rename=True writes 0 and returns all changes"):
        dc.write(NETWORK, path)
    assert not path.exists()
    mapping = dc.write(NETWORK, path, rename=True)
    assert mapping["rain"] == 0
    assert mapping["season"] == 1
    assert mapping["season", "mild"] == 1
    again = dc.read(path)
    assert again.dag.parents(mapping["wet"]) == (1, 0)
    np.testing.assert_array_equal(again.family(2).values, NETWORK.family("wet").values)


def test_a_network_of_numbers_needs_no_renaming(tmp_path):
    path = tmp_path / "network.uai"
    assert dc.write(NUMBERED, path) is None
    assert dc.read(path) == NUMBERED
    assert dc.write(NUMBERED, path, rename=True) == {}


def test_true_and_false_are_not_one_and_zero(tmp_path):
    network = dc.BayesianNetwork.discrete([], {0: [0.5, 0.5]}, {0: [False, True]})
    assert dc.write(network, tmp_path / "network.uai", rename=True) == {(0, False): 0, (0, True): 1}


def test_text_behind_the_tables_is_said_not_to_be_read():
    with pytest.warns(UserWarning, match="what follows the tables, from line 24 on, is not read"):
        assert parsed(UAI + "1\n1 0 0\n", ".uai") == NUMBERED


@pytest.mark.parametrize(
    ("text", "found"),
    [("0\n", {}), ("2 0 1 5 0", {0: 1, 5: 0}), ("1\n2 0 1 5 0\n", {0: 1, 5: 0}), ("1\n0\n", {}), ("", {}), ("1 3 2", {3: 2})],
)
def test_evidence_files(tmp_path, text, found):
    for name, write in (("x.evid", str.encode), ("x.uai.evid.gz", lambda text: gzip.compress(text.encode()))):
        (tmp_path / name).write_bytes(write(text))
        assert dc.read_evidence(tmp_path / name) == found


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("2 0 1", "expected 0 pairs|expected one set of evidence, found 2"),
        ("1 3", "expected 3 pairs of a variable and its state, found 0 numbers"),
        ("2 0 1 0 0", "a variable is observed twice"),
        ("1 0 x", "expected a number, found 'x'"),
    ],
)
def test_evidence_files_that_are_wrong(tmp_path, text, said):
    (tmp_path / "x.evid").write_text(text)
    with pytest.raises(dc.FormatError, match=said):
        dc.read_evidence(tmp_path / "x.evid")


def test_evidence_in_json(tmp_path):
    path = tmp_path / "evidence.json"
    path.write_text('{"smoke": "yes", "xray": ["yes", "no"], "asia": null}')
    found = dc.read_evidence(path)
    assert found == {"smoke": "yes", "xray": frozenset({"yes", "no"})}
    assert dc.localize(dc.load_network("asia")).query("lung", found).values[0] == pytest.approx(0.1)
    for text, said in [
        ("[1]", "expected a JSON object"),
        ("{", "not JSON"),
        ('{"a": {}}', "expected a label"),
        ("[" * 10**5, "JSON"),
    ]:
        path.write_text(text)
        with pytest.raises(dc.FormatError, match=said):
            dc.read_evidence(path)
    with pytest.raises(dc.FormatError, match=r"evidence is read from \.evid and \.json"):
        dc.read_evidence("evidence.csv")
