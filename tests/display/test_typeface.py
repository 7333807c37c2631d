"""Widths of text against the font metrics that matplotlib ships."""

from __future__ import annotations

import re
from pathlib import Path

import matplotlib as mpl

from dconvex.display.typeface import text_width


def helvetica():
    metrics = Path(mpl.get_data_path(), "fonts", "afm", "phvr8a.afm").read_text()
    found = re.findall(r"^C (\d+) ; WX (\d+) ;", metrics, re.MULTILINE)
    return {chr(int(code)): int(width) / 1000 for code, width in found if 32 <= int(code) < 127}


def test_letters_are_as_wide_as_in_helvetica():
    widths = helvetica()
    assert len(widths) == 95
    # Adobe's own encoding has typographic quotes instead of these two
    assert all(text_width(sign, 1.0) == width for sign, width in widths.items() if sign not in "'`")


def test_other_letters():
    assert text_width("ä", 10.0) == text_width("a", 10.0)
    assert text_width("a\u0308", 10.0) == text_width("a", 10.0)
    assert text_width("日", 10.0) == 10.0
    assert text_width("", 10.0) == 0.0
