"""What an evaluation is made from: predictions next to what happened, and the log-likelihood of whole rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

import numpy as np

from dconvex.arrays import Flags, Floats
from dconvex.inference.base_model import BaseModel
from dconvex.inference.outcomes import OutcomeRequest, Outcomes, row_weights
from dconvex.inference.prediction import MISSING, PredictionRequest
from dconvex.inference.row_likelihood import RowLikelihood
from dconvex.names import Label, Name
from dconvex.network.frame_columns import Columns
from dconvex.network.network import BayesianNetwork


def outcomes_of(model: BaseModel, data: object, target: Name, weights: Name | None, policy: PredictionRequest) -> Outcomes:
    """What the model predicts for the rows of a frame, next to what happened; `policy` is a request without a target.

    Raises:
        ValueError: There are several targets, or the column of weights is a variable.
    """
    targets = model._indices(target)
    if len(targets) != 1:
        raise ValueError(f"evaluate takes one target, not {len(targets)}; call it for each of them")
    if weights is not None and weights in model.dag:
        raise ValueError(f"weights={weights!r} is a variable of the model; the weights need a column of their own")
    columns = Columns(data, model.dag.nodes)
    found = model._engine.outcomes(columns, OutcomeRequest(policy._replace(targets=targets), weights))
    try:
        network = model.network()
    except ValueError:  # of a model for some variables only
        return found
    return found.with_likelihood(row_likelihood(network, columns, weights, policy.unknown))


def row_likelihood(
    network: BayesianNetwork, columns: Columns, weights: Name | None, unknown: Literal["raise", "missing"]
) -> RowLikelihood | None:
    """The log-likelihood of the rows without a missing cell; None where the table lacks a column."""
    if not all(name in columns for name in network.dag.nodes):
        return None
    is_whole = _are_whole(columns, network.dag.nodes, network.states, unknown)
    values: Floats = network.log_likelihood(columns.rows(is_whole))
    return RowLikelihood.of(values, row_weights(columns, weights)[is_whole])


def _are_whole(
    columns: Columns,
    names: Sequence[Name],
    states: Mapping[Name, tuple[Label, ...]],
    unknown: Literal["raise", "missing"],
) -> Flags:
    """For each row whether all its cells are there."""
    is_whole = np.ones(len(columns), bool)
    for name in names:
        if name in states:
            is_whole &= columns.codes_or_missing(name, states[name], unknown=unknown) != MISSING
        else:
            is_whole &= ~np.isnan(columns.numbers_or_missing(name))
    return is_whole
