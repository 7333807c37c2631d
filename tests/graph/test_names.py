"""What may be a name or a label, and the canonical order."""

from __future__ import annotations

from enum import StrEnum

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import NAMES

from dconvex import NetworkError
from dconvex.names import as_names, canonical, checked_labels, checked_name


class Colour(StrEnum):
    RED = "red"


@pytest.mark.parametrize(
    ("given_name", "kept"), [("a", "a"), ("", ""), (3, 3), (np.int64(3), 3), (np.str_("a"), "a"), (Colour.RED, "red")]
)
def test_names_become_plain_str_and_int(given_name, kept):
    assert checked_name(given_name) == kept
    assert type(checked_name(given_name)) is type(kept)


@pytest.mark.parametrize("name", [None, 1.0, np.float64(1), True, np.True_, b"a", ("a",), frozenset()])
def test_other_names_are_refused(name):
    with pytest.raises(NetworkError, match="a variable name must be a str or an int, not"):
        checked_name(name)


@pytest.mark.parametrize(
    ("labels", "kept"),
    [
        (["no", "yes"], ("no", "yes")),
        (iter([2, 1]), (2, 1)),
        (np.array([True, False]), (True, False)),
        (np.array([1, 2], np.int8), (1, 2)),
        ([0, True, "1"], (0, True, "1")),
        ({"a": 1, "b": 2}.keys(), ("a", "b")),
        ([Colour.RED], ("red",)),
    ],
)
def test_labels_become_plain_and_keep_their_order(labels, kept):
    checked = checked_labels("v", labels)
    assert checked == kept
    assert list(map(type, checked)) == list(map(type, kept))


@pytest.mark.parametrize(
    ("labels", "problem"),
    [
        ("ab", "must be a list of labels in order, not 'ab'"),
        ({"a", "b"}, "must be a list of labels in order"),
        (None, "must be a list of labels in order, not None"),
        (2, "must be a list of labels in order, not 2"),
        ([], "'v' has no states"),
        (["a", None], "'v' has None"),
        ([0.5, 1.5], r"'v' has 0\.5 \(float\)"),
        (["a", "b", "a"], "two states of 'v' compare equal: 'a' comes twice"),
        ([1, "a", True], "two states of 'v' compare equal: True comes twice"),
        ([False, 0], "two states of 'v' compare equal: 0 comes twice"),
    ],
)
def test_other_labels_are_refused(labels, problem):
    with pytest.raises(NetworkError, match=problem):
        checked_labels("v", labels)


def test_canonical_order_is_type_name_then_value():
    assert canonical(["b", 10, "a", 9, "B", -1]) == [-1, 9, 10, "B", "a", "b"]


@given(st.lists(st.one_of(list(NAMES.values())), unique=True))
def test_canonical_order_is_one_rule_for_all_kinds(names):
    assert canonical(names) == sorted(names, key=lambda name: (type(name).__name__, name))


@pytest.mark.parametrize(
    ("variables", "names"),
    [("rain", ("rain",)), (3, (3,)), (np.int64(3), (3,)), (["b", "a"], ("b", "a")), (iter([1]), (1,)), ((), ())],
)
def test_a_single_name_stands_for_itself(variables, names):
    assert as_names(variables) == names
