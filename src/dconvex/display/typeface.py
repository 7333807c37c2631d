"""The width of text without a font: the widths of Helvetica, which Arial and Liberation Sans share."""

from __future__ import annotations

import unicodedata
from functools import lru_cache

FAMILY = "Helvetica, Arial, 'Liberation Sans', Arimo, sans-serif"

_SIGNS_OF_WIDTH = {
    191: "'", 222: "ijl", 260: "|", 278: " !,./:;I[\\]ft·", 333: "()-`r", 334: "{}", 355: '"', 389: "*", 469: "^",
    500: "Jcksvxyz", 556: "#$0123456789?L_abdeghnopqu–", 584: "+<=>~±×−", 611: "FTZ", 667: "&ABEKPSVXY", 722: "CDHNRUw",
    778: "GOQ", 833: "Mm", 889: "%", 944: "W", 1000: "…→—", 1015: "@",
}  # fmt: skip
_WIDTH = {sign: width / 1000 for width, signs in _SIGNS_OF_WIDTH.items() for sign in signs}


def text_width(text: str, size: float) -> float:
    """The width of a line of text, in the unit of `size`.

    >>> round(text_width("smoke", 10.0), 2)
    29.45
    """
    return size * sum(map(_width, text))


@lru_cache(maxsize=4096)
def _width(sign: str) -> float:
    if sign in _WIDTH:
        return _WIDTH[sign]
    base = unicodedata.normalize("NFD", sign)[0]  # ä is as wide as a
    if base in _WIDTH:
        return _WIDTH[base]
    if unicodedata.category(sign) in ("Mn", "Me", "Cf"):  # drawn onto the sign before it
        return 0.0
    return 1.0 if unicodedata.east_asian_width(sign) in "WF" else 0.7
