"""The oracle for moments: means and scatter in exact fractions, and regressions by numpy."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd

import dconvex as dc


def exact_scatter(columns: list[list[float]]) -> np.ndarray:
    """Sums of products of deviations from the mean, each rounded once."""
    cells = [[Fraction(number) for number in column] for column in columns]
    means = [sum(column) / len(column) for column in cells]
    away = [[number - mean for number in column] for column, mean in zip(cells, means, strict=True)]
    return np.array([[float(sum(x * y for x, y in zip(one, two, strict=True))) for two in away] for one in away])


def moments_in(statistics: dc.Statistics) -> dict[Any, tuple[int, np.ndarray, np.ndarray]]:
    """For each family the rows used, the means and the scatter, parents first."""
    moments, names = statistics.part, statistics.dag.nodes
    found, at = {}, 0
    for number in range(len(moments.families)):
        members = moments.families.members_of(number)
        width, first = len(members), int(moments.families.offsets[number])
        *parents, variable = (names[place] for place in members)
        square = moments.scatter[at : at + width**2].reshape(width, width)
        found[variable, tuple(parents)] = int(moments.coverage.used[number]), moments.mean[first : first + width], square
        at += width**2
    return found


def close_scatter(found: np.ndarray, expected: np.ndarray, tolerance: float = 1e-10) -> None:
    """Close in units of what the variables themselves vary."""
    unit = np.sqrt(np.diag(expected))
    unit = np.where(unit > 0, unit, 1.0)
    np.testing.assert_allclose(found / np.outer(unit, unit), expected / np.outer(unit, unit), rtol=0, atol=tolerance)


def least_norm(data: pd.DataFrame, variable: Any, parents: tuple[Any, ...]) -> tuple[float, np.ndarray, float]:
    """Intercept, coefficients and variance, by a singular value decomposition of the centred columns."""
    x, y = data[list(parents)].to_numpy(float), data[variable].to_numpy(float)
    middle, away = x.mean(axis=0), y - y.mean()
    slopes = np.linalg.lstsq(x - middle, away, rcond=1e-10)[0] if parents else np.zeros(0)
    return y.mean() - middle @ slopes, slopes, float(np.mean((away - (x - middle) @ slopes) ** 2))
