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
from dconvex.inference.partitions import predicted, predicted_probabilities, probability_frames
from dconvex.inference.prediction import Impossible, PredictionRequest, Unknown
from dconvex.names import Name
from dconvex.network.frame_columns import Columns
from dconvex.threads import thread_count

if TYPE_CHECKING:
    import pandas as pd

    from dconvex.inference.discrete_evaluation import Evaluation
    from dconvex.inference.gaussian_evaluation import GaussianEvaluation


class RowQuestions(BaseModel):
    """Rows to draw, to weigh, to complete and to judge by."""

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

    def log_likelihood(self, data: Any, *, max_bytes: float | None = None, n_jobs: int | None = None) -> Floats:
        """The logarithm of the probability (or density) of each row of a table; of one with gaps that of what is there.

        Args:
            data: A data frame with a column for every variable.
            max_bytes: The most memory that the missing cells of a row may take; None: the model's own limit.
            n_jobs: The number of threads, -1 and None: one for each core. The numbers are the same, bit for bit.

        Returns:
            One number for each row; -inf for an impossible one.

        Raises:
            DataError: A column is missing, or a cell is not a finite number.
            UnknownStateError: A variable does not have a state.
            TooLargeError: The missing cells of a row take more memory than allowed; the error names them.
            ValueError: The model was learned `for_query=` some variables only, or `n_jobs` is 0.

        """
        network, columns = self.network(), Columns(data, self.dag.nodes)
        return network.parameters.log_likelihood(network.dag, columns, self._limit(max_bytes), n_jobs)

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
        as_frame: bool = False,
    ) -> dict[Name, Any]:
        """The probabilities of the states of each target for each row.

        Args:
            data: A data frame, as for `predict`.
            target: The variables to predict, or one of them.
            impossible: What becomes of rows of probability zero: an error, or rows of NaN.
            unknown: What becomes of labels that the model does not have: an error, or missing cells.
            max_bytes: The most memory that the question may take; None: the model's own limit.
            n_jobs: The number of threads, -1 and None: one for each core. The answers are the same, bit for bit.
            as_frame: Frames of the caller's own kind instead of arrays, with a column for each state, indexed like the data.

        Returns:
            For each target an array (or a frame) with a row for each row of the data, along the target's states.

        Raises:
            UnknownVariableError: The model does not have a variable.
            UnknownStateError: A variable does not have a state.
            ImpossibleEvidenceError: The evidence has probability zero; the error names a part that is impossible already.
            TooLargeError: The question would take more memory than allowed; nothing has been allocated.
            DataError: A column cannot be read.
            ValueError: The model is Gaussian, `impossible` or `unknown` is none of the above, or a target is named twice.

        """
        request = PredictionRequest(self._indices(target), impossible, unknown, self._limit(max_bytes), n_jobs)
        ask = probability_frames if as_frame else predicted_probabilities
        return ask(self._engine, self.dag.nodes, data, request)

    def evaluate(
        self,
        data: object,
        target: Name,
        *,
        weights: Name | None = None,
        bins: int = 10,
        impossible: Impossible = "raise",
        unknown: Unknown = "raise",
        max_bytes: float | None = None,
        n_jobs: int | None = None,
    ) -> Evaluation | GaussianEvaluation:
        """How well the target is predicted from the other columns of a table, which the model should not have been fitted to.

        Args:
            data: A data frame with a column for the target; otherwise as for `predict`. Rows without a target do not count.
            target: The variable to predict.
            weights: The column of the rows' weights; None: all weigh the same.
            bins: The number of bins of the calibration curve.
            impossible: What becomes of rows of probability zero: an error, or they do not count.
            unknown: What becomes of labels that the model does not have: an error, or missing cells.
            max_bytes: The most memory that the question may take; None: the model's own limit.
            n_jobs: The number of threads, -1 and None: one for each core. The result is the same, bit for bit.

        Returns:
            For a discrete target an `Evaluation`: accuracy, log loss, Brier score, AUC, calibration and confusion. For a
            continuous one a `GaussianEvaluation`: RMSE, mean absolute error, log-density and coverage.

        Raises:
            UnknownVariableError: The model does not have the target.
            UnknownStateError: A variable does not have a state.
            ImpossibleEvidenceError: The evidence has probability zero; the error names a part that is impossible already.
            TooLargeError: The question would take more memory than allowed; nothing has been allocated.
            DataError: A column cannot be read, or no row has a target and a weight.
            ValueError: `impossible` or `unknown` is none of the above, `bins` is below 1, there are several targets, or
                `weights` is a variable of the model.

        >>> import dconvex as dc
        >>> network = dc.load_network("asia")
        >>> model = dc.fit(network, network.sample(5_000, seed=1), prior=dc.BDeu(1))
        >>> print(model.evaluate(network.sample(2_000, seed=2), "bronc"))  # doctest: +ELLIPSIS
        Evaluation of bronc on 2,000 rows
          accuracy        0.8...
        """
        from dconvex.inference.evaluating import outcomes_of  # few programs need it

        if operator.index(bins) < 1:
            raise ValueError(f"bins must be at least 1, not {bins}")
        policy = PredictionRequest((), impossible, unknown, self._limit(max_bytes), n_jobs).checked()
        return outcomes_of(self, data, target, weights, policy).evaluation(bins)
