"""A Griffe extension: examples in docstrings become blocks of code, whichever way the docstring is written otherwise."""

from __future__ import annotations

import re
from typing import Any

import griffe

EXAMPLE = re.compile(r"(?:^ *>>> .*\n(?:^ *\S.*\n?)*\n?)+", re.MULTILINE)


class DoctestFences(griffe.Extension):
    """Puts fences around the examples of every docstring."""

    def on_object(self, *, obj: griffe.Object, **kwargs: Any) -> None:
        if obj.docstring is not None:
            obj.docstring.value = fenced(obj.docstring.value)


def fenced(docstring: str) -> str:
    """The docstring with fences around each run of examples."""
    return EXAMPLE.sub(lambda found: f"```pycon\n{found[0].rstrip()}\n```\n\n", docstring).rstrip()
