"""What a file says in JSON, checked value by value."""

from __future__ import annotations

import json
import math
import reprlib
from collections.abc import Iterator, Sequence
from typing import Any, TypeVar, final

from dconvex.errors import FormatError

Choice = TypeVar("Choice", bound=str)

LARGEST = 1 << 62
"""No count of bytes or rows is larger."""


def read_json(text: bytes | str, path: str) -> Any:
    """Any JSON; a key that comes twice, or a nesting too deep, is refused."""
    try:
        return json.loads(text, object_pairs_hook=_without_repeats)
    except (ValueError, RecursionError):
        raise FormatError("the file is damaged: its description is not JSON", path=path) from None


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key comes twice")
    return found


@final
class Facts:
    """A JSON object of a file; every value is checked when it is looked at."""

    def __init__(self, record: Any, path: str, where: str = "") -> None:
        self._path, self._where = path, where
        if not isinstance(record, dict):
            raise self.wrong("", record)
        self.record: dict[str, Any] = record

    def __contains__(self, name: str) -> bool:
        return self.record.get(name) is not None

    def __iter__(self) -> Iterator[str]:
        return iter(self.record)

    def flag(self, name: str) -> bool:
        """True or false."""
        value = self._value(name)
        if not isinstance(value, bool):
            raise self.wrong(name, value)
        return value

    def choice(self, name: str, choices: Sequence[Choice]) -> Choice:
        """One of some words."""
        value = self._value(name)
        if not isinstance(value, str) or value not in choices:
            raise self.wrong(name, value)
        return choices[choices.index(value)]

    def count(self, name: str, least: int = 0, most: int = LARGEST) -> int:
        """A whole number."""
        value = self._value(name)
        if type(value) is not int or not least <= value <= most:
            raise self.wrong(name, value)
        return value

    def number(self, name: str) -> float:
        """A finite number."""
        value = self._value(name)
        if type(value) is int and abs(value) < 1 << 1000:
            value = float(value)
        if type(value) is not float or not math.isfinite(value):
            raise self.wrong(name, value)
        return value

    def texts(self, name: str) -> list[str]:
        """A list of texts."""
        value = self._value(name)
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise self.wrong(name, value)
        return value

    def items(self, name: str) -> list[Any]:
        """A list of anything."""
        value = self._value(name)
        if not isinstance(value, list):
            raise self.wrong(name, value)
        return value

    def part(self, name: str) -> Facts:
        """An object within."""
        return Facts(self._value(name), self._path, f"{self._where}{name}.")

    def wrong(self, name: str, value: Any) -> FormatError:
        """The error that names a value which cannot be."""
        what = f"{self._where}{name}".strip(".") or "description"
        return FormatError(f"the file is damaged: its {what} is {reprlib.repr(value)}", path=self._path)

    def _value(self, name: str) -> Any:
        if name not in self.record:
            raise FormatError(f"the file is damaged: it does not say its {self._where}{name}", path=self._path)
        return self.record[name]
