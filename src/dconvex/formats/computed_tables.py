"""Tables that a file describes by something shorter: deterministic nodes, and noisy-MAX nodes as GeNIe writes them.

In a noisy-MAX node each parent alone would bring the variable to a state, drawn from a distribution that depends on the
parent's state; so would whatever the model leaves out (the leak). The variable takes the strongest of these states, the one
listed first; the last one is the weakest. So P(state at most as strong as s | parents) is the product of what each cause gives.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from dconvex.arrays import Floats
from dconvex.errors import UnknownStateError
from dconvex.formats.draft import ReadTable
from dconvex.formats.number_lists import read_numbers, words
from dconvex.formats.scanner import Excerpt


def noisy_max(strengths: Excerpt, parameters: Excerpt) -> ReadTable:
    """The reader of a table from each parent's order of strengths, and for each of its states, in that order, a distribution;
    the distribution of the leak is the last one.

    The order lists the states, the strongest one first: SMILE's `GetOutcomeOfStrength(parent, k)` is entry k of it. The last
    one of them, not of the states, is the distinguished one, whose distribution is certain.
    """

    def table(sizes: Sequence[int]) -> Floats:
        *parents, width = sizes
        orders = _orders(strengths, parents)
        distributions = read_numbers(parameters, (sum(parents) + 1) * width).reshape(-1, width)
        at_most = np.cumsum(distributions[:, ::-1], axis=1)[:, ::-1]
        product, first = at_most[-1].reshape([1] * len(parents) + [width]), 0
        for axis, (size, order) in enumerate(zip(parents, orders, strict=True)):
            own = np.empty((size, width))
            own[order] = at_most[first : first + size]
            shape = [1] * len(parents) + [width]
            shape[axis] = size
            product = product * own.reshape(shape)
            first += size
        weaker = np.concatenate([product[..., 1:], np.zeros((*product.shape[:-1], 1))], axis=-1)
        found: Floats = np.maximum(product - weaker, 0.0)
        return found

    return table


def _orders(strengths: Excerpt, parents: Sequence[int]) -> list[list[int]]:
    """For each parent its states, the strongest one first."""
    found = words(strengths.text)
    if len(found) != sum(parents):
        strengths.fail(f"expected the strengths of {sum(parents)} states, found {len(found)}")
    orders: list[list[int]] = []
    for size in parents:
        own = found[sum(map(len, orders)) :][:size]
        order = [int(word) for word in own if word.isdecimal()]
        if sorted(order) != list(range(size)):
            strengths.fail(f"expected an order of the numbers 0 to {size - 1}, found {' '.join(own)}")
        orders.append(order)
    return orders


def deterministic(key: str, states: Sequence[str], chosen: Sequence[tuple[str, int]], excerpt: Excerpt) -> ReadTable:
    """The reader of a table that lists for each row its certain state, with its position."""
    codes = {state: code for code, state in enumerate(states)}

    def table(sizes: Sequence[int]) -> Floats:
        height = math.prod(sizes[:-1])
        for state, position in chosen:
            if state not in codes:
                excerpt.fail(str(UnknownStateError(key, state, codes)), position)
        if len(chosen) != height:
            excerpt.fail(f"expected {height} states, found {len(chosen)}")
        values = np.zeros((height, len(states)))
        values[np.arange(height), [codes[state] for state, _ in chosen]] = 1.0
        return values

    return table
