"""Names and their spellings: never two alike, always fitting, and the note has them all."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import state_labels

from dconvex.formats.spelling import LINE, STATES_NOTE, WORD, meanings, notes, spelled

RESERVING = re.compile(rf"(?!(?:a|b|x_0)$){WORD.pattern}")


@given(state_labels(max_states=8), st.sampled_from([WORD, LINE, RESERVING]))
def test_spellings_fit_differ_and_can_be_read_back(labels, fits):
    spellings = spelled(labels, fits)
    texts = [spellings[label] for label in labels]
    assert len(set(texts)) == len(labels)
    assert all(fits.fullmatch(text) for text in texts)
    names = meanings(notes("x", {"x": "x"}, labels, spellings).get(STATES_NOTE, ""))
    again = [names.get(text, text) for text in texts]
    assert again == list(labels)
    assert list(map(type, again)) == list(map(type, labels))


def test_strings_that_fit_are_never_spelled_otherwise():
    assert spelled([1, "1", "x_1"], LINE) == {1: "x_1_2", "1": "1", "x_1": "x_1"}
    assert spelled(["a", "a b", "a_b"], WORD) == {"a": "a", "a b": "a_b_2", "a_b": "a_b"}


@pytest.mark.parametrize(
    "text", ["a", "a:int", "a:int:x", "a:float:1", "a:bool:1", "a:str:%ff", "a:b:c:d", f"a:int:{'9' * 5000}"]
)
def test_what_is_no_note(text):
    with pytest.raises(ValueError, match=r"\w"):
        meanings(text)


def test_many_names_that_look_alike_are_told_apart_quickly():
    names = ["变" * length for length in range(1, 3_000)]
    assert len(set(spelled(names, WORD).values())) == len(names)
