"""Markov networks: products of functions, answered as a Bayesian network.

Each function f becomes a binary child c of its variables, P(c = 1 | scope) = f / max f, and c = 1 is observed; the first
function of a single variable is that variable's prior, up to a factor. Then P(variables, all c = 1) is the product of all
functions up to a constant that is known, so that every question about the product is one about this network.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import final

import numpy as np

from dconvex.amounts import amount
from dconvex.arrays import Floats
from dconvex.errors import ImpossibleEvidenceError, NetworkError
from dconvex.formats.text_files import read_text
from dconvex.formats.uai import read_functions
from dconvex.graph.dag import Dag
from dconvex.inference.distribution import Distribution
from dconvex.inference.model import LocalModel, localize
from dconvex.inference.request import EFFORT
from dconvex.names import Label, Name
from dconvex.network.network import BayesianNetwork


def read_markov(path: str | os.PathLike[str]) -> MarkovNetwork:
    """Read a Markov network from a UAI file.

    Args:
        path: The file, of type MARKOV or BAYES; it may end in `.gz`.

    Returns:
        The network. Its variables are 0, 1, 2, …, and so are their states.

    Raises:
        FormatError: The file is not valid; the message has the file, the line and the column.
        OSError: The file cannot be opened.

    """
    source = Path(path)
    found = read_functions(read_text(source), str(source))
    return MarkovNetwork(found.sizes, found.scopes, found.tables)


@final
class MarkovNetwork:
    """A distribution proportional to a product of functions.

    >>> agree = [[2.0, 1.0], [1.0, 2.0]]
    >>> markov = MarkovNetwork([2, 2, 2], [(0, 1), (1, 2)], [agree, agree])
    >>> markov
    MarkovNetwork(3 variables, 2 functions)
    >>> round(math.exp(markov.log_partition()), 9)
    18.0
    >>> markov.marginals({0: 1})[2]
    P(2 | 0 = 1)
      0  0.444444
      1  0.555556

    Args:
        sizes: For each variable 0, 1, 2, … the number of its states.
        scopes: For each function its variables.
        tables: For each function an array with an axis for each variable of its scope; no number is negative.

    Raises:
        NetworkError: A table does not fit its scope, or has a value that is negative or not finite.
    """

    def __init__(self, sizes: Sequence[int], scopes: Iterable[Sequence[int]], tables: Iterable[object]) -> None:
        self.sizes = tuple(sizes)
        self.scopes = tuple(map(tuple, scopes))
        self.tables = tuple(np.array(table, np.float64) for table in tables)
        for scope, table in zip(self.scopes, self.tables, strict=True):
            self._check(scope, table)
        self._model, self._seen, self._log_scale = _as_model(self.sizes, self.scopes, self.tables)

    def _check(self, scope: tuple[int, ...], table: Floats) -> None:
        known = len(set(scope)) == len(scope) and all(0 <= variable < len(self.sizes) for variable in scope)
        if not known or table.shape != tuple(self.sizes[variable] for variable in scope):
            raise NetworkError(f"the function of {scope} has a table of shape {table.shape}, which does not fit its variables")
        if not np.isfinite(table).all() or (table < 0).any():
            raise NetworkError(f"the function of {scope} has a value that is negative or not finite")

    def log_partition(
        self,
        evidence: Mapping[Name, Label] | None = None,
        *,
        max_bytes: float | None = None,
        effort: float | None = EFFORT,
        progress: bool = False,
    ) -> float:
        """The logarithm of the sum of the product over all states that agree with the evidence.

        Args:
            evidence: A state by variable.
            max_bytes: The most memory that the question may take; None: half of what there is.
            effort: The most multiplications of a question that is cut into slices because it does not fit; None: any number,
                0: no slices.
            progress: Show how many slices are done if it takes more than a second.

        Returns:
            The natural logarithm; -inf where nothing is possible.

        Raises:
            UnknownVariableError: There is no such variable.
            UnknownStateError: A variable does not have a state.
            TooLargeError: It would take more memory than allowed, or more effort in slices; nothing has been allocated.

        """
        try:
            return (
                float(self._model.log_evidence(self._all(evidence), max_bytes=max_bytes, effort=effort, progress=progress))
                + self._log_scale
            )
        except ImpossibleEvidenceError:
            return -math.inf

    def marginals(
        self,
        evidence: Mapping[Name, Label] | None = None,
        *,
        max_bytes: float | None = None,
        effort: float | None = EFFORT,
        n_jobs: int | None = None,
        progress: bool = False,
    ) -> dict[Name, Distribution]:
        """The distribution of each variable given the evidence.

        Args:
            evidence: A state by variable.
            max_bytes: The most memory that the question may take; None: half of what there is.
            effort: The most multiplications of a question that is cut into slices because it does not fit; None: any number,
                0: no slices.
            n_jobs: The number of threads, -1 and None: one for each core.
            progress: Show how many slices are done if it takes more than a second.

        Returns:
            The distributions by variable.

        Raises:
            UnknownVariableError: There is no such variable.
            UnknownStateError: A variable does not have a state.
            ImpossibleEvidenceError: Nothing is possible.
            TooLargeError: It would take more memory than allowed, or more effort in slices; nothing has been allocated.

        """
        found = self._model.marginals(
            self._all(evidence),
            variables=range(len(self.sizes)),
            max_bytes=max_bytes,
            effort=effort,
            n_jobs=n_jobs,
            progress=progress,
        )
        return {name: _given(answer, evidence or {}) for name, answer in found.items() if isinstance(answer, Distribution)}

    def most_probable(
        self,
        evidence: Mapping[Name, Label] | None = None,
        *,
        max_bytes: float | None = None,
        effort: float | None = EFFORT,
        progress: bool = False,
    ) -> tuple[dict[Name, Label], float]:
        """The states of all variables that maximise the product, given the evidence.

        Args:
            evidence: A state by variable.
            max_bytes: The most memory that the question may take; None: half of what there is.
            effort: The most multiplications of a question that is cut into slices because it does not fit; None: any number,
                0: no slices.
            progress: Show how many slices are done if it takes more than a second.

        Returns:
            The state of each variable that is not observed, and the logarithm of their probability given the evidence.

        Raises:
            UnknownVariableError: There is no such variable.
            UnknownStateError: A variable does not have a state.
            ImpossibleEvidenceError: Nothing is possible.
            TooLargeError: It would take more memory than allowed, or more effort in slices; nothing has been allocated.

        """
        return self._model.most_probable(evidence=self._all(evidence), max_bytes=max_bytes, effort=effort, progress=progress)

    def _all(self, evidence: Mapping[Name, Label] | None) -> dict[Name, Label]:
        return {**(evidence or {}), **self._seen}

    def __len__(self) -> int:
        return len(self.sizes)

    def __repr__(self) -> str:
        return f"MarkovNetwork({amount(len(self.sizes), 'variable')}, {amount(len(self.scopes), 'function')})"


def _given(answer: Distribution, evidence: Mapping[Name, Label]) -> Distribution:
    """The answer without the functions among what is known."""
    known = {name: value for name, value in answer.evidence.items() if name in evidence}
    return Distribution(answer.variables, answer.labels, answer.values, evidence=known)


def _as_model(
    sizes: Sequence[int], scopes: Sequence[tuple[int, ...]], tables: Sequence[Floats]
) -> tuple[LocalModel, dict[Name, Label], float]:
    """The Bayesian network, what is observed in it, and the logarithm of the constant."""
    parents: dict[Name, Sequence[Name]] = dict.fromkeys(range(len(sizes)), ())
    own: dict[Name, Floats] = {}
    states: dict[Name, Iterable[Label]] = {variable: range(size) for variable, size in enumerate(sizes)}
    seen: dict[Name, Label] = {}
    log_scale = 0.0
    for number, (scope, table) in enumerate(zip(scopes, tables, strict=True)):
        largest = float(table.max()) or 1.0  # a function that is zero everywhere is an impossible observation
        log_scale += math.log(largest)
        if len(scope) == 1 and scope[0] not in own and table.any():
            total = (table / largest).sum()
            own[scope[0]] = table / largest / total
            log_scale += math.log(total)
            continue
        name = f"function {number}"
        parents[name], states[name], seen[name] = scope, (0, 1), 1
        scaled = table / largest
        own[name] = np.stack([1 - scaled, scaled], axis=-1)
    for variable, size in enumerate(sizes):
        if variable not in own:
            own[variable] = np.full(size, 1 / size)
            log_scale += math.log(size)
    dag = Dag.from_parents(parents)
    return localize(BayesianNetwork.discrete(dag, own, states)), seen, log_scale
