"""Evidence as a model takes it: states that were seen, and likelihoods of states."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dconvex.errors import ImpossibleEvidenceError, UnknownStateError
from dconvex.graph.dag import Dag
from dconvex.inference.tables import NO_LIKELIHOODS, Likelihoods
from dconvex.names import Label, Name, check_mapping

Floats: TypeAlias = NDArray[np.float64]
Soft: TypeAlias = Mapping[Name, Mapping[Label, float] | ArrayLike]


@dataclass(frozen=True, slots=True)
class Evidence:
    """Places of the observed variables with the codes of their states, and likelihoods of others, scaled to a maximum of one.

    `log_scale` is the logarithm of what the likelihoods were divided by.
    """

    observed: tuple[int, ...] = ()
    codes: tuple[int, ...] = ()
    likely: tuple[int, ...] = ()
    likelihoods: tuple[Floats, ...] = ()
    log_scale: float = 0.0

    def only(self, places: set[int]) -> Evidence:
        """The evidence on these variables."""
        hard = [(place, code) for place, code in zip(self.observed, self.codes, strict=True) if place in places]
        soft = [(place, own) for place, own in zip(self.likely, self.likelihoods, strict=True) if place in places]
        return Evidence(
            tuple(place for place, _ in hard),
            tuple(code for _, code in hard),
            tuple(place for place, _ in soft),
            tuple(own for _, own in soft),
        )

    def with_states(self, places: tuple[int, ...], codes: tuple[int, ...]) -> Evidence:
        """With these states too, which it must allow; likelihoods of variables that are seen now become numbers."""
        seen = dict(zip(places, codes, strict=True))
        soft = list(zip(self.likely, self.likelihoods, strict=True))
        scale = sum(float(np.log(own[seen[place]])) for place, own in soft if place in seen)
        left = [(place, own) for place, own in soft if place not in seen]
        return Evidence(
            (*self.observed, *places),
            (*self.codes, *codes),
            tuple(place for place, _ in left),
            tuple(own for _, own in left),
            self.log_scale + scale,
        )

    def said(self, labels: Sequence[tuple[Label, ...]]) -> dict[int, Any]:
        """By variable the label that was seen, or the likelihood of each label that it allows."""
        soft = {
            place: {label: float(number) for label, number in zip(labels[place], own, strict=True) if number > 0}
            for place, own in zip(self.likely, self.likelihoods, strict=True)
        }
        return soft | {place: labels[place][code] for place, code in zip(self.observed, self.codes, strict=True)}

    @property
    def flat(self) -> Likelihoods:
        """The likelihoods in one array, where each begins, and the binary logarithm of its smallest positive number."""
        if not self.likely:
            return NO_LIKELIHOODS
        sizes = [len(own) for own in self.likelihoods]
        at = np.concatenate([[0], np.cumsum(sizes[:-1])]).astype(np.int64)
        floors = np.array([np.log2(own[own > 0].min()) for own in self.likelihoods])
        return np.concatenate(self.likelihoods), at, floors

    def __bool__(self) -> bool:
        return bool(self.observed or self.likely)


NOTHING = Evidence()
SMALLEST_RATIO = 1e-300
"""Likelihoods that differ by less than this factor are scaled to a maximum of one."""


def read_evidence(
    dag: Dag, labels: Sequence[tuple[Label, ...]], evidence: Mapping[Name, Any] | None, soft: Soft | None
) -> Evidence:
    """Check names, states and numbers; a set of labels is a likelihood of ones and zeros, or a state if it has one label."""
    observed: dict[int, int] = {}
    likely: dict[int, Floats] = {}
    check_mapping("evidence", evidence)
    check_mapping("soft", soft)
    for name, value in (evidence or {}).items():
        place = dag.index_of(name)
        if isinstance(value, set | frozenset | list | tuple):
            codes = sorted({_code(name, label, labels[place]) for label in value})
            if not codes:
                raise ImpossibleEvidenceError({name: value})
            if len(codes) == 1:
                observed[place] = codes[0]
            else:
                likely[place] = np.zeros(len(labels[place]))
                likely[place][codes] = 1.0
        else:
            observed[place] = _code(name, value, labels[place])
    log_scale = 0.0
    for name, likelihood in (soft or {}).items():
        place = dag.index_of(name)
        numbers = _likelihood(name, likelihood, labels[place])
        if place in observed:
            numbers = numbers[observed[place] : observed[place] + 1]
        elif place in likely:
            numbers = numbers * likely[place]
        highest = float(numbers.max())
        if highest == 0.0:
            raise ImpossibleEvidenceError({name: likelihood})
        if numbers[numbers > 0].min() / highest < SMALLEST_RATIO:
            highest = 1.0  # divided, the smallest would be lost
        log_scale += float(np.log(highest if place not in observed else numbers[0]))
        if place not in observed:
            likely[place] = numbers / highest
    return Evidence(tuple(observed), tuple(observed.values()), tuple(likely), tuple(likely.values()), log_scale)


def _code(name: Name, label: Any, labels: tuple[Label, ...]) -> int:
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
                numbers[_code(name, label, labels)] = number
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
