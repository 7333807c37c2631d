"""The E-step for numbers: expected moments of families from rows with gaps; exact, and the same for any number of threads."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dconvex._core import ExpectedMoments, Graph
from dconvex.arrays import Floats
from dconvex.errors import TooLargeError
from dconvex.learning.estimation.expectation import BLOCKS, PreparedRows, check_component, check_held, growing
from dconvex.learning.estimation.maximization import Expected
from dconvex.learning.estimation.regression_estimates import RegressionEstimates
from dconvex.learning.statistics.counted_families import Families
from dconvex.learning.statistics.coverage import Coverage
from dconvex.learning.statistics.moments import Moments, entry_indices, scatter_offsets
from dconvex.threads import Workers


@dataclass(frozen=True, slots=True, eq=False)
class GappedNumbers(PreparedRows):
    """Rows of numbers with gaps, prepared for any number of E-steps over one graph."""

    core: ExpectedMoments
    families: Families

    @classmethod
    def of(cls, families: Families, graph: Graph, values: Floats, weights: Floats, limit: int) -> GappedNumbers:
        """Prepare rows, `values[variable, row]`, for the families of a graph, one for each variable.

        Raises:
            TooLargeError: The missing cells of some row take more memory than the limit; the error names them.
        """
        _check_moments(families, limit)
        core = ExpectedMoments(graph)
        for first, last in growing(values.shape[1]):
            core.add_rows(np.ascontiguousarray(values[:, first:last]), weights[first:last].copy())
            check_component(core.largest_workspace, core.largest_component, families.names, limit)
            check_held(core.held_bytes, limit)
        core.finish()
        return cls(core, families)

    def expected(self, regressions: RegressionEstimates, workers: Workers) -> Expected[Moments]:
        """One E-step under these regressions. Blocks are always the same and summed in their order."""
        widths = np.diff(self.families.offsets)
        numbers = (regressions.intercept, regressions.coefficients, regressions.variance)

        def in_block(block: int) -> tuple[Floats, Floats, tuple[float, float]]:
            sums, products = np.zeros(len(self.families.members)), np.zeros(int((widths**2).sum()))
            return sums, products, self.core.expect(*numbers, block, sums, products)

        sums, products = np.zeros(len(self.families.members)), np.zeros(int((widths**2).sum()))
        log_likelihood = impossible = 0.0
        for own_sums, own_products, (density, weight) in workers.map(in_block, range(self.core.block_count)):
            sums += own_sums
            products += own_products
            log_likelihood += density
            impossible += weight
        return Expected(self._moments(sums, products), log_likelihood, impossible)

    def _moments(self, sums: Floats, products: Floats) -> Moments:
        """From sums, and the lower halves of sums of products, to deviations from the means."""
        families, weight = self.families, self.core.family_weights
        widths = np.diff(families.offsets)
        mean = sums / np.repeat(np.where(weight > 0, weight, 1.0), widths)
        row, column, mirrored = entry_indices(families)
        whole = np.where(row >= column, products, products[mirrored])
        scatter = whole - np.repeat(weight, widths**2) * mean[row] * mean[column]
        return Moments(families, mean, np.zeros(len(mean)), scatter, Coverage.none(families), weight)


def _check_moments(families: Families, limit: int) -> None:
    """Refuse families of which the E-step would hold too many copies of moments."""
    needed = 8 * BLOCKS * int(scatter_offsets(families)[-1])
    if needed > limit:
        what = f"expected moments of {len(families):,} families"
        raise TooLargeError(what, needed, limit, "Leave out parents, or raise max_bytes.")
