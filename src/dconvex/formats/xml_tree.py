"""XML as a tree of elements with their positions in the text.

Reading goes through defusedxml: no entity is expanded, nothing outside the file is fetched. A document type declaration
is refused, except one that only describes elements, such as XMLBIF's own, which is ignored.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import NoReturn
from xml.sax import SAXParseException
from xml.sax.handler import ContentHandler
from xml.sax.xmlreader import AttributesImpl

from defusedxml.common import DefusedXmlException
from defusedxml.expatreader import DefusedExpatParser

from dconvex.formats.draft import MissingTable, ReadTable, row_major
from dconvex.formats.scanner import Excerpt, Scanner, blank

XML_SPACE = " \t\n\r"
MOST_TAGS = 1 << 24
"""Texts with more are refused before they fill the memory."""
NO_ATTRIBUTES: Mapping[str, str] = MappingProxyType({})
HARMLESS_DOCTYPE = re.compile(
    r"<!DOCTYPE\s++\w++\s*+\[(?:\s++|<!(?:ELEMENT|ATTLIST)\b[^<>]*+>|<!--(?:[^-]++|-(?!-))*+-->)*+\]\s*+>"
)
START_TAG = re.compile(r"""<(?:[^<>"']++|"[^"]*+"|'[^']*+')*+>""")


@dataclass(slots=True)
class Element:
    """A tag, its contents and its position; `text` is the text between the tags inside, without white space around it."""

    tag: str
    attributes: Mapping[str, str]
    position: int
    children: Sequence[Element] = ()
    pieces: Sequence[str] = ()
    """Children and pieces are lists where there are any: most elements have only one of them."""

    @property
    def text(self) -> str:
        return "".join(self.pieces).strip(XML_SPACE)

    def add(self, child: Element) -> None:
        """Another element inside."""
        if isinstance(self.children, list):
            self.children.append(child)
        else:
            self.children = [child]

    def say(self, content: str) -> None:
        """More text inside."""
        if isinstance(self.pieces, list):
            self.pieces.append(content)
        else:
            self.pieces = [content]

    def all(self, tag: str) -> list[Element]:
        """The children with that tag."""
        return [child for child in self.children if child.tag == tag]


@dataclass(frozen=True, slots=True)
class Document:
    """The root element, and the text for the positions of errors."""

    scanner: Scanner
    root: Element

    def fail(self, problem: str, element: Element) -> NoReturn:
        self.scanner.fail(problem, element.position)

    def the(self, tag: str, element: Element) -> Element:
        """The one child with that tag."""
        found = element.all(tag)
        if len(found) != 1:
            self.fail(f"expected one <{tag}> in <{element.tag}>, found {len(found) or 'none'}", element)
        return found[0]

    def table(self, tag: str, element: Element) -> ReadTable:
        """The reader of the table in the one child with that tag; without one, an error once the table is needed."""
        if element.all(tag):
            return row_major(self.excerpt(self.the(tag, element)))
        return MissingTable(self.scanner, f"expected one <{tag}> in <{element.tag}>, found none", element.position)

    def attribute(self, name: str, element: Element) -> str:
        if name not in element.attributes:
            self.fail(f"expected the attribute {name!r} in <{element.tag}>", element)
        return element.attributes[name]

    def excerpt(self, element: Element) -> Excerpt:
        """The text of an element as a part of the file."""
        text, tag = "".join(element.pieces), START_TAG.match(self.scanner.text, element.position)
        if tag and self.scanner.text.startswith(text, tag.end()):
            return Excerpt(self.scanner, text, tag.end())
        return Excerpt(self.scanner, text, element.position, is_verbatim=False)


def read_document(text: str, path: str) -> Document:
    """The tree of an XML text; invalid XML and dangerous declarations raise `FormatError`."""
    one_kind_of_line_end = text.replace("\r\n", "\n").replace("\r", "\n")
    has_doctype = "<!DOCTYPE" in one_kind_of_line_end
    scanner = Scanner(HARMLESS_DOCTYPE.sub(blank, one_kind_of_line_end, count=1) if has_doctype else one_kind_of_line_end, path)
    if scanner.text.count("<") > MOST_TAGS:
        scanner.fail(f"the text has more than {MOST_TAGS:,} tags, the most that are read", 0)
    parser = DefusedExpatParser(forbid_dtd=True)
    builder = _Builder(parser, scanner.text)
    parser.setContentHandler(builder)
    try:
        parser.feed(scanner.text)
        parser.close()
    except SAXParseException as error:
        scanner.fail(f"not XML: {error.getMessage()}", builder.here())
    except DefusedXmlException:
        way_out = "it could expand to any size or fetch other files; remove it from the file"
        scanner.fail(f"the document type declaration <!DOCTYPE …> is refused, since {way_out}", builder.here())
    return Document(scanner, builder.root)


class _Builder(ContentHandler):
    """Builds the tree while the parser reads the text."""

    def __init__(self, parser: DefusedExpatParser, text: str) -> None:
        super().__init__()
        self.parser = parser
        self.line_starts = [0, *(end.end() for end in re.finditer("\n", text))]
        self.open: list[Element] = []

    def startElement(self, name: str, attrs: AttributesImpl) -> None:  # noqa: N802, SAX's name
        element = Element(name, dict(attrs.items()) if len(attrs) else NO_ATTRIBUTES, self.here())
        if self.open:
            self.open[-1].add(element)
        else:
            self.root = element
        self.open.append(element)

    def endElement(self, name: str) -> None:  # noqa: N802
        self.open.pop()

    def characters(self, content: str) -> None:
        self.open[-1].say(content)

    def here(self) -> int:
        """The position of the parser in the text."""
        line, column = self.parser.getLineNumber(), self.parser.getColumnNumber()
        return self.line_starts[(line or 1) - 1] + (column or 0)
