"""XML: the positions of elements, and what is refused before it can do harm."""

from __future__ import annotations

import pytest
from formats.example_files import NETWORK, XDSL, XMLBIF, parsed

import dconvex as dc

DOCTYPE = XMLBIF[XMLBIF.index("<!DOCTYPE") : XMLBIF.index("<BIF")]
BILLION_LAUGHS = '<!DOCTYPE BIF [\n<!ENTITY a "ha">\n' + "".join(
    f'<!ENTITY {new} "{f"&{old};" * 10}">\n' for old, new in zip("abcdefgh", "bcdefghi", strict=True)
)


@pytest.mark.parametrize(
    "doctype",
    [
        BILLION_LAUGHS + "]>\n",
        '<!DOCTYPE BIF [<!ENTITY a SYSTEM "file:///etc/passwd">]>\n',
        '<!DOCTYPE BIF [<!ENTITY % a SYSTEM "http://localhost/x"> %a;]>\n',
        '<!DOCTYPE BIF SYSTEM "http://localhost/x.dtd">\n',
        '<!DOCTYPE BIF PUBLIC "x" "http://localhost/x.dtd" [<!ELEMENT BIF ANY>]>\n',
        '<!DOCTYPE BIF [<!ATTLIST BIF a CDATA "<!ENTITY b SYSTEM \'x\'>"> <!NOTATION n SYSTEM "x">]>\n',
    ],
)
@pytest.mark.parametrize("name", ["&i;", "season"])
def test_entities_and_foreign_declarations_are_refused(doctype, name):
    text = XMLBIF.replace(DOCTYPE, doctype).replace("<NAME>season", f"<NAME>{name}")
    with pytest.raises(dc.FormatError, match="document type declaration <!DOCTYPE …> is refused") as caught:
        parsed(text, ".xmlbif")
    assert caught.value.line >= 3


def test_an_entity_that_nobody_declared():
    with pytest.raises(dc.FormatError, match="not XML: undefined entity") as caught:
        parsed(XMLBIF.replace("<NAME>season", "<NAME>&season;"), ".xmlbif")
    assert (caught.value.line, caught.value.column) == (15, 9)


@pytest.mark.parametrize(
    ("text", "line", "column", "said"),
    [
        ("", 1, 1, "no element found"),
        ("<BIF>", 1, 6, "no element found"),
        ("<BIF></BUF>", 1, 8, "mismatched tag"),
        ("<BIF>\n <a b></BIF>", 2, 6, "not well-formed"),
        ("<html>\n</html>", 1, 1, "expected <BIF> (XMLBIF) or <smile> (XDSL), found <html>"),
        ("<BIF/><BIF/>", 1, 7, "junk after document element"),
        ("<BIF>é <a b></BIF>", 1, 12, "not well-formed"),
    ],
)
def test_what_is_not_xml(text, line, column, said):
    with pytest.raises(dc.FormatError) as caught:
        parsed(text, ".xml")
    assert said in str(caught.value)
    assert (caught.value.line, caught.value.column) == (line, column)


def test_the_root_not_the_suffix_says_the_format():
    for suffix in (".xml", ".xbif", ".bifxml", ".xmlbif", ".xdsl"):
        assert parsed(XMLBIF, suffix) == parsed(XDSL, suffix) == NETWORK


def test_the_encoding_that_the_declaration_tells(tmp_path):
    path = tmp_path / "network.xdsl"
    path.write_bytes(XDSL.replace("mild", "m\xefld").encode("latin-1"))
    assert dc.read(path).states["season"] == ("dry", "m\xefld", "wet")
    path.write_bytes(XDSL.replace("ISO-8859-1", "windows-1252").replace("mild", "m€ld").encode("cp1252"))
    assert dc.read(path).states["season"] == ("dry", "m€ld", "wet")
    path.write_bytes(XDSL.replace("ISO-8859-1", "UTF-8").replace("mild", "m\xefld").encode("latin-1"))
    with pytest.raises(dc.FormatError, match="not UTF-8") as caught:
        dc.read(path)
    assert caught.value.line == 7


def test_text_between_comments_and_entities_is_one_text():
    text = XMLBIF.replace("0.5 0.3 0.2", "0.5 <![CDATA[0.3]]> &#48;.<!-- . -->2")
    assert parsed(text, ".xmlbif") == NETWORK
    with pytest.raises(dc.FormatError, match=r"expected a number, found 'x\.2'") as caught:
        parsed(text.replace("&#48;", "x"), ".xmlbif")
    assert (caught.value.line, caught.value.column) == (31, 3)  # where the element begins, as nothing better is known


def test_deep_nesting_and_many_attributes():
    with pytest.raises(dc.FormatError):
        parsed("<BIF>" + "<a>" * 20_000, ".xml")
    with pytest.raises(dc.FormatError, match="expected one <NETWORK> in <BIF>, found none"):
        parsed("<BIF>" + "<a>" * 20_000 + "</a>" * 20_000 + "</BIF>", ".xml")
    with pytest.raises(dc.FormatError, match="found none"):
        parsed("<BIF " + " ".join(f'a{number}="{number}"' for number in range(5_000)) + "/>", ".xml")


@pytest.mark.parametrize(
    "text", ["<!DOCTYPE BIF [" + "<!--" * 100_000, "<!DOCTYPE BIF [" + " <!ELEMENT" * 100_000, "<" * 100_000]
)
def test_endless_declarations_take_linear_time(text):
    with pytest.raises(dc.FormatError):
        parsed(text, ".xml")
