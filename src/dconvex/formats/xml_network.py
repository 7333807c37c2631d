"""The formats that are XML; the root element of a file, not its suffix, says which one it is."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from dconvex.formats import xdsl, xmlbif
from dconvex.formats.file_format import Drafted, Format, all_fit
from dconvex.formats.rows import FILE_ROWS
from dconvex.network.network import BayesianNetwork
from dconvex.network.probability_tables import RowRule

if TYPE_CHECKING:
    from dconvex.formats.xml_tree import Document

READERS: dict[str, Callable[[Document, RowRule], Drafted]] = {"BIF": xmlbif.drafted, "smile": xdsl.drafted}


def parse(text: str, path: str, rows: RowRule = FILE_ROWS) -> BayesianNetwork:
    """The network in an XML text."""
    return drafted(text, path, rows).network()


def drafted(text: str, path: str, rows: RowRule) -> Drafted:
    """What is in an XML text."""
    from dconvex.formats.xml_tree import read_document

    document = read_document(text, path)
    read = READERS.get(document.root.tag)
    if read is None:
        document.fail(f"expected <BIF> (XMLBIF) or <smile> (XDSL), found <{document.root.tag[:40]}>", document.root)
    return read(document, rows)


XMLBIF = Format(
    name="XMLBIF",
    suffixes=(".xmlbif", ".xbif", ".bifxml", ".xml"),
    kinds=frozenset({"discrete"}),
    parse=parse,
    drafted=drafted,
    render=xmlbif.render,
    replacements=all_fit,
)
XDSL = Format(
    name="XDSL",
    suffixes=(".xdsl",),
    kinds=frozenset({"discrete", "gaussian"}),
    parse=parse,
    drafted=drafted,
    render=xdsl.render,
    replacements=all_fit,
)
