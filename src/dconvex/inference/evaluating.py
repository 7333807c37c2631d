"""What an evaluation is made from: predictions next to what happened, and the log-likelihood of whole rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Literal

import numpy as np

from dconvex.arrays import Flags, Floats
from dconvex.inference.engine import Engine
from dconvex.inference.outcomes import OutcomeRequest, Outcomes, row_weights
from dconvex.inference.prediction import MISSING
from dconvex.inference.row_likelihood import RowLikelihood
from dconvex.names import Label, Name
from dconvex.network.frame_columns import Columns
from dconvex.network.network import BayesianNetwork


def judged(
    engine: Engine, find_network: Callable[[], BayesianNetwork], names: Sequence[Name], data: object, request: OutcomeRequest
) -> Outcomes:
    """The outcomes for all rows of a frame."""
    columns = Columns(data, names)
    found = engine.outcomes(columns, request)
    try:
        network = find_network()
    except ValueError:  # of a model for some variables only
        return found
    unknown = request.prediction.unknown
    return found.with_likelihood(row_likelihood(network, columns, request.weights, unknown))


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
