"""Questions to a model about rows of a table."""

from __future__ import annotations

import operator
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from dconvex.arrays import Floats
from dconvex.inference.base_model import BaseModel, Seed
from dconvex.inference.engine import EvidenceLike
from dconvex.inference.evidence import Soft
from dconvex.inference.partitions import predicted, predicted_probabilities
from dconvex.inference.prediction import Impossible, PredictionRequest, Unknown
from dconvex.names import Name
from dconvex.threads import thread_count

if TYPE_CHECKING:
    import pandas as pd


class RowQuestions(BaseModel):
    """Rows to draw, to weigh and to complete."""

    def sample(
        self,
        n: int,
        evidence: EvidenceLike = None,
        *,
        soft: Soft | None = None,
        seed: Seed = None,
        max_bytes: float | None = None,
        n_jobs: int | None = None,
    ) -> pd.DataFrame:
        """Draw independent rows of all variables given the evidence, exactly.

        Args:
            n: How many rows.
            evidence: A label by variable, or a set of labels where one of several was seen; a number in a Gaussian model.
            soft: Likelihoods by variable: `{label: likelihood}`, or numbers in the order of the states.
            seed: A seed, or a generator.
            max_bytes: The most memory that the question may take; None: the model's own limit.
            n_jobs: The number of threads, -1 and None: one for each core. The rows are the same, bit for bit. Ancestors of the
                evidence, and the rows of a Gaussian model, are drawn by one thread.

        Returns:
            A pandas DataFrame with a column for each variable.

        Raises:
            UnknownVariableError: The model does not have a variable.
            UnknownStateError: A variable does not have a state.
            ImpossibleEvidenceError: The evidence has probability zero; the error names a part that is impossible already.
            TooLargeError: The question would take more memory than allowed; nothing has been allocated.
            ValueError: `n` is negative, `n_jobs` is 0, or the model was learned `for_query=` some variables only.

        """
        if n < 0:
            raise ValueError(f"cannot draw {n} rows")
        thread_count(n_jobs)  # it refuses 0
        request = self._request((), evidence, soft, max_bytes)
        return self._engine.sample(request, operator.index(n), np.random.default_rng(seed), self.network(), n_jobs)

    def log_likelihood(self, data: Any) -> Floats:
        """The logarithm of the probability (or density) of each row of a table.

        Args:
            data: A data frame with a column for every variable.

        Returns:
            One number for each row; -inf for an impossible one.

        Raises:
            DataError: A column or a cell is missing.
            UnknownStateError: A variable does not have a state.

        """
        return self.network().log_likelihood(data)

    def predict(
        self,
        data: Any,
        target: Name | Iterable[Name],
        *,
        impossible: Impossible = "raise",
        unknown: Unknown = "raise",
        max_bytes: float | None = None,
        n_jobs: int | None = None,
    ) -> Any:
        """The most probable state (or the mean) of each target for each row.

        Args:
            data: A data frame, also of Dask. Columns of targets are ignored; absent columns and missing cells count as not
                observed.
            target: The variables to predict, or one of them.
            impossible: What becomes of rows of probability zero: an error, or cells without a value.
            unknown: What becomes of labels that the model does not have: an error, or missing cells.
            max_bytes: The most memory that the question may take; None: the model's own limit.
            n_jobs: The number of threads, -1 and None: one for each core. The answers are the same, bit for bit.

        Returns:
            A frame of the caller's own kind with a column for each target.

        Raises:
            UnknownVariableError: The model does not have a variable.
            UnknownStateError: A variable does not have a state.
            ImpossibleEvidenceError: The evidence has probability zero; the error names a part that is impossible already.
            TooLargeError: The question would take more memory than allowed; nothing has been allocated.
            DataError: A column cannot be read.
            ValueError: `impossible` or `unknown` is none of the above, or a target is named twice.

        """
        request = PredictionRequest(self._indices(target), impossible, unknown, self._limit(max_bytes), n_jobs)
        return predicted(self._engine, self.dag.nodes, data, request)

    def predict_proba(
        self,
        data: Any,
        target: Name | Iterable[Name],
        *,
        impossible: Impossible = "raise",
        unknown: Unknown = "raise",
        max_bytes: float | None = None,
        n_jobs: int | None = None,
    ) -> dict[Name, Floats]:
        """The probabilities of the states of each target for each row.

        Args:
            data: A data frame, as for `predict`.
            target: The variables to predict, or one of them.
            impossible: What becomes of rows of probability zero: an error, or rows of NaN.
            unknown: What becomes of labels that the model does not have: an error, or missing cells.
            max_bytes: The most memory that the question may take; None: the model's own limit.
            n_jobs: The number of threads, -1 and None: one for each core. The answers are the same, bit for bit.

        Returns:
            For each target an array with a row for each row of the data, along the target's states.

        Raises:
            UnknownVariableError: The model does not have a variable.
            UnknownStateError: A variable does not have a state.
            ImpossibleEvidenceError: The evidence has probability zero; the error names a part that is impossible already.
            TooLargeError: The question would take more memory than allowed; nothing has been allocated.
            DataError: A column cannot be read.
            ValueError: The model is Gaussian, `impossible` or `unknown` is none of the above, or a target is named twice.

        """
        request = PredictionRequest(self._indices(target), impossible, unknown, self._limit(max_bytes), n_jobs)
        return predicted_probabilities(self._engine, self.dag.nodes, data, request)
