"""What holds for every format alike: the example is read, comes back, and when it is cut or mutilated, that is noticed."""

from __future__ import annotations

import gzip

import pytest
from formats.example_files import FILES, NETWORKS, parsed
from hypothesis import example, given, settings
from hypothesis import strategies as st

import dconvex as dc

pytestmark = [
    pytest.mark.filterwarnings("ignore:.*rows were divided by their sums"),
    pytest.mark.filterwarnings("ignore:.*what follows the tables"),
]
SUFFIXES = pytest.mark.parametrize("suffix", FILES)


@SUFFIXES
def test_the_example_is_the_network(tmp_path, suffix):
    path = tmp_path / f"network{suffix}"
    path.write_text(FILES[suffix])
    assert dc.read(path) == NETWORKS[suffix]


@SUFFIXES
@pytest.mark.parametrize(
    ("change", "what"),
    [
        (lambda text: text.replace("\n", "\r\n"), "Windows line ends"),
        (lambda text: text.replace("0.1 ", "1e-1 ").replace("0.1)", "1e-1)").replace("0.1,", "1e-1,"), "an exponent"),
        (lambda text: text.replace(" 0.", " ."), "no digit before the point"),
    ],
)
def test_habits_of_real_files(suffix, change, what):
    changed = change(FILES[suffix])
    assert changed != FILES[suffix]
    assert parsed(changed, suffix) == NETWORKS[suffix], what


@SUFFIXES
@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_gzip_and_byte_order_marks(tmp_path, suffix, encoding):
    zipped = tmp_path / f"network{suffix.upper()}.gz"
    zipped.write_bytes(gzip.compress(FILES[suffix].encode(encoding)))
    assert dc.read(zipped) == NETWORKS[suffix]


@SUFFIXES
def test_every_truncated_file_is_refused(suffix):
    text = FILES[suffix].rstrip()
    first = text.index("node season") + 1 if suffix in (".net", ".dsc") else 0  # a head alone is a network without nodes
    for stop in range(first, len(text)):
        with pytest.raises(dc.FormatError) as caught:
            parsed(text[:stop], suffix)
        assert caught.value.line is not None
        assert caught.value.column is not None


@pytest.mark.parametrize("suffix", [".xmlbif", ".uai", ".dsc"])
def test_a_gaussian_network_is_refused_and_told_where_to_go(tmp_path, suffix):
    network = dc.BayesianNetwork.gaussian([], {"x": (0, {}, 1)})
    can = r"Hugin NET \(\.net\) and XDSL \(\.xdsl\) and JSON \(\.json\) can"
    with pytest.raises(dc.FormatError, match=rf"cannot hold a gaussian network; {can}"):
        dc.write(network, tmp_path / f"network{suffix}", rename=True)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("suffix", [".dne", ".dnet.gz", ".dsl"])
def test_formats_that_are_only_read(tmp_path, suffix):
    with pytest.raises(dc.FormatError, match="is only read, not written; choose another suffix"):
        dc.write(NETWORKS[".dne"], tmp_path / f"network{suffix}")
    assert not list(tmp_path.iterdir())


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
    "=",
    "<",
    ">",
    "/>",
    "</",
    "&",
    "&lt;",
    "<!--",
    "-->",
    "<![CDATA[",
    "]]>",
]
PIECES += ["<!DOCTYPE a>", "<!ENTITY", "%", "#", "\\", "\n", " ", "é", "\x00", "node", "potential", "data", "states", "cpt"]
PIECES += [
    "season",
    "rain",
    "wet",
    "0",
    "1",
    "2",
    "0.5",
    "-1",
    "nan",
    "1e999",
    "99999999999999999999",
    "9" * 17,
    "dconvex_name",
]
PIECES += [
    'dconvex_states = "no:int:x";',
    "<PROPERTY>dconvex_name = wet:int:1</PROPERTY>",
    '<property id="dconvex_states">a:b</property>',
]


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(list(FILES)), st.data())
def test_mutilated_files_raise_nothing_but_format_errors(suffix, data):
    text = FILES[suffix]
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(text)))
        stop = data.draw(st.integers(start, min(len(text), start + 40)))
        text = text[:start] + data.draw(st.sampled_from(PIECES) | st.text(max_size=5)) + text[stop:]
    check_that_only_format_errors_are_raised(text, suffix)


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(list(FILES)), st.data())
def test_shuffled_lines_raise_nothing_but_format_errors(suffix, data):
    lines = FILES[suffix].splitlines(keepends=True)
    for _ in range(data.draw(st.integers(1, 3))):
        line, index = data.draw(st.sampled_from(lines)), data.draw(st.integers(0, len(lines)))
        lines[index : index + data.draw(st.integers(0, 3))] = [line]
    check_that_only_format_errors_are_raised("".join(lines), suffix)


def check_that_only_format_errors_are_raised(text: str, suffix: str) -> None:
    try:
        network = parsed(text, suffix)
    except dc.FormatError as error:
        assert error.line is not None
        return
    assert isinstance(network, dc.BayesianNetwork)


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=300), st.sampled_from([*FILES, ".xml", ".uai.gz"]))
@example(b'<?xml version="1.0" encoding="iso-8859-99"?><BIF/>', ".xml")
@example(b'<?xml version="1.0" encoding="idna"?><BIF>\xff</BIF>', ".xml")
@example(b"\xff\xfe<", ".net")
def test_random_bytes_raise_nothing_but_format_errors(tmp_path_factory, raw, suffix):
    path = tmp_path_factory.mktemp("fuzz") / f"network{suffix}"
    path.write_bytes(raw)
    try:
        dc.read(path)
    except dc.FormatError:
        pass
