"""The two engines behind one protocol, and how far a question walks."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from inference.models import chain

import dconvex as dc
from dconvex.inference.discrete import DiscreteEngine
from dconvex.inference.engine import Engine
from dconvex.inference.gaussian import GaussianEngine

SOURCE = Path(dc.__file__).parent


@pytest.mark.parametrize("engine", [DiscreteEngine, GaussianEngine])
def test_an_engine_has_all_that_the_protocol_names(engine):
    set_when_made = {"store", "coherent", "queries"}
    wanted = {name for name in vars(Engine) if not name.startswith("_")} - set_when_made
    assert wanted <= set(vars(engine))


def test_localize_chooses_the_engine():
    gaussian = dc.random_gaussian_network([("a", "b")], seed=0)
    assert isinstance(dc.localize(chain(2))._engine, DiscreteEngine)
    assert isinstance(dc.localize(gaussian)._engine, GaussianEngine)


def test_a_question_that_was_asked_before_touches_few_files_and_functions():
    """At most 8 files and 25 functions of ours, so that a newcomer can follow it."""
    model = dc.localize(dc.load_network("alarm"))
    walked = []

    def note(frame, event, argument):
        if event == "call" and Path(frame.f_code.co_filename).is_relative_to(SOURCE):
            walked.append((frame.f_code.co_filename, frame.f_code.co_name, frame.f_code.co_firstlineno))

    def ask():
        return model.query(["HYPOVOLEMIA", "CVP"], {"HR": "LOW", "BP": "HIGH"})

    ask()
    before = sys.getprofile()
    sys.setprofile(note)
    try:
        ask()
    finally:
        sys.setprofile(before)
    assert len({file for file, _, _ in walked}) <= 8
    assert len(set(walked)) <= 25
