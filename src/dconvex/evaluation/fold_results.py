"""What a cross-validation comes to: the scores of each fold, and of all rows together."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import TYPE_CHECKING, final

import numpy as np

from dconvex.amounts import amount
from dconvex.errors import DataError
from dconvex.graph.dag import Dag
from dconvex.inference.discrete_evaluation import Evaluation
from dconvex.inference.gaussian_evaluation import GaussianEvaluation
from dconvex.inference.outcomes import DiscreteOutcomes, GaussianOutcomes, Outcomes
from dconvex.inference.row_likelihood import RowLikelihood
from dconvex.names import Name
from dconvex.shown import Shown

if TYPE_CHECKING:
    import pandas as pd


TITLES = {"auc": "AUC", "rmse": "RMSE", "mae": "MAE", "brier_score": "Brier score"}
"""How scores are printed, where not by their names."""


@final
@dataclass(frozen=True, slots=True, eq=False)
class FoldResult:
    """What came of a fold, with the rows of which nothing was learned."""

    number: int
    trained: int
    """The rows that the model was learned from."""
    tested: int
    """The rows of the fold."""
    dag: Dag
    found: Outcomes | RowLikelihood

    def scores(self, bins: int) -> dict[str, float]:
        """The scores by name; none where no row of the fold counts."""
        if isinstance(self.found, RowLikelihood):
            return {"log_likelihood": self.found.mean}
        return self.found.evaluation(bins).scores if self.found.weight > 0 else {}


@final
@dataclass(frozen=True, slots=True, repr=False)
class FoldScores:
    """The scores of a fold by name: how well a model learned from all other folds does."""

    number: int
    trained: int
    """The rows that the model was learned from."""
    tested: int
    """The rows of the fold."""
    dag: Dag
    """The graph of the model."""
    scores: dict[str, float]

    def __repr__(self) -> str:
        scores = ", ".join(f"{name} {value:.6g}" for name, value in self.scores.items())
        return f"FoldScores({self.number}: {scores})"


@final
@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CrossValidation(Shown):
    """How well a way of learning does for rows that it has not seen: `cross_validate` makes one.

    It iterates over the `FoldScores` of its folds. Its picture is that of all rows together.
    """

    target: Name | None
    seed: int
    folds: tuple[FoldScores, ...]
    pooled: Evaluation | GaussianEvaluation | RowLikelihood
    """All rows together, each predicted by the model of its fold; without a target their log-likelihood."""
    is_learned: bool
    """Whether each fold learned a graph of its own."""

    @property
    def scores(self) -> dict[str, float]:
        """Those of all rows together, by name."""
        if isinstance(self.pooled, RowLikelihood):
            return {"log_likelihood": self.pooled.mean}
        return self.pooled.scores

    @property
    def means(self) -> dict[str, float]:
        """The mean of each score over the folds."""
        return {name: float(np.mean(values)) for name, values in self._columns().items()}

    @property
    def deviations(self) -> dict[str, float]:
        """The standard deviation of each score over the folds (with one degree of freedom less)."""
        with np.errstate(invalid="ignore"):  # of an infinite score
            return {name: float(np.std(values, ddof=1)) for name, values in self._columns().items()}

    @property
    def edge_counts(self) -> dict[tuple[Name, Name], int]:
        """For each edge, the number of folds whose graph has it; the most frequent first."""
        counts = Counter(edge for fold in self.folds for edge in fold.dag.edges)
        order = {edge: number for number, edge in enumerate(counts)}
        return dict(sorted(counts.items(), key=lambda one: (-one[1], order[one[0]])))

    def _columns(self) -> dict[str, list[float]]:
        """For each score its value in each fold, NaN where no row of the fold counts."""
        return {name: [fold.scores.get(name, math.nan) for fold in self.folds] for name in self.scores}

    def __iter__(self) -> Iterator[FoldScores]:
        return iter(self.folds)

    def __len__(self) -> int:
        return len(self.folds)

    def to_frame(self) -> pd.DataFrame:
        """The scores as a pandas DataFrame.

        Returns:
            A frame with a row for each fold.

        """
        import pandas as pd

        sizes = {"trained": [fold.trained for fold in self.folds], "tested": [fold.tested for fold in self.folds]}
        index = pd.RangeIndex(len(self.folds), name="fold")
        return pd.DataFrame({**sizes, **self._columns(), "edges": [len(fold.dag.edges) for fold in self.folds]}, index=index)

    def __repr__(self) -> str:
        rows = sum(fold.tested for fold in self.folds)
        what = "" if self.target is None else f" of {self.target}"
        lines = [f"Cross-validation{what} in {len(self)} folds of {amount(rows, 'row')}"]
        lines.append("                    together  mean of folds")
        means, deviations = self.means, self.deviations
        for name, value in self.scores.items():
            if not (math.isnan(value) and name == "log_likelihood"):
                title = TITLES.get(name, name.replace("_", " "))
                error = f" ± {deviations[name]:.2g}" if math.isfinite(deviations[name]) else ""
                lines.append(f"  {title:<14}  {value:>10.5g}  {means[name]:.5g}{error}")
        return "\n".join([*lines, *self.notes()])

    def notes(self) -> list[str]:
        """What to know about the rows and the graphs."""
        pooled = self.pooled
        lines = [] if isinstance(pooled, RowLikelihood) else pooled.notes()
        likelihood = pooled if isinstance(pooled, RowLikelihood) else pooled.likelihood
        if likelihood is not None and likelihood.impossible:
            zero = amount(likelihood.impossible, "whole row has", "whole rows have")
            lines.append(f"  {zero} probability zero; pass a prior")
        counts = self.edge_counts if self.is_learned else {}
        if counts:
            always = sum(count == len(self) for count in counts.values())
            lines.append(f"  of {amount(len(counts), 'edge')} in any of the graphs {always:,} are in all of them")
        return lines


def cross_validation_of(
    target: Name | None, seed: int, results: Sequence[FoldResult], bins: int, *, is_learned: bool
) -> CrossValidation:
    """The scores of these folds.

    Raises:
        DataError: The states of the target differ between folds.
    """
    own = [FoldScores(one.number, one.trained, one.tested, one.dag, one.scores(bins)) for one in results]
    return CrossValidation(target, seed, tuple(own), _pooled([one.found for one in results], bins), is_learned)


def _pooled(found: Sequence[Outcomes | RowLikelihood], bins: int) -> Evaluation | GaussianEvaluation | RowLikelihood:
    first = found[0]
    if isinstance(first, RowLikelihood):
        return reduce(add, (one for one in found if isinstance(one, RowLikelihood)))
    if isinstance(first, GaussianOutcomes):
        return reduce(add, (one for one in found if isinstance(one, GaussianOutcomes))).evaluation(bins)
    each = [one for one in found if isinstance(one, DiscreteOutcomes)]
    if any(one.states != first.states for one in each):
        raise DataError(f"the states of {first.target!r} differ between folds; make them from all rows, not fold by fold")
    return reduce(add, each).evaluation(bins)
