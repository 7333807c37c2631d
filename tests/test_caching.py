"""Properties that are computed once."""

from __future__ import annotations

from pathlib import Path

import dconvex
from dconvex.caching import cached_property


class Square:
    """A number whose square is computed once."""

    computations = 0

    def __init__(self, side):
        self.side = side

    @cached_property
    def area(self):
        """The side times itself."""
        self.computations += 1
        return self.side**2


def test_a_value_is_computed_once_for_each_object():
    square, other = Square(3), Square(4)
    assert [square.area, square.area, other.area] == [9, 9, 16]
    assert (square.computations, other.computations) == (1, 1)


def test_the_property_itself_is_seen_on_the_class():
    assert Square.area.__doc__ == "The side times itself."


def test_no_property_of_ours_waits_for_a_lock():
    for path in Path(dconvex.__file__).parent.rglob("*.py"):
        assert "functools import cached_property" not in path.read_text(), f"{path}: a forked child may wait for ever"
