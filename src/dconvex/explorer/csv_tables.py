"""Answers as CSV that a spreadsheet shows and never runs."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable

FORMULA_SIGNS = ("=", "+", "-", "@", "\t", "\r")
"""A spreadsheet takes a cell that begins with one of these for a formula."""


def table_of(header: Iterable[object], rows: Iterable[Iterable[object]]) -> str:
    """Rows as CSV; a text that a spreadsheet would run gets an apostrophe in front.

    >>> table_of(["name", "mean"], [["=1+1", -0.5]]).splitlines()
    ['name,mean', "'=1+1,-0.5"]
    """
    text = io.StringIO(newline="")
    csv.writer(text).writerows([harmless(cell) for cell in row] for row in [header, *rows])
    return text.getvalue()


def harmless(cell: object) -> object:
    """The cell itself, or with an apostrophe if it is a text that looks like a formula; numbers stay what they are.

    >>> harmless("@cmd"), harmless("-1"), harmless("-1+2"), harmless(-1.5), harmless("plain")
    ("'@cmd", '-1', "'-1+2", -1.5, 'plain')
    """
    if not isinstance(cell, str) or not cell.startswith(FORMULA_SIGNS) or _is_number(cell):
        return cell
    return f"'{cell}"


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return not text.startswith(("\t", "\r"))
