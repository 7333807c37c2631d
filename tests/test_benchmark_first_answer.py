"""The benchmark of the first answer: everybody comes to the same one, and whoever fails is noticed."""

import os
import re

import pytest

from benchmarks import first_answer, harness
from benchmarks.harness import Effort


def test_everybody_answers_the_same():
    cases = first_answer.cases(quick=True)
    timings = harness.race(next(cases), Effort(seconds=0, least=1, most=1))
    cases.close()
    assert [timing.note for timing in timings] == [""] * 4
    assert {timing.result for timing in timings} == {"the same"}
    assert all(timing.ratio(timings[0]) for timing in timings)


def test_commands_are_run():
    *_, command = first_answer.cases(quick=True)
    (timing,) = harness.race(command, Effort(seconds=0, least=1, most=1))
    assert (timing.note, timing.result) == ("", "P(HR | BP = LOW)")


@pytest.mark.parametrize("text", ["", "0.1", "0.2 0.8", "0.1 0.9 0.0"])
def test_another_answer_is_noticed(text):
    with pytest.raises(ValueError, match=re.escape("not (0.1, 0.9)")):
        first_answer.checked_answer(text)


def test_a_process_that_fails_is_out():
    with pytest.raises(RuntimeError, match="No module named"):
        first_answer.printed(["-c", "import nothing_of_the_kind"])
    with pytest.raises(RuntimeError, match="exit code 3"):
        first_answer.printed(["-c", "raise SystemExit(3)"])


def test_byte_code_may_be_written(monkeypatch):
    monkeypatch.setitem(os.environ, "PYTHONDONTWRITEBYTECODE", "1")
    assert first_answer.printed(["-c", "import sys; print(sys.dont_write_bytecode)"]).strip() == "False"
