"""Rows drawn at random given the evidence, and answers estimated from such rows."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

import numpy as np

from dconvex.arrays import Indices
from dconvex.errors import TooLargeError
from dconvex.inference.distribution import Distribution
from dconvex.inference.likelihood_weighting import weighted_samples
from dconvex.inference.possibility import check_numbers_possible, check_possible, raise_impossible
from dconvex.inference.regression_model import RegressionModel, refuse_above
from dconvex.inference.request import Request
from dconvex.inference.table_model import TableModel, refuse_many_axes
from dconvex.network.network import BayesianNetwork
from dconvex.network.probability_tables import Tables

if TYPE_CHECKING:
    import pandas as pd


def discrete_sample(
    model: TableModel, request: Request, rows: int, rng: np.random.Generator, network: BayesianNetwork, n_jobs: int | None
) -> pd.DataFrame:
    """Ancestors of the evidence by going back through its elimination, all others given their parents."""
    tables = network.parameters
    assert isinstance(tables, Tables)
    known = _sampled_ancestors(model, request, rows, rng) if request.evidence else {}
    return tables.frame(network.dag, tables.sampled_codes(network.dag, rows, rng, known, n_jobs), rows)


def _sampled_ancestors(model: TableModel, request: Request, rows: int, rng: np.random.Generator) -> dict[int, Indices]:
    evidence, limit, planner = request.evidence, request.limit, model.planner
    plan = planner.sound(planner.plan(planner.ancestors_question(evidence, limit)))
    states = plan.trace(evidence, rows, int(rng.integers(2**63)))
    if states is None:
        raise_impossible(model, evidence, limit, tuple(range(len(model.names))))
    found: dict[int, Indices] = dict(zip(plan.program.axes.tolist(), states.T, strict=True))
    for variable, state in evidence.state_of().items():
        found[variable] = np.broadcast_to(np.int32(state), rows)
    return found


def discrete_estimate(model: TableModel, request: Request, samples: int, rng: np.random.Generator) -> Distribution:
    """An estimate from weighted samples, with standard errors."""
    variables, targets, evidence, limit, _, _ = request
    model.refuse_large_result(variables, limit, copies=3)
    refuse_many_axes(variables)
    with contextlib.suppress(TooLargeError):  # too large to know: the samples will show it
        check_possible(model, evidence, limit, variables)
    values, errors = (
        model.with_observed(part, variables, targets, evidence)
        for part in weighted_samples(model.planner, request, samples, rng)
    )
    names = tuple(model.names[v] for v in variables)
    return Distribution(names, tuple(model.labels[v] for v in variables), values, errors, model.known(evidence))


def gaussian_sample(model: RegressionModel, request: Request, rows: int, rng: np.random.Generator) -> pd.DataFrame:
    """Noises of all variables are drawn, and replaced where the evidence says what they are."""
    import pandas as pd

    evidence, limit = request.evidence, request.limit
    plan = model.whole_plan(evidence.observed)
    pieces = model.informed_pieces(plan, limit)
    check_numbers_possible(model, request, plan, pieces)
    what = f"{rows:,} rows of {len(model.names):,} variables"
    refuse_above(limit, 4 * 8 * rows * len(model.names), what, "Draw fewer rows at once.")
    noises = rng.standard_normal((len(model.names), rows))
    values = plan.values(evidence)
    for piece in pieces:
        _, noises[piece.members] = piece.basis.split(noises[piece.members])
        noises[piece.members] += piece.standard_noises(values)
    found = np.empty_like(noises)
    found[plan.shape.nodes] = model.store.network(plan.shape).values(noises, values)
    return pd.DataFrame(found.T, columns=pd.Index(model.names), copy=False)
