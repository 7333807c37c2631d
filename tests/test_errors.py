"""Errors share a root, name the culprit and the way out, and survive the trip between processes."""

from __future__ import annotations

import copy
import pickle

import pytest

import dconvex as dc

EXAMPLES = [
    dc.DconvexError("something"),
    dc.NetworkError("a row sums to 2", variable="rain"),
    dc.CycleError(["a", "b", 3]),
    dc.UnknownVariableError("smoke", ["smoking", "cancer"]),
    dc.UnknownStateError("rain", "maybe", ["no", "yes"], where=" in row 3"),
    dc.FormatError("expected '{'", path="a.bif", line=3, column=7),
    dc.DataError("column 'a' is not numeric"),
]


@pytest.mark.parametrize("error", EXAMPLES, ids=lambda error: type(error).__name__)
@pytest.mark.parametrize("again", [lambda error: pickle.loads(pickle.dumps(error)), copy.copy, copy.deepcopy])
def test_errors_pickle_and_copy(error, again):
    restored = again(error)
    assert type(restored) is type(error)
    assert str(restored) == str(error)
    assert restored.__dict__ == error.__dict__


@pytest.mark.parametrize("error", EXAMPLES, ids=lambda error: type(error).__name__)
def test_all_errors_have_one_root(error):
    assert isinstance(error, dc.DconvexError)


def test_pythons_own_error_types_catch_ours():
    assert issubclass(dc.NetworkError, ValueError)
    assert issubclass(dc.UnknownVariableError, LookupError)
    assert issubclass(dc.UnknownStateError, LookupError)
    assert issubclass(dc.DataError, ValueError)
    assert issubclass(dc.FormatError, ValueError)


@pytest.mark.parametrize(
    ("name", "known", "message"),
    [
        ("smoke", ["cancer", "smoking"], "unknown variable 'smoke'; did you mean 'smoking'?"),
        ("RAIN", ["rain", "brain"], "unknown variable 'RAIN'; did you mean 'rain'?"),
        ("1", [1, 2], "unknown variable '1'; did you mean 1?"),
        (12, ["a", "b"], "unknown variable 12; there are 2: 'a', 'b'"),
        ("x", [], "unknown variable 'x'; there are none"),
        ("?", list(range(10)), "unknown variable '?'; there are 10: 0, 1, 2, 3, 4, 5, 6, 7, …"),
    ],
)
def test_unknown_variables_get_a_way_out(name, known, message):
    error = dc.UnknownVariableError(name, known)
    assert str(error) == message
    assert error.name == name


def test_near_match_among_very_many():
    error = dc.UnknownVariableError("gene_59999x", (f"gene_{number}" for number in range(60_000)))
    assert "did you mean 'gene_59999'?" in str(error)


def test_unknown_state_names_the_variable():
    error = dc.UnknownStateError("rain", "yess", ["no", "yes"], where=" in row 3")
    assert str(error) == "unknown state 'yess' of 'rain' in row 3; did you mean 'yes'?"
    assert (error.variable, error.label) == ("rain", "yess")


def test_cycle_is_shown_closed():
    error = dc.CycleError(["a", "b", 3])
    assert str(error) == "the edges contain a cycle: a → b → 3 → a"
    assert error.cycle == ("a", "b", 3)


def test_long_cycle_is_cut_in_the_middle():
    error = dc.CycleError(range(100))
    assert str(error).endswith("0 → 1 → 2 → 3 → 4 → 5 → … → 96 → 97 → 98 → 99 → 0 (100 nodes)")
    assert error.cycle == tuple(range(100))


@pytest.mark.parametrize(
    ("where", "message"),
    [
        ({}, "expected '{'"),
        ({"path": "a.bif"}, "a.bif: expected '{'"),
        ({"path": "a.bif", "line": 3, "column": 7}, "a.bif:3:7: expected '{'"),
    ],
)
def test_format_error_says_where(where, message):
    assert str(dc.FormatError("expected '{'", **where)) == message
