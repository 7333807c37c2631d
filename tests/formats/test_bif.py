"""BIF: real files with all their habits, errors that say where, hostile files refused, and the round trip."""

from __future__ import annotations

import gzip
import resource
import textwrap

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dconvex as dc

SPRINKLER = """\
network unknown {
}
variable rain {
  type discrete [ 2 ] { no, yes };
}
variable wet {
  type discrete [ 3 ] { dry, damp, soaked };
}
probability ( rain ) {
  table 0.8, 0.2;
}
probability ( wet | rain ) {
  (no) 0.9, 0.07, 0.03;
  (yes) 0.1, 0.4, 0.5;
}
"""


def read_text(tmp_path, text: str, name: str = "network.bif") -> dc.BayesianNetwork:
    path = tmp_path / name
    path.write_bytes(text.encode("utf-8"))
    return dc.read(path)


@pytest.fixture
def sprinkler(tmp_path) -> dc.BayesianNetwork:
    return read_text(tmp_path, SPRINKLER)


def test_the_plain_file(sprinkler):
    assert sprinkler.states == {"rain": ("no", "yes"), "wet": ("dry", "damp", "soaked")}
    np.testing.assert_array_equal(sprinkler.family("wet").values, [[0.9, 0.07, 0.03], [0.1, 0.4, 0.5]])


@pytest.mark.parametrize(
    ("change", "what"),
    [
        (lambda text: text.replace("\n", "\r\n"), "Windows line ends"),
        (lambda text: "\ufeff" + text, "a byte order mark"),
        (lambda text: "// by hand\n" + text.replace("table", "/* the\nprior */ table"), "comments"),
        (lambda text: text.replace("rain", '"rain"').replace("damp", '"damp"'), "quoted names"),
        (lambda text: text.replace("  (no) 0.9, 0.07, 0.03;", "  default 0.9 0.07 0.03;"), "a default row"),
        (lambda text: text.replace(",", " "), "no commas"),
        (lambda text: "}\n".join(reversed(text.split("}\n")[:-1])) + "}\n", "blocks in another order"),
        (lambda text: text.replace("table 0.8", "table 8e-1"), "an exponent"),
        (lambda text: text.replace("{\n}", '{\n property "author; = {somebody}" ;\n}', 1), "a property"),
        (lambda text: text.replace("\n", " "), "one line"),
        (
            lambda text: text.replace("(no) 0.9, 0.07, 0.03;\n  (yes) 0.1, 0.4, 0.5;", "table .9 .1 .07 .4 .03 .5;"),
            "a flat table, the child's state varying slowest",
        ),
    ],
)
def test_habits_of_real_files(tmp_path, sprinkler, change, what):
    changed = change(SPRINKLER)
    assert changed != SPRINKLER
    assert read_text(tmp_path, changed, "changed.bif") == sprinkler, what


def test_odd_states_of_real_files(tmp_path):
    text = SPRINKLER.replace("no", "Asy/Patch").replace("yes", ">=100").replace("dry", "<3").replace("damp", "12+")
    assert read_text(tmp_path, text).states == {"rain": ("Asy/Patch", ">=100"), "wet": ("<3", "12+", "soaked")}


def test_states_of_several_words_are_told_apart_by_commas(tmp_path):
    text = SPRINKLER.replace("damp", "a bit damp").replace("yes", "yes indeed")
    assert read_text(tmp_path, text).states == {"rain": ("no", "yes indeed"), "wet": ("dry", "a bit damp", "soaked")}


def test_gzip_and_utf16(tmp_path, sprinkler):
    zipped = tmp_path / "network.bif.gz"
    zipped.write_bytes(gzip.compress(SPRINKLER.encode()))
    assert dc.read(zipped) == sprinkler
    (tmp_path / "wide.bif").write_bytes(SPRINKLER.encode("utf-16"))
    assert dc.read(tmp_path / "wide.bif") == sprinkler


@pytest.mark.parametrize(
    ("old", "new", "line", "column", "said"),
    [
        ("network unknown", "netwerk unknown", 1, 1, "expected 'network', 'variable' or 'probability'"),
        ("type discrete [ 2 ]", "type continuous", 4, 3, "expected 'type discrete"),
        ("[ 3 ]", "[ 4 ]", 7, 23, "expected 4 states, found 3"),
        ("{ no, yes };", "{ no, yes }", 5, 1, "expected ';' after the states"),
        ("{ no, yes };", "{ no, no };", 3, 10, "two states"),
        ("(yes) 0.1, 0.4, 0.5;", "(maybe) 0.1, 0.4, 0.5;", 14, 4, "unknown state 'maybe' of 'rain'"),
        ("(yes) 0.1, 0.4, 0.5;", "(yes) 0.1, 0.4;", 14, 8, "expected 3 numbers, found 2"),
        ("(yes) 0.1, 0.4, 0.5;", "(yes) 0.1, 0.4, x5;", 14, 19, "expected a number, found 'x5'"),
        ("(yes) 0.1, 0.4, 0.5;", "(no) 0.1, 0.4, 0.5;", 14, 4, "already have a row"),
        ("(yes) 0.1, 0.4, 0.5;", "(yes, no) 0.1, 0.4, 0.5;", 14, 4, "expected 1 state of the parents, found 2"),
        ("  (yes) 0.1, 0.4, 0.5;\n", "", 12, 13, "expected a row for (yes)"),
        ("(yes) 0.1, 0.4, 0.5;", "(yes) 0.1, 0.4, 0.6;", 12, 13, "sums to 1.1"),
        ("0.8, 0.2", "1.2, -0.2", 9, 13, "the probability -0.2"),
        ("0.8, 0.2", "nan, 0.2", 9, 13, "the probability nan"),
        ("wet | rain", "wet | rian", 12, 13, "unknown variable 'rian'; did you mean 'rain'?"),
        ("wet | rain", "wet | rain, rain", 12, 13, "the edge 'rain' → 'wet' is given twice"),
        ("probability ( rain )", "probability ( wet )", 12, 13, "there is a second probability block for 'wet'"),
        ("probability ( rain ) {\n  table 0.8, 0.2;\n}\n", "", 3, 10, "expected a probability block for 'rain'"),
        ("variable wet", "variable rain", 6, 10, "the variable 'rain' is defined twice"),
        ("network unknown {\n}", "network unknown {\n", 1, 17, "expected a block in '{' and '}'"),
    ],
)
def test_errors_say_where_and_what(tmp_path, old, new, line, column, said):
    assert old in SPRINKLER
    with pytest.raises(dc.FormatError) as caught:
        read_text(tmp_path, SPRINKLER.replace(old, new, 1))
    assert said in str(caught.value)
    assert (caught.value.line, caught.value.column) == (line, column)
    assert caught.value.path == str(tmp_path / "network.bif")


def test_a_cycle_in_a_file_is_shown(tmp_path):
    text = SPRINKLER.replace("probability ( rain ) {\n  table 0.8, 0.2;", "probability ( rain | wet ) {\n  default 0.8, 0.2;")
    with pytest.raises(dc.FormatError, match=r"rain → wet → rain|wet → rain → wet"):
        read_text(tmp_path, text)


@pytest.mark.parametrize("text", ["", "\n \n", "// nothing but a comment\n"])
def test_an_empty_file_is_no_network(tmp_path, text):
    with pytest.raises(dc.FormatError, match="expected 'network', 'variable' or 'probability', found the end of the file"):
        read_text(tmp_path, text)


def test_unterminated_comment(tmp_path):
    with pytest.raises(dc.FormatError, match="end of the comment") as caught:
        read_text(tmp_path, SPRINKLER + "/* and so on")
    assert (caught.value.line, caught.value.column) == (16, 1)


def test_damaged_and_foreign_files(tmp_path):
    damaged = tmp_path / "damaged.bif.gz"
    damaged.write_bytes(gzip.compress(SPRINKLER.encode())[:-20])
    with pytest.raises(dc.FormatError, match="damaged"):
        dc.read(damaged)
    (tmp_path / "latin.bif").write_bytes("network caf\xe9 {\n}".encode("latin-1"))
    with pytest.raises(dc.FormatError, match="UTF-8"):
        dc.read(tmp_path / "latin.bif")
    with pytest.raises(dc.FormatError, match=r"unknown suffix '\.txt'; known are \.bif"):
        dc.read(tmp_path / "network.txt")
    with pytest.raises(FileNotFoundError):
        dc.read(tmp_path / "nowhere.bif")


def hostile_parents(count: int) -> str:
    names = [f"v{i}" for i in range(count)]
    variables = "".join(f"variable {name} {{ type discrete [ 2 ] {{ a, b }}; }}\n" for name in [*names, "child"])
    tables = "".join(f"probability ( {name} ) {{ table 0.5, 0.5; }}\n" for name in names)
    return f"{variables}{tables}probability ( child | {', '.join(names)} ) {{ default 0.5, 0.5; }}\n"


def test_a_table_of_2_to_the_60_cells_is_refused(tmp_path):
    with pytest.raises(dc.FormatError, match=r"'child' would have (more than 2\^60|1,152,9.*) cells"):
        read_text(tmp_path, hostile_parents(60))


def test_many_parents_are_refused_in_time_and_memory(tmp_path):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(dc.FormatError, match="all tables together may have at most 67,108,864"):
        read_text(tmp_path, hostile_parents(100_000))
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 1_000_000  # KiB


def test_a_million_unknown_parents_are_refused(tmp_path):
    text = SPRINKLER.replace("wet | rain", "wet | " + ", ".join(f"v{i}" for i in range(1_000_000)))
    with pytest.raises(dc.FormatError, match="unknown variable 'v0'"):
        read_text(tmp_path, text)


def test_a_gzip_bomb_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("dconvex.formats.text_files.MOST_BYTES", 1 << 20)
    bomb = tmp_path / "bomb.bif.gz"
    bomb.write_bytes(gzip.compress(b" " * (8 << 20)))
    with pytest.raises(dc.FormatError, match="larger than 1 MiB, the most that is read"):
        dc.read(bomb)


@pytest.mark.parametrize("text", ["{" * 100_000, "variable a " + "{" * 100_000, "probability (" + "(" * 100_000, '"' * 99_999])
def test_deep_nesting_is_refused(tmp_path, text):
    with pytest.raises(dc.FormatError):
        read_text(tmp_path, text)


@pytest.mark.parametrize("stop", range(1, len(SPRINKLER) - 1, 7))
def test_truncated_files_are_refused(tmp_path, stop):
    with pytest.raises(dc.FormatError):
        read_text(tmp_path, SPRINKLER[:stop])


PIECES = [
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    ";",
    ",",
    "|",
    '"',
    "//",
    "/*",
    "*/",
    "table",
    "default",
    "0.5",
    "nan",
    "1e999",
    "-1",
]
PIECES += [
    "variable",
    "probability",
    "property",
    "rain",
    "wet",
    "type discrete",
    "99999999999999999999",
    "\n",
    "é",
    "\x00",
]


@settings(max_examples=400, deadline=None)
@given(st.data())
def test_mutilated_files_raise_nothing_but_format_errors(tmp_path_factory, data):
    text = data.draw(st.sampled_from([SPRINKLER, hostile_parents(3)]))
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(text)))
        stop = data.draw(st.integers(start, min(len(text), start + 30)))
        text = text[:start] + data.draw(st.sampled_from(PIECES) | st.text(max_size=5)) + text[stop:]
    path = tmp_path_factory.mktemp("fuzz") / "network.bif"
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    try:
        network = dc.read(path)
    except dc.FormatError:
        return
    assert isinstance(network, dc.BayesianNetwork)


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=300), st.sampled_from([".bif", ".bif.gz", ".json", ".json.gz"]))
def test_random_bytes_raise_nothing_but_format_errors(tmp_path_factory, raw, suffix):
    path = tmp_path_factory.mktemp("fuzz") / f"network{suffix}"
    path.write_bytes(raw)
    try:
        dc.read(path)
    except dc.FormatError:
        pass


def test_what_bif_cannot_hold(tmp_path):
    network = dc.BayesianNetwork.discrete(
        [("a b", 'say "hi"')],
        {"a b": [0.5, 0.5], 'say "hi"': [[0.25, 0.75], [1, 0]]},
        {"a b": [1, "1"], 'say "hi"': ["line\nbreak", "other"]},
    )
    path = tmp_path / "network.bif"
    with pytest.raises(dc.FormatError, match="rename=True"):
        dc.write(network, path)
    assert not path.exists()
    mapping = dc.write(network, path, rename=True)
    assert mapping == {'say "hi"': "say_hi", ("a b", "1"): "x_1", ('say "hi"', "line\nbreak"): "line_break"}
    again = dc.read(path)
    assert again.states == {"a b": (1, "x_1"), "say_hi": ("line_break", "other")}
    np.testing.assert_array_equal(again.family("say_hi").values, [[0.25, 0.75], [1, 0]])


def test_rename_of_a_network_that_fits_changes_nothing(tmp_path, sprinkler):
    assert dc.write(sprinkler, tmp_path / "a.bif", rename=True) == {}
    assert dc.write(sprinkler, tmp_path / "a.bif") is None


def test_bif_cannot_hold_a_gaussian_network(tmp_path):
    network = dc.BayesianNetwork.gaussian([], {"x": (0, {}, 1)})
    with pytest.raises(dc.FormatError, match="BIF cannot hold a gaussian network"):
        dc.write(network, tmp_path / "network.bif", rename=True)


def test_types_of_labels_are_written_as_a_property(tmp_path):
    network = dc.BayesianNetwork.discrete(
        [(1, "x")],
        {1: [0.5, 0.5], "x": np.full((2, 3), 1 / 3)},
        {1: [True, False], "x": [0, "zero", -1]},
    )
    path = tmp_path / "typed.bif"
    dc.write(network, path)
    assert dc.read(path) == network
    untyped = path.read_text().replace("dconvex_", "other_")
    path.write_text(untyped)
    assert dc.read(path).states == {"1": ("True", "False"), "x": ("0", "zero", "-1")}


def test_labels_that_do_not_fit_their_type(tmp_path):
    text = SPRINKLER.replace("{ no, yes };", "{ no, yes };\n property dconvex_label_types = int ;")
    with pytest.raises(dc.FormatError, match="do not fit"):
        read_text(tmp_path, text)


def test_parents_keep_their_order(tmp_path):
    text = textwrap.dedent("""
        variable z { type discrete [ 2 ] { a, b }; }
        variable a { type discrete [ 2 ] { a, b }; }
        variable m { type discrete [ 2 ] { a, b }; }
        probability ( z ) { table 0.5, 0.5; }
        probability ( a ) { table 0.5, 0.5; }
        probability ( m | z, a ) { (a, a) 0.1 0.9; (a, b) 0.2 0.8; (b, a) 0.3 0.7; (b, b) 0.4 0.6; }
        """)
    network = read_text(tmp_path, text)
    assert network.dag.parents("m") == ("z", "a")
    assert network.family("m").values[0, 1, 0] == 0.2
    dc.write(network, tmp_path / "again.bif")
    assert dc.read(tmp_path / "again.bif") == network
