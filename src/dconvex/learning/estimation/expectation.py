"""The E-step for tables: expected counts of families from rows with gaps; exact, and the same for any number of threads."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from dconvex._core import ExpectedCounts, ExpectedMoments, Graph
from dconvex.arrays import Floats, Indices, Integers, StateCodes
from dconvex.errors import TooLargeError
from dconvex.learning.estimation.maximization import Expected
from dconvex.names import Name
from dconvex.threads import Workers

HELD = 6
"""The numbers held at once for each cell, besides those of the blocks."""
BLOCKS = 16
"""The most blocks that an E-step is cut into."""
SHOWN = 6
"""At most this many variables of a pattern are named."""


class PreparedRows:
    """What the core knows of rows with gaps that it has prepared for E-steps."""

    __slots__ = ()
    core: ExpectedCounts | ExpectedMoments

    @property
    def family_weights(self) -> Floats:
        """For each family the weight of the rows in which it counts, entirely or in expectation."""
        return self.core.family_weights

    @property
    def missing_cells(self) -> float:
        """The weight of all cells that are missing."""
        return self.core.missing_cells

    @property
    def has_gaps(self) -> bool:
        """Whether anything is left to be expected."""
        return self.core.component_count > 0


@dataclass(frozen=True, slots=True, eq=False)
class GappedRows(PreparedRows):
    """Rows with gaps, prepared for any number of E-steps over one graph."""

    core: ExpectedCounts

    @classmethod
    def of(
        cls, names: Sequence[Name], graph: Graph, sizes: Integers, codes: StateCodes, weights: Floats, limit: int
    ) -> GappedRows:
        """Prepare rows, `codes[variable, row]`.

        Raises:
            TooLargeError: The missing cells of some row take more memory than the limit; the error names them.
        """
        core = ExpectedCounts(graph, sizes.astype(np.int32))
        for first, last in growing(codes.shape[1]):
            core.add_rows(codes[:, first:last].copy(), weights[first:last])
            check_component(core.largest_workspace, core.largest_component, names, limit)
            check_held(core.held_bytes, limit)
        core.finish()
        return cls(core)

    @property
    def complete_counts(self) -> Floats:
        """The counts of the rows that show a family entirely."""
        return self.core.complete_counts

    def expected(self, values: Floats, workers: Workers) -> Expected[Floats]:
        """One E-step under these tables. Blocks are always the same and summed in their order."""

        def in_block(block: int) -> tuple[Floats, tuple[float, float]]:
            counts = np.zeros(len(values))
            return counts, self.core.expect(values, block, counts)

        counts, complete = self.core.complete_counts.copy(), self.core.complete_counts
        log_likelihood, impossible = weighted_logarithm(complete, values), 0.0
        for own, (log_probability, weight) in workers.map(in_block, range(self.core.block_count)):
            counts += own
            log_likelihood += log_probability
            impossible += weight
        return Expected(counts, log_likelihood, impossible)


def weighted_logarithm(weights: Floats, values: Floats) -> float:
    """The sum of weights times logarithms, where no weight is zero."""
    is_there = weights > 0
    with np.errstate(divide="ignore"):
        return float((weights[is_there] * np.log(values[is_there])).sum())


def growing(rows: int) -> Iterator[tuple[int, int]]:
    """Bounds of longer and longer parts: what is too large shows early."""
    first, many = 0, 1
    while first < rows:
        last = min(rows, first + many)
        yield first, last
        first, many = last, min(4 * many, 1 << 16)


def check_component(numbers: float, variables: Indices, names: Sequence[Name], limit: int) -> None:
    """Refuse what is missing together in one row, where its posterior takes more than the limit.

    Raises:
        TooLargeError: It does; the error names the variables.
    """
    needed = 8.0 * numbers
    if needed > limit:
        pattern = [repr(names[variable]) for variable in variables.tolist()]
        more = f" and {len(pattern) - SHOWN:,} more" if len(pattern) > SHOWN else ""
        what = f"the posterior of {', '.join(pattern[:SHOWN])}{more}, which are missing in one row,"
        way_out = "Raise max_bytes, or leave out rows with that many gaps."
        raise TooLargeError(what, int(min(needed, 2.0**62)), limit, way_out)


def check_held(needed: float, limit: int) -> None:
    """Refuse rows of which what they leave open takes more than the limit.

    Raises:
        TooLargeError: It does.
    """
    if needed > limit:
        way_out = "Raise max_bytes, or give fewer rows."
        raise TooLargeError("holding what is missing in the rows", int(min(needed, 2.0**62)), limit, way_out)


def check_tables(cells: float, limit: int) -> None:
    """Refuse tables of which an E-step would hold too many copies."""
    needed = 8.0 * cells * (HELD + BLOCKS)
    if needed > limit:
        what = f"expected counts of tables with {cells:,.0f} cells"
        raise TooLargeError(what, int(min(needed, 2.0**62)), limit, "Leave out parents, merge states, or raise max_bytes.")
