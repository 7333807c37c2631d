"""The formats that are XML; the root element of a file, not its suffix, says which one it is."""

from __future__ import annotations

from dconvex.formats import xdsl, xmlbif
from dconvex.formats.file_format import Format, all_fit
from dconvex.formats.rows import FILE_ROWS
from dconvex.network.network import BayesianNetwork
from dconvex.network.probability_tables import RowRule

READERS = {"BIF": xmlbif.read_network, "smile": xdsl.read_network}


def parse(text: str, path: str, rows: RowRule = FILE_ROWS) -> BayesianNetwork:
    """The network in an XML text."""
    from dconvex.formats.xml_tree import read_document

    document = read_document(text, path)
    read_network = READERS.get(document.root.tag)
    if read_network is None:
        document.fail(f"expected <BIF> (XMLBIF) or <smile> (XDSL), found <{document.root.tag[:40]}>", document.root)
    return read_network(document, rows)


XMLBIF = Format(
    name="XMLBIF",
    suffixes=(".xmlbif", ".xbif", ".bifxml", ".xml"),
    kinds=frozenset({"discrete"}),
    parse=parse,
    render=xmlbif.render,
    replacements=all_fit,
)
XDSL = Format(
    name="XDSL",
    suffixes=(".xdsl",),
    kinds=frozenset({"discrete", "gaussian"}),
    parse=parse,
    render=xdsl.render,
    replacements=all_fit,
)
