"""Questions to a model about what the rows of a table do not show."""

from __future__ import annotations

from dconvex.inference.base_model import BaseModel
from dconvex.inference.prediction import Unknown
from dconvex.learned import AddedStatistics, RowOptions, learner
from dconvex.names import Name


class GapQuestions(BaseModel):
    """Rows with missing cells."""

    def expected_statistics(
        self,
        data: object,
        *,
        weights: Name | None = None,
        unknown: Unknown = "raise",
        n_jobs: int | None = None,
        max_bytes: float | None = None,
        progress: bool = False,
    ) -> AddedStatistics:
        """Expected statistics of rows with missing cells, under the parameters of this model: one E-step of EM.

        Where a row shows a family it counts once. Else its configurations count by their probabilities given all that the row
        shows, or all that it shows of the cluster where the model was learned without `coherent=True`. `dc.fit(model.dag,
        statistics, coherent=model.coherent)` is the M-step.

        Args:
            data: Whatever `fit` takes, but for `Statistics`. An absent column is missing in each row.
            weights: The column of the rows' weights.
            unknown: Whether a value that the model does not have raises, or counts as missing.
            n_jobs: The number of threads (None: all cores); it makes no difference to the result.
            max_bytes: The most memory for rows and what comes of them (None: half of what the machine has).
            progress: Show a bar if it takes more than a second.

        Returns:
            `Statistics` with fractions; those of several tables add up.

        Raises:
            DataError: A column cannot be used as it is, or rows are impossible under the model.
            TooLargeError: The rows, or the missing cells of one of them, take more memory than `max_bytes`.
            ValueError: The model is a part of a network, or an option is unknown.

        >>> import dconvex as dc
        >>> model = dc.localize(dc.load_network("asia"))
        >>> rows = dc.load_network("asia").sample(1000, seed=1)
        >>> rows.loc[:499, "lung"] = None
        >>> model.expected_statistics(rows)
        Statistics(discrete, 8 variables, 8 families, 1,000 rows)
        """
        return learner().expected_statistics(self, data, RowOptions(weights, unknown, n_jobs, max_bytes, progress))
