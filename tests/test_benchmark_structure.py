"""The benchmarks of structure learning: parts of a plan, results that join earlier ones, limits that are kept."""

import json

import pytest
import typer

from benchmarks import structure, structure_methods, structure_trials
from benchmarks.structure_trials import Learned, Results, Trial


def result(rows, contender, seed=1, **what):
    return Learned("alarm", rows, seed, contender, **what)


def test_a_part_of_the_plan_is_chosen_by_name():
    trials = list(structure.plan())
    assert len(set(trials)) == len(trials)
    some = structure.chosen(trials, ["alarm", "pigs"], ["1000"], ["greedy"])
    assert some == [Trial("alarm", 1000, 1, "greedy"), Trial("pigs", 1000, 1, "greedy")]
    assert structure.chosen(trials, None, None, None) == trials
    with pytest.raises(typer.BadParameter, match="--contenders has 'greed'; there are ges; greedy; "):
        structure.chosen(trials, None, None, ["greed"])


def test_the_plans_name_contenders_and_networks_that_are_there():
    for plan in (structure.plan(), structure_methods.plan()):
        for trial in plan:
            assert trial.contender in structure_trials.CONTENDERS
            assert trial.network in (*structure.SIX, *structure.MANY_STATES, "arth150", *structure_trials.RANDOM)


def test_results_join_those_that_are_there(tmp_path):
    order = [Trial("alarm", 1000, 1, "greedy"), Trial("alarm", 1000, 1, "search")]
    results = Results("structure", False, tmp_path, order)
    results.add(result(1000, "search", seconds=2.0))
    results.add(result(1000, "greedy", seconds=1.0))
    again = Results("structure", False, tmp_path, order)
    again.add(result(1000, "search", note="> 3 s"))
    assert [(own.contender, own.seconds) for own in again.found] == [("greedy", 1.0), ("search", None)]
    assert [own["note"] for own in json.loads((tmp_path / "structure.json").read_text())["means"]] == ["", "> 3 s"]
    assert Results("structure", True, tmp_path, order).found == []


def test_means_are_over_the_samples_that_ended():
    numbers = {"bdeu": None, "edges": 3, "megabytes": 1.0}
    found = [result(10, "pc", 0, seconds=1.0, bic=-3.0, distance=2, **numbers), result(10, "pc", 1, note="> 3 s")]
    found += [result(10, "pc", 2, seconds=2.0, bic=-4.0, distance=3, **numbers)]
    (mean,) = structure_trials.means_of(found)
    assert (mean.samples, mean.seconds, mean.bic, mean.bdeu, mean.distance, mean.note) == (2, 1.5, -3.5, None, 2.5, "> 3 s")


def test_a_trial_is_ended_at_its_limit():
    assert structure_trials.run_trial(Trial("alarm", 1000, 1, "greedy"), 0.001).note == "> 0.001 s"


def test_a_trial_in_a_process_of_its_own(tmp_path):
    results = Results("structure", False, tmp_path, [])
    trials = [Trial("asia", 300, 1, "greedy"), Trial("asia", 300, 1, "nobody")]
    structure_trials.run_trials(results, trials, 120.0, known=False)
    done, failed = results.found
    assert done.seconds is not None
    assert done.bic == pytest.approx(-723, abs=60)
    assert failed.note == "failed: KeyError: 'nobody'"
    structure_trials.run_trials(results, trials, 0.001, known=True)
    assert results.found == [done, failed]


def test_who_was_too_slow_is_not_asked_for_more_rows(tmp_path):
    results = Results("structure", False, tmp_path, [])
    results.add(result(1000, "pgmpy", note="> 3 s"))
    structure_trials.run_trials(results, [Trial("alarm", 10_000, 1, "pgmpy")], 0.001, known=False)
    assert results.found[1].note == "> 3 s with 1,000 rows"


def test_the_verdict_says_what_is_wanted():
    scores = {"greedy": (1.0, -9.0), "search": (3.0, -8.0), "pyBNesian": (12.0, -8.5), "pyAgrum": (2.0, -10.0)}
    same = [result(10_000, name, seconds=seconds, bic=bic) for name, (seconds, bic) in scores.items()]
    said = structure.verdict("alarm", 10_000, same)
    assert "greedy 12.0 times as fast as pyBNesian (target 10); best BIC: search; search took 3.00 s of 2.00" in said
