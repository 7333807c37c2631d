"""Differences of numbers from linear expressions, to the last digit: two sensors may agree in all but the last ones."""

from __future__ import annotations

import numpy as np

from dconvex.arrays import Floats

SPLITTER = 134_217_729.0
"""2^27 + 1: a float64 times this falls into two halves whose products are exact (Dekker 1971)."""


def difference(values: Floats, offset: Floats, weights: Floats, others: Floats) -> Floats:
    """`values - offset - weights @ others`, computed with twice the digits of a float.

    Args:
        values: A row for each expression.
        offset: A number for each expression.
        weights: A row for each expression, along `others`.
        others: A row for each term.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        plain: Floats = values - (offset[:, None] + weights @ others)
        total, error = _sum(values, -offset[:, None])
        for k in np.flatnonzero(weights.any(axis=0)).tolist():
            product, low = _product(weights[:, k, None], others[k])
            total, more = _sum(total, -product)
            error += more - low
        found: Floats = total + error
    return np.where(np.isfinite(found), found, plain)  # halves of numbers near the end of floats overflow


def _sum(one: Floats, other: Floats) -> tuple[Floats, Floats]:
    """A sum and its rounding error."""
    total: Floats = one + other
    part = total - one
    error: Floats = (one - (total - part)) + (other - part)
    return total, error


def _product(one: Floats, other: Floats) -> tuple[Floats, Floats]:
    """A product and its rounding error."""
    (high, low), (other_high, other_low) = _halves(one), _halves(other)
    product: Floats = one * other
    error: Floats = low * other_low - (((product - high * other_high) - low * other_high) - high * other_low)
    return product, error


def _halves(number: Floats) -> tuple[Floats, Floats]:
    scaled = SPLITTER * number
    high: Floats = scaled - (scaled - number)
    return high, number - high
