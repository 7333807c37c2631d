"""Rows with missing cells under a network: the probability of what they show, and what they do not show filled in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from dconvex._core import LinearCompletion, RowCompletion
from dconvex.arrays import Flags, Floats, Indices
from dconvex.errors import TooLargeError
from dconvex.graph.dag import Dag
from dconvex.names import Name
from dconvex.threads import in_blocks

Filling: TypeAlias = Literal["none", "most_probable", "sample"]

ROWS_AT_ONCE = 1 << 13
"""Rows are completed in blocks of this size, by any number of threads; what is drawn for a row depends on its block."""
SHOWN = 6
"""At most this many variables of a row are named."""
UNWANTED = -2
"""The code of a cell that is missing and stays so: it is summed over."""


class Completing(NamedTuple):
    """How rows are completed."""

    limit: int
    """The most bytes that the missing cells of a row may take."""
    n_jobs: int | None = 1
    """The number of threads; it makes no difference to the result."""
    seed: np.random.SeedSequence | None = None
    """That of what is drawn."""


def complete_states(
    dag: Dag,
    values: Floats,
    sizes: Sequence[int],
    codes: Indices,
    filling: Filling,
    how: Completing,
) -> Floats:
    """Fill in the missing cells of rows, `codes[variable, row]`, in place: those with the code -1; -2 are summed over.

    Args:
        dag: The graph.
        values: The tables of its variables, one after the other.
        sizes: The number of states of each variable.
        codes: The rows; those of probability zero stay as they are.
        filling: Not at all, with the states that are the most probable together, or with states that are drawn.
        how: How it is done.

    Returns:
        The logarithm of the probability of what each row shows; where states are filled in, only whether it is -inf counts.

    Raises:
        TooLargeError: The missing cells of a row take more memory than the limit; nothing has been filled in.
    """
    core = RowCompletion(dag.graph, np.array(sizes, np.int32), filling)
    rows = codes.shape[1]
    for first in range(0, rows, ROWS_AT_ONCE):
        core.plan(np.ascontiguousarray(codes[:, first : first + ROWS_AT_ONCE]))
        _check_component(core.largest_workspace, core.largest_component, dag.nodes, how.limit)
    found = np.empty(rows)

    def complete(block: slice) -> None:
        own, log_probability = np.ascontiguousarray(codes[:, block]), np.empty(block.stop - block.start)
        noise = None if how.seed is None else _generator(how.seed, block).random(own.shape)
        core.complete(values, own, noise, log_probability)
        found[block] = log_probability
        if filling != "none":
            codes[:, block] = own

    in_blocks(rows, ROWS_AT_ONCE, how.n_jobs, complete)
    return found


def complete_numbers(
    dag: Dag,
    regressions: tuple[Floats, Floats, Floats],
    values: Floats,
    is_wanted: Flags,
    how: Completing,
) -> Floats:
    """Fill in the missing cells of rows, `values[variable, row]`, in place, with their means or with numbers that are drawn.

    Args:
        dag: The graph.
        regressions: Intercepts, coefficients (in the order of the graph's parents) and variances.
        values: The rows, NaN where a cell is missing; those of density zero stay as they are.
        is_wanted: For each variable whether its missing cells are filled in; otherwise they are summed over.
        how: How it is done; without a seed cells become their means.

    Returns:
        The logarithm of the density of the families with a missing cell in each row.

    Raises:
        TooLargeError: The missing cells of a row take more memory than the limit; nothing has been filled in.
    """
    core = LinearCompletion(dag.graph, is_wanted)
    rows = values.shape[1]
    for first in range(0, rows, ROWS_AT_ONCE):
        core.plan(np.ascontiguousarray(values[:, first : first + ROWS_AT_ONCE]))
        _check_component(core.largest_workspace, core.largest_component, dag.nodes, how.limit)
    found = np.empty(rows)

    def complete(block: slice) -> None:
        own, log_density = np.ascontiguousarray(values[:, block]), np.empty(block.stop - block.start)
        noise = None if how.seed is None else _generator(how.seed, block).standard_normal(own.shape)
        core.complete(*regressions, own, noise, log_density)
        found[block] = log_density
        if is_wanted.any():
            values[:, block] = own

    in_blocks(rows, ROWS_AT_ONCE, how.n_jobs, complete)
    return found


def _generator(seed: np.random.SeedSequence, block: slice) -> np.random.Generator:
    """The random numbers of a block: the same whichever thread has it, and however many blocks there are."""
    own = np.random.SeedSequence(seed.entropy, spawn_key=(*seed.spawn_key, block.start // ROWS_AT_ONCE))
    return np.random.default_rng(own)


def _check_component(numbers: float, variables: Indices, names: Sequence[Name], limit: int) -> None:
    needed = 8.0 * numbers
    if needed > limit:
        pattern = [repr(names[variable]) for variable in variables.tolist()]
        more = f" and {len(pattern) - SHOWN:,} more" if len(pattern) > SHOWN else ""
        what = f"the posterior of {', '.join(pattern[:SHOWN])}{more}, which are missing in one row,"
        way_out = "Raise max_bytes, or leave out rows with that many gaps."
        raise TooLargeError(what, int(min(needed, 2.0**62)), limit, way_out)
