from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from dconvex.display.labels import balanced, label, pleasant_limit, wrapped

WORDS = st.lists(st.text("abc", min_size=1, max_size=9), max_size=12)


@given(st.text() | st.integers())
def test_a_label_is_one_printable_line_that_can_be_seen(name):
    text = label(name)
    assert text.isprintable()
    assert text.strip()


@given(WORDS, st.integers(1, 40))
def test_wrapping_loses_nothing_and_keeps_the_limit(words, limit):
    for lines in (wrapped(words, limit, len), balanced(words, limit, len)):
        assert " ".join(lines) == ", ".join(words)
        assert all(len(line) <= limit or " " not in line for line in lines)


@given(WORDS, st.integers(10, 40))
def test_no_way_with_as_few_lines_is_narrower(words, limit):
    lines = balanced(words, limit, len)
    assert len(lines) == len(wrapped(words, limit, len))
    pieces = [*(f"{word}," for word in words[:-1]), *words[-1:]]
    breaks = range(1, len(pieces))
    ways = itertools.combinations(breaks, len(lines) - 1) if lines else []
    narrowest = min(
        (max(len(" ".join(pieces[a:b])) for a, b in itertools.pairwise([0, *cuts, len(pieces)])) for cuts in ways), default=0
    )
    assert max(map(len, lines), default=0) == narrowest


def test_the_pleasant_limit_gives_the_shape_asked_for():
    words = ["word"] * 60
    lines = wrapped(words, pleasant_limit(words, 2, len, shape=2.5), len)
    assert 1.8 < max(map(len, lines)) / (2 * len(lines)) < 3.2
    assert pleasant_limit([], 2, len, 2.5) == 0
    assert pleasant_limit(["a" * 50, "b"], 1, len, 1.0) >= 50
