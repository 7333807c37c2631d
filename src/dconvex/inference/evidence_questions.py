"""Questions to a model about variables given evidence."""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable
from typing import Any, Literal

import numpy as np

from dconvex.errors import ImpossibleEvidenceError
from dconvex.inference.base_model import BaseModel, Seed
from dconvex.inference.engine import Answer, EvidenceLike
from dconvex.inference.evidence import Soft
from dconvex.inference.query_plan import QueryPlan
from dconvex.inference.request import EFFORT, Slicing, effort_of
from dconvex.names import Name
from dconvex.threads import thread_count


class EvidenceQuestions(BaseModel):
    """What is probable given what is known."""

    def query(
        self,
        variables: Name | Iterable[Name],
        evidence: EvidenceLike = None,
        *,
        soft: Soft | None = None,
        method: Literal["exact", "sampling"] = "exact",
        max_bytes: float | None = None,
        assume_possible: bool = False,
        samples: int = 10_000,
        seed: Seed = None,
        effort: float | None = EFFORT,
        progress: bool = False,
    ) -> Answer:
        """P(variables | evidence), the joint distribution of some variables.

        Args:
            variables: The variables, or one of them.
            evidence: A label by variable, or a set of labels where one of several was seen; a number in a Gaussian model.
            soft: Likelihoods by variable: `{label: likelihood}`, or numbers in the order of the states.
            method: `"exact"`, or `"sampling"` for an estimate with standard errors, of what is too large to compute. A Gaussian
                model always answers exactly.
            max_bytes: The most memory that the question may take; None: the model's own limit.
            assume_possible: Leave evidence that cannot matter for the answer unchecked.
            samples: How many samples an estimate is made from.
            seed: The seed of an estimate, or a generator.
            effort: Where the question does not fit into `max_bytes` it is cut into slices, which are answered one by one, and
                this is the most multiplications that they may take together; None: any number, 0: no slices.
            progress: Show how many slices are done if it takes more than a second.

        Returns:
            A `Distribution` with an axis for each variable in the order asked, or a `GaussianDistribution`.

        Raises:
            UnknownVariableError: The model does not have a variable.
            UnknownStateError: A variable does not have a state.
            ImpossibleEvidenceError: The evidence has probability zero; the error names a part that is impossible already.
            TooLargeError: It would take more memory than allowed, or more effort in slices; nothing has been allocated.
            ValueError: A variable is named twice, or the method is unknown.

        """
        if method == "exact" and soft is None:
            limit = self.max_bytes if max_bytes is None else max_bytes
            answer = self._engine.queries.ask(variables, evidence, limit, assume_possible)
            if answer is not None:
                return answer
        slicing = Slicing(effort_of(effort), None, progress)
        request = self._request(variables, evidence, soft, max_bytes, assume_possible, slicing)
        if method == "exact":
            return self._engine.query(request)
        if method == "sampling":
            return self._engine.estimate(request, operator.index(samples), np.random.default_rng(seed))
        raise ValueError(f"unknown method {method!r}; there are 'exact' and 'sampling'")

    def marginals(
        self,
        evidence: EvidenceLike = None,
        *,
        soft: Soft | None = None,
        variables: Name | Iterable[Name] | None = None,
        max_bytes: float | None = None,
        assume_possible: bool = False,
        n_jobs: int | None = None,
        effort: float | None = EFFORT,
        progress: bool = False,
    ) -> dict[Name, Answer]:
        """P(v | evidence) for each variable v.

        Args:
            evidence: A label by variable, or a set of labels where one of several was seen; a number in a Gaussian model.
            soft: Likelihoods by variable: `{label: likelihood}`, or numbers in the order of the states.
            variables: The variables; None: all of them.
            max_bytes: The most memory that the question may take; None: the model's own limit.
            assume_possible: Leave evidence that cannot matter for the answer unchecked.
            n_jobs: The number of threads, -1 and None: one for each core. The answers are the same, bit for bit. They share
                what takes long: plans for one variable each, or large tables of a plan for all, or slices.
            effort: Where the question does not fit into `max_bytes` it is cut into slices, which are answered one by one, and
                this is the most multiplications that they may take together; None: any number, 0: no slices.
            progress: Show how many slices are done if it takes more than a second.

        Returns:
            The distribution of each variable, by name.

        Raises:
            UnknownVariableError: The model does not have a variable.
            UnknownStateError: A variable does not have a state.
            ImpossibleEvidenceError: The evidence has probability zero; the error names a part that is impossible already.
            TooLargeError: It would take more memory than allowed, or more effort in slices; nothing has been allocated.
            ValueError: A variable is named twice, or `n_jobs` is 0.

        """
        jobs = thread_count(n_jobs)
        if variables is None and soft is None:
            limit = self.max_bytes if max_bytes is None else max_bytes
            found = self._engine.queries.ask_marginals(evidence, limit, assume_possible, jobs)
            if found is not None:
                return found
        slicing = Slicing(effort_of(effort), n_jobs, progress)
        request = self._request(variables, evidence, soft, max_bytes, assume_possible, slicing)
        return {**self._engine.marginals(request, n_jobs)}

    def most_probable(
        self,
        variables: Name | Iterable[Name] | None = None,
        evidence: EvidenceLike = None,
        *,
        soft: Soft | None = None,
        max_bytes: float | None = None,
        assume_possible: bool = False,
        effort: float | None = EFFORT,
        progress: bool = False,
    ) -> tuple[dict[Name, Any], float]:
        """The most probable joint state of some variables, summed over all others (marginal MAP, exact).

        Args:
            variables: The variables; None: all that are not observed.
            evidence: A label by variable, or a set of labels where one of several was seen; a number in a Gaussian model.
            soft: Likelihoods by variable: `{label: likelihood}`, or numbers in the order of the states.
            max_bytes: The most memory that the question may take; None: the model's own limit.
            assume_possible: Leave evidence that cannot matter for the answer unchecked.
            effort: Where the question does not fit into `max_bytes` it is cut into slices, which are answered one by one, and
                this is the most multiplications that they may take together; None: any number, 0: no slices.
            progress: Show how many slices are done if it takes more than a second.

        Returns:
            The state (or number) of each variable, and the logarithm of their probability (or density) given the evidence.

        Raises:
            UnknownVariableError: The model does not have a variable.
            UnknownStateError: A variable does not have a state.
            ImpossibleEvidenceError: The evidence has probability zero; the error names a part that is impossible already.
            TooLargeError: It would take more memory than allowed, or more effort in slices; nothing has been allocated.
            ValueError: A variable is named twice.

        """
        slicing = Slicing(effort_of(effort), None, progress)
        request = self._request(variables, evidence, soft, max_bytes, assume_possible, slicing)
        if variables is None:
            found, log_probability = self._engine.most_probable_of_all(request._replace(variables=request.targets))
        else:
            found, log_probability = self._engine.most_probable(request)
        return {**found}, log_probability

    def log_evidence(
        self,
        evidence: EvidenceLike = None,
        *,
        soft: Soft | None = None,
        max_bytes: float | None = None,
        effort: float | None = EFFORT,
        progress: bool = False,
    ) -> float:
        """The logarithm of the probability (or density) of the evidence.

        Args:
            evidence: A label by variable, or a set of labels where one of several was seen; a number in a Gaussian model.
            soft: Likelihoods by variable: `{label: likelihood}`, or numbers in the order of the states.
            max_bytes: The most memory that the question may take; None: the model's own limit.
            effort: Where the question does not fit into `max_bytes` it is cut into slices, which are answered one by one, and
                this is the most multiplications that they may take together; None: any number, 0: no slices.
            progress: Show how many slices are done if it takes more than a second.

        Returns:
            The logarithm; -inf where the evidence is impossible.

        Raises:
            UnknownVariableError: The model does not have a variable.
            UnknownStateError: A variable does not have a state.
            TooLargeError: It would take more memory than allowed, or more effort in slices; nothing has been allocated.

        """
        try:
            request = self._request((), evidence, soft, max_bytes, slicing=Slicing(effort_of(effort), None, progress))
        except ImpossibleEvidenceError:  # an empty set of states
            return -math.inf
        return self._engine.log_evidence(request)

    def explain(
        self,
        variables: Name | Iterable[Name],
        evidence: EvidenceLike = None,
        *,
        soft: Soft | None = None,
        max_bytes: float | None = None,
        assume_possible: bool = False,
        effort: float | None = EFFORT,
    ) -> QueryPlan:
        """The plan that `query` executes: which clusters answer, what is dropped, the order, memory and multiplications.

        Args:
            variables: The variables, or one of them.
            evidence: A label by variable, or a set of labels where one of several was seen; a number in a Gaussian model.
            soft: Likelihoods by variable: `{label: likelihood}`, or numbers in the order of the states.
            max_bytes: The most memory that the question may take; None: the model's own limit.
            assume_possible: Leave evidence that cannot matter for the answer unchecked.
            effort: Where the question does not fit into `max_bytes` it is cut into slices, which are answered one by one, and
                this is the most multiplications that they may take together; None: any number, 0: no slices.

        Returns:
            The plan, to be printed or looked at.

        Raises:
            UnknownVariableError: The model does not have a variable.
            UnknownStateError: A variable does not have a state.
            TooLargeError: The question would take more memory than allowed, or more effort in slices.
            ValueError: A variable is named twice.

        """
        slicing = Slicing(effort_of(effort))
        return self._engine.explain(self._request(variables, evidence, soft, max_bytes, assume_possible, slicing))
