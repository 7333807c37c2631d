"""The states of a variable as data shows them, and their union over several tables."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import numpy as np

from dconvex.arrays import Integers
from dconvex.names import Label, canonical


class Order(Enum):
    """Where the order of states comes from."""

    FOUND = "found"
    """The values that the data shows, sorted."""
    DECLARED = "declared"
    """Categories of a column, or those that the caller gave."""
    MIXED = "mixed"
    """Tables declare different categories, or have values beyond them: all of them, sorted."""


@dataclass(frozen=True, slots=True)
class States:
    """The labels of one variable in order. Their union is associative and commutative."""

    labels: tuple[Label, ...] = ()
    order: Order = Order.FOUND

    @classmethod
    def of(cls, found: list[Label], declared: tuple[Label, ...] | None, *, is_mixed: bool) -> States:
        own = cls(tuple(canonical(found)), Order.MIXED if is_mixed else Order.FOUND)
        return own if declared is None or is_mixed else own | cls(declared, Order.DECLARED)

    def __or__(self, other: States) -> States:
        if self == other:
            return self
        for declared, found in ((self, other), (other, self)):
            is_within = found.order is Order.FOUND and set(found.labels) <= set(declared.labels)
            if declared.order is Order.DECLARED and is_within:
                return declared
        union = tuple(canonical({*self.labels, *other.labels}))
        return States(union, Order.FOUND if self.order is other.order is Order.FOUND else Order.MIXED)

    def is_compatible(self, other: States) -> bool:
        """Whether the labels of both are of one type; where several are declared, whether they share one."""
        mine, theirs = (set(map(type, own.labels)) for own in (self, other))
        return not (mine and theirs) or bool(mine & theirs)

    def codes_in(self, larger: States) -> Integers:
        """The code of each label in a union."""
        code = {label: number for number, label in enumerate(larger.labels)}
        return np.array([code[label] for label in self.labels], np.int64)

    def __len__(self) -> int:
        return len(self.labels)

    def __eq__(self, other: object) -> bool:
        """1 and True are different labels."""
        return (
            isinstance(other, States)
            and self.order is other.order
            and self.labels == other.labels
            and all(type(mine) is type(theirs) for mine, theirs in zip(self.labels, other.labels, strict=True))
        )

    def __hash__(self) -> int:
        return hash((self.labels, self.order))
