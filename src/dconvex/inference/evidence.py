"""Evidence as a model takes it: states that were observed, and likelihoods of states."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dconvex._core import Likelihoods
from dconvex.errors import ImpossibleEvidenceError, UnknownStateError
from dconvex.graph.dag import Dag
from dconvex.names import Label, Name, check_mapping

Floats: TypeAlias = NDArray[np.float64]
Soft: TypeAlias = Mapping[Name, Mapping[Label, float] | ArrayLike]

NO_LIKELIHOODS = Likelihoods()


@dataclass(frozen=True, slots=True)
class Evidence:
    """Observed variables with their states, and likelihoods of others (`soft`), scaled to a maximum of one; all by index.

    `log_scale` is the logarithm of what the likelihoods were divided by.
    """

    observed: tuple[int, ...] = ()
    states: tuple[int, ...] = ()
    soft: tuple[int, ...] = ()
    likelihoods: tuple[Floats, ...] = ()
    log_scale: float = 0.0

    def targets_of(self, variables: tuple[int, ...]) -> tuple[int, ...]:
        """Those of the variables that are not observed; the same tuple if none is."""
        if not self.observed or set(self.observed).isdisjoint(variables):
            return variables
        observed = set(self.observed)
        return tuple([variable for variable in variables if variable not in observed])

    def only(self, variables: set[int]) -> Evidence:
        """The evidence on these variables."""
        hard = [(v, state) for v, state in zip(self.observed, self.states, strict=True) if v in variables]
        soft = [(v, own) for v, own in zip(self.soft, self.likelihoods, strict=True) if v in variables]
        return Evidence(
            tuple(v for v, _ in hard),
            tuple(state for _, state in hard),
            tuple(v for v, _ in soft),
            tuple(own for _, own in soft),
        )

    def with_states(self, variables: tuple[int, ...], states: tuple[int, ...]) -> Evidence:
        """With these states too, which it must allow; likelihoods of variables that are observed now become numbers."""
        state_of = dict(zip(variables, states, strict=True))
        soft = list(zip(self.soft, self.likelihoods, strict=True))
        scale = sum(float(np.log(own[state_of[v]])) for v, own in soft if v in state_of)
        left = [(v, own) for v, own in soft if v not in state_of]
        return Evidence(
            (*self.observed, *variables),
            (*self.states, *states),
            tuple(v for v, _ in left),
            tuple(own for _, own in left),
            self.log_scale + scale,
        )

    def said(self, labels: Sequence[tuple[Label, ...]]) -> dict[int, Any]:
        """By variable the label that was observed, or the likelihood of each label that it allows."""
        soft = {
            v: {label: float(number) for label, number in zip(labels[v], own, strict=True) if number > 0}
            for v, own in zip(self.soft, self.likelihoods, strict=True)
        }
        return soft | {v: labels[v][state] for v, state in zip(self.observed, self.states, strict=True)}

    @property
    def native(self) -> Likelihoods:
        """The likelihoods as the native core takes them."""
        return Likelihoods(self.likelihoods) if self.soft else NO_LIKELIHOODS

    def __bool__(self) -> bool:
        return bool(self.observed or self.soft)


NOTHING = Evidence()
SMALLEST_RATIO = 1e-300
"""Likelihoods that differ by less than this factor are scaled to a maximum of one."""


def read_evidence(
    dag: Dag, labels: Sequence[tuple[Label, ...]], evidence: Mapping[Name, Any] | None, soft: Soft | None
) -> Evidence:
    """Check names, states and numbers; a set of labels is a likelihood of ones and zeros, or a state if it has one label."""
    observed: dict[int, int] = {}
    likelihoods: dict[int, Floats] = {}
    check_mapping("evidence", evidence)
    check_mapping("soft", soft)
    for name, value in (evidence or {}).items():
        variable = dag.index_of(name)
        if isinstance(value, set | frozenset | list | tuple):
            states = sorted({_state(name, label, labels[variable]) for label in value})
            if not states:
                raise ImpossibleEvidenceError({name: value})
            if len(states) == 1:
                observed[variable] = states[0]
            else:
                likelihoods[variable] = np.zeros(len(labels[variable]))
                likelihoods[variable][states] = 1.0
        else:
            observed[variable] = _state(name, value, labels[variable])
    log_scale = 0.0
    for name, likelihood in (soft or {}).items():
        variable = dag.index_of(name)
        numbers = _likelihood(name, likelihood, labels[variable])
        if variable in observed:
            numbers = numbers[observed[variable] : observed[variable] + 1]
        elif variable in likelihoods:
            numbers = numbers * likelihoods[variable]
        highest = float(numbers.max())
        if highest == 0.0:
            raise ImpossibleEvidenceError({name: likelihood})
        if numbers[numbers > 0].min() / highest < SMALLEST_RATIO:
            highest = 1.0  # divided, the smallest would become zero
        log_scale += float(np.log(highest if variable not in observed else numbers[0]))
        if variable not in observed:
            likelihoods[variable] = numbers / highest
    return Evidence(tuple(observed), tuple(observed.values()), tuple(likelihoods), tuple(likelihoods.values()), log_scale)


def _state(name: Name, label: Any, labels: tuple[Label, ...]) -> int:
    try:
        return labels.index(label)
    except (ValueError, TypeError):  # pandas' NA cannot even be compared
        raise UnknownStateError(name, label, labels) from None


def _likelihood(name: Name, likelihood: Any, labels: tuple[Label, ...]) -> Floats:
    """One number for each state, in order."""
    if isinstance(likelihood, Mapping):
        numbers = np.zeros(len(labels))
        for label, number in likelihood.items():
            try:
                numbers[_state(name, label, labels)] = number
            except (TypeError, ValueError):
                raise ValueError(f"the likelihood of {name!r} = {label!r} must be a number, not {number!r}") from None
    else:
        try:
            numbers = np.array(likelihood, np.float64)
        except (TypeError, ValueError):
            raise ValueError(f"the likelihood of {name!r} must be a number for each state, not {likelihood!r}") from None
    if numbers.shape != (len(labels),):
        raise ValueError(f"the likelihood of {name!r} has shape {numbers.shape}; it has {len(labels)} states: {labels!r}")
    if not np.isfinite(numbers).all() or (numbers < 0).any():
        raise ValueError(f"the likelihood of {name!r} must be finite and not negative, not {numbers.tolist()!r}")
    return numbers
