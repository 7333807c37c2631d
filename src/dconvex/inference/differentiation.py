"""The network polynomial and its derivatives: one pass forwards through an elimination, and one pass back for each output.

The probability of a target's states and the evidence is a polynomial in the numbers of the tables, in each of them linear.
Forwards, tables are multiplied in pairs and variables summed out; backwards, the derivative with respect to each product gives
those with respect to its two factors (Darwiche, "A differential approach to inference in Bayesian networks", 2003).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from string import ascii_letters
from typing import final

import numpy as np

from dconvex.arrays import Floats

Scope = tuple[int, ...]
"""Variables of the axes of a table."""


@final
@dataclass(frozen=True, slots=True)
class Product:
    """The product of two tables (of one where `right` is None), summed over the axes that it does not have."""

    left: int
    right: int | None
    scope: Scope

    @property
    def factors(self) -> tuple[int, ...]:
        """The tables that are multiplied."""
        return (self.left,) if self.right is None else (self.left, self.right)


@final
@dataclass(frozen=True, slots=True, eq=False)
class Elimination:
    """Which tables are multiplied: first come the leaves, then each product; the last table has the target's axis alone."""

    leaves: Sequence[Scope]
    products: Sequence[Product]
    sizes: Mapping[int, int]
    """The number of states of each variable."""
    target: int

    @classmethod
    def of(cls, leaves: Sequence[Scope], order: Iterable[int], sizes: Mapping[int, int], target: int) -> Elimination:
        """Multiply what holds the next variable, smallest tables first, and sum the variable out."""
        scopes, products = list(leaves), list[Product]()
        live = set(range(len(leaves)))

        def size(table: int) -> tuple[float, int]:
            return math.prod(float(sizes[variable]) for variable in scopes[table]), table

        def put(left: int, right: int | None, out: Iterable[int]) -> int:
            others = () if right is None else scopes[right]
            gone = set(out)
            scope = tuple(variable for variable in dict.fromkeys((*scopes[left], *others)) if variable not in gone)
            products.append(Product(left, right, scope))
            scopes.append(scope)
            live.difference_update((left,) if right is None else (left, right))
            live.add(len(scopes) - 1)
            return len(scopes) - 1

        for variable in order:
            holders = sorted((table for table in live if variable in scopes[table]), key=size)
            if len(holders) == 1:
                put(holders[0], None, (variable,))
                continue
            made = holders[0] if holders else -1
            for number, table in enumerate(holders[1:], start=2):
                made = put(made, table, (variable,) if number == len(holders) else ())
        made, *rest = sorted(live, key=size)
        for table in rest:
            made = put(made, table, ())
        if not products or scopes[made] != (target,):
            put(made, None, ())
        return cls(leaves, products, sizes, target)

    @property
    def scopes(self) -> list[Scope]:
        """Of all tables."""
        return [*self.leaves, *(product.scope for product in self.products)]

    @property
    def entries(self) -> float:
        """The entries of all tables together; all are kept for the way back."""
        return sum(map(self._size, self.scopes))

    @property
    def multiplications(self) -> float:
        """Those of the pass forwards."""
        scopes = self.scopes
        return sum(self._size({v for table in step.factors for v in scopes[table]}) for step in self.products)

    @property
    def multiplications_back(self) -> float:
        """Those of a pass back: for each factor of a product the derivative with respect to the product times the other one."""
        scopes = self.scopes
        others = (
            (step, [scopes[other] for other in step.factors if other != own]) for step in self.products for own in step.factors
        )
        return sum(self._size({*step.scope, *(v for scope in left for v in scope)}) for step, left in others)

    @property
    def largest_scope(self) -> Scope:
        """Of the largest table."""
        return max(self.scopes, key=self._size, default=())

    def peak_bytes(self, outputs: int) -> float:
        """The most bytes that are held at once: all tables, their derivatives, and those of the leaves for each output."""
        return 8 * (2 * self.entries + outputs * sum(map(self._size, self.leaves)))

    def _size(self, scope: Iterable[int]) -> float:
        return math.prod(float(self.sizes[variable]) for variable in scope)

    def run(self, leaves: Sequence[Floats]) -> Run:
        """The pass forwards."""
        tables, scopes, divisors = list(leaves), self.scopes, [1.0] * len(leaves)
        for step in self.products:
            factors = [(tables[table], scopes[table]) for table in step.factors]
            product = _summed(factors, step.scope, self.sizes)
            largest = float(product.max(initial=0.0)) or 1.0
            tables.append(product / largest)
            divisors.append(largest)
        return Run(self, tables, divisors)


@final
@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """All tables of an elimination; each product is divided by its largest entry, so that nothing underflows."""

    elimination: Elimination
    tables: Sequence[Floats]
    divisors: Sequence[float]

    @property
    def shares(self) -> Floats:
        """The probabilities of the target's states given the evidence."""
        last = self.tables[-1]
        found: Floats = last / last.sum()
        return found

    def gradients(self, state: int) -> list[Floats]:
        """By leaf the derivatives of P(state, evidence) with respect to its entries, divided by P(evidence)."""
        own, last = self.elimination, self.tables[-1]
        scopes, count = own.scopes, len(own.leaves)
        slopes = [np.empty(0)] * len(self.tables)
        slopes[-1] = np.zeros(len(last))
        slopes[-1][state] = 1.0 / float(last.sum())
        for number in range(len(own.products) - 1, -1, -1):
            step, table = own.products[number], count + number
            above, slopes[table] = slopes[table] / self.divisors[table], np.empty(0)
            for factor in step.factors:
                others = [(self.tables[other], scopes[other]) for other in step.factors if other != factor]
                slopes[factor] = _summed([(above, step.scope), *others], scopes[factor], own.sizes)
        return slopes[:count]


def _summed(factors: Sequence[tuple[Floats, Scope]], scope: Scope, sizes: Mapping[int, int]) -> Floats:
    """The product of one or two tables summed over what is not in the scope, repeated along what only the scope has."""
    letter = dict(zip(dict.fromkeys(v for _, own in factors for v in own), ascii_letters, strict=False))
    present = [variable for variable in scope if variable in letter]
    inputs = ",".join("".join(letter[variable] for variable in own) for _, own in factors)
    output = "".join(letter[variable] for variable in present)
    found: Floats = np.einsum(f"{inputs}->{output}", *(values for values, _ in factors))
    if len(present) < len(scope):
        shape = [sizes[variable] if variable in letter else 1 for variable in scope]
        found = np.broadcast_to(found.reshape(shape), [sizes[variable] for variable in scope])
    return found
