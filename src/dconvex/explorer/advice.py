"""What people ask after an answer: what to observe next, what each finding did, what setting a variable does."""

from __future__ import annotations

import math
from itertools import islice

from dconvex.display.sensitivity_picture import STEP
from dconvex.errors import DconvexError
from dconvex.explorer.page_question import PageQuestion
from dconvex.explorer.request_data import RequestError, read_item
from dconvex.explorer.translation import Answer, Plain, Translator
from dconvex.graph.adjustment import each_adjustment_set
from dconvex.inference.distribution import Distribution
from dconvex.inference.model import LocalModel

LISTED = 30
"""The most candidates, parameters or sets that are listed."""


def next_data(model: LocalModel, question: PageQuestion) -> Plain:
    """The variables that are expected to say most about the target, with the gain and what would be left."""
    (target,) = _targets(question, 1)
    closed = {target, *question.variant.settings} | {
        name for name, state in question.evidence.items() if not isinstance(state, set)
    }
    candidates = [name for name in model.dag.nodes if name not in closed]
    found = model.most_informative(target, question.evidence, candidates, soft=question.soft)
    rows = [[model.dag.index_of(row.variable), _finite(row.gain), row.remaining] for row in list(found)[:LISTED]]
    return {"uncertainty": found.uncertainty, "rows": rows, "count": len(candidates)}


def influence_data(model: LocalModel, translator: Translator, question: PageQuestion) -> Plain:
    """What each finding did to the answer: the answer without it, from it alone, and how far it moved it."""
    (target,) = _targets(question, 1)
    found = model.influences(target, question.evidence, soft=question.soft)
    rows = [
        {
            "index": model.dag.index_of(row.variable),
            "without": found.number(row.without),
            "alone": found.number(row.alone),
            "shift": _finite(row.shift),
        }
        for row in found
    ]
    state = None if found.state is None else translator.state(target, found.state)
    return {"rows": rows, "state": state, "now": found.number(found.answer), "before": found.number(found.before)}


def sensitivity_data(model: LocalModel, translator: Translator, question: PageQuestion, state: object) -> Plain:
    """How the probability of a state (its index; None: the most probable one) moves with the parameters that matter most."""
    (target,) = _targets(question, 1)
    if model.kind == "gaussian":
        raise DconvexError("a Gaussian network has no states, whose probabilities could move with its numbers")
    if state is None:
        label = model.most_probable([target], question.evidence, soft=question.soft)[0][target]
    else:
        label = read_item(state, model.states[target], f"state of {target!r}")
    found = model.sensitivity(target, label, question.evidence, soft=question.soft)
    rows = [
        {
            "index": model.dag.index_of(row.variable),
            "state": translator.state(row.variable, row.state),
            "title": row.title,
            "value": row.value,
            "derivative": row.derivative,
            "moved": [_possible(row.at(min(max(row.value + step, 0.0), 1.0))) for step in (-STEP, STEP)],
            "ends": [_possible(row.at(end)) for end in (0.0, 1.0)],
            "admissible": list(row.admissible),
        }
        for row in found.rows[:LISTED]
    ]
    now = {"state": translator.state(target, found.state), "now": found.probability, "decision": found.decision}
    return {**now, "rows": rows, "count": len(found), "step": STEP}


def effect_data(model: LocalModel, translator: Translator, question: PageQuestion) -> Plain:
    """What setting the first target does to the most probable state of the second, next to what seeing it there says.

    `adjust` are the sets of variables that are right to adjust for, where only data on what was seen is there.
    """
    treatment, outcome = _targets(question, 2)
    found = model.effect(treatment, outcome, question.evidence, soft=question.soft)
    state = int(found.before.values.argmax()) if isinstance(found.before, Distribution) else None
    rows = [[translator.state(treatment, row.value), _number(row.doing, state), _number(row.seeing, state)] for row in found]
    after = [model.dag.index_of(name) for name in found.after]
    sets = each_adjustment_set(model.dag, *map(model.dag.index_of, (treatment, outcome)))
    slopes = {"slope": found.slope, "seeingSlope": found.seeing_slope}
    return {"rows": rows, "state": state, **slopes, "after": after, "adjust": [list(own) for own in islice(sets, LISTED)]}


def _targets(question: PageQuestion, count: int) -> tuple[str | int, ...]:
    if len(question.targets) != count:
        raise RequestError(f"this is about {count} variables, not {len(question.targets)}")
    return question.targets


def _number(answer: Answer | None, state: int | None) -> float | None:
    if answer is None:
        return None
    return float(answer.values[state]) if isinstance(answer, Distribution) else float(answer.mean[0])


def _possible(probability: float) -> float | None:
    """The probability; none where the evidence is impossible."""
    return None if math.isnan(probability) else probability


def _finite(number: float) -> float:
    """JSON has no infinity: what makes an answer certain moves its odds without end."""
    return number if math.isfinite(number) else math.copysign(1e308, number)
