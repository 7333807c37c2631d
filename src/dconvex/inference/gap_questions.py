"""Questions to a model about what the rows of a table do not show."""

from __future__ import annotations

from typing import TypeVar, cast

import numpy as np

from dconvex.inference.base_model import BaseModel
from dconvex.inference.imputation import ImputationRequest, Method, imputed
from dconvex.inference.prediction import Impossible, Unknown
from dconvex.learned import AddedStatistics, RowOptions, learner
from dconvex.names import Name

Frame = TypeVar("Frame")


class GapQuestions(BaseModel):
    """Rows with missing cells."""

    def impute(
        self,
        data: Frame,
        method: Method = "most_probable",
        *,
        impossible: Impossible = "raise",
        unknown: Unknown = "raise",
        seed: int | None = None,
        max_bytes: float | None = None,
        n_jobs: int | None = None,
    ) -> Frame:
        """A table with its missing cells filled in, given all that their rows show.

        The cells of a row are filled in together: what is most probable for one of them alone is what `predict` gives.
        Variables without a column are summed over, other columns stay as they are.

        Args:
            data: A data frame, also of Dask.
            method: `"most_probable"`: the states that are the most probable together, or the expected numbers; `"sample"`:
                states or numbers drawn from their joint distribution; `"mean"`: expected numbers, of a Gaussian model.
            impossible: What becomes of rows of probability zero: an error, or they stay as they are.
            unknown: What becomes of labels that the model does not have: an error, or they are filled in like missing cells.
            seed: That of what is drawn; None: other cells with each call.
            max_bytes: The most memory that the missing cells of a row may take; None: the model's own limit.
            n_jobs: The number of threads, -1 and None: one for each core. The cells are the same, bit for bit.

        Returns:
            A frame of the caller's own kind.

        Raises:
            UnknownStateError: A variable does not have a state.
            ImpossibleEvidenceError: A row has probability zero; the error names a part that is impossible already.
            TooLargeError: The missing cells of a row take more memory than allowed; the error names them.
            DataError: A column cannot be read.
            ValueError: An option is unknown, or the model was learned `for_query=` some variables only.

        >>> import pandas as pd
        >>> import dconvex as dc
        >>> model = dc.localize(dc.load_network("asia"))
        >>> model.impute(pd.DataFrame({"smoke": ["yes", None], "lung": ["yes", "yes"], "bronc": [None, "no"]}))
          smoke lung bronc
        0   yes  yes   yes
        1   yes  yes    no
        """
        sequence = np.random.SeedSequence(seed)
        request = ImputationRequest(method, impossible, unknown, sequence, self._limit(max_bytes), n_jobs)
        return cast("Frame", imputed(self.network(), self._index, data, request))

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
