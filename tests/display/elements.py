"""The contents of an SVG, read by another parser than ours; shared by the tests of pictures."""

from __future__ import annotations

import xml.etree.ElementTree as ET

SVG = "{http://www.w3.org/2000/svg}"


def root_of(shown: str) -> ET.Element:
    """The picture of a notebook's cell or of a file; it must be well-formed."""
    return ET.fromstring(shown[shown.index("<svg") : shown.index("</svg>") + len("</svg>")])


def groups(root: ET.Element, kind: str) -> list[ET.Element]:
    return [group for group in root.iter(f"{SVG}g") if f"dcx-{kind}" in group.get("class", "").split()]


def titles(root: ET.Element, kind: str) -> list[str]:
    return [group.findtext(f"{SVG}title", "") for group in groups(root, kind)]


def texts(root: ET.Element) -> list[str]:
    return [text.text or "" for text in root.iter(f"{SVG}text")]


def words(element: ET.Element) -> list[str]:
    """The words of all texts, without the commas between them."""
    return [word.strip(",") for text in texts(element) for word in text.split()]
