"""Rows of numbers for a search: moments of rows that show the same variables, and the numbers of rows with gaps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from dconvex.arrays import Flags, Floats
from dconvex.names import Name, canonical


@dataclass(frozen=True, slots=True, eq=False)
class MeasuredTable:
    """Some rows of one table: moments of those without a missing cell, and the others as they are. They add up."""

    variables: tuple[Name, ...]
    means: Floats
    scatter: Floats
    """Sums of products of deviations."""
    weight: float
    gaps: Floats
    """By variable and row, the rows with a missing cell; NaN where it is missing."""
    gap_weights: Floats
    rows: int

    @classmethod
    def of(cls, variables: tuple[Name, ...], values: Floats, weights: Floats | None) -> MeasuredTable:
        """The rows of a batch, by variable and row."""
        own = np.ones(values.shape[1]) if weights is None else weights
        has_gap = np.isnan(values).any(axis=0)
        gaps, gap_weights, rows = values[:, has_gap].copy(), own[has_gap].copy(), values.shape[1]
        if has_gap.any():
            values, own = values[:, ~has_gap], own[~has_gap]
        weight, size = float(own.sum()), len(variables)
        if not weight > 0:
            return cls(variables, np.zeros(size), np.zeros((size, size)), 0.0, gaps, gap_weights, rows)
        shift = values[:, 0]  # so that little is lost where a column is far from zero
        means = shift + (values - shift[:, None]) @ own / weight
        apart = values - means[:, None]
        return cls(variables, means, (apart * own) @ apart.T, weight, gaps, gap_weights, rows)

    def added(self, other: MeasuredTable) -> MeasuredTable:
        """The rows of both, which have the same variables."""
        gaps = np.concatenate([self.gaps, other.gaps], axis=1)
        gap_weights = np.concatenate([self.gap_weights, other.gap_weights])
        weight, rows = self.weight + other.weight, self.rows + other.rows
        if not weight > 0:
            return replace(self, gaps=gaps, gap_weights=gap_weights, rows=rows)
        apart = other.means - self.means
        means = self.means + apart * (other.weight / weight)
        scatter = self.scatter + other.scatter + np.outer(apart, apart) * (self.weight * other.weight / weight)
        return MeasuredTable(self.variables, means, scatter, weight, gaps, gap_weights, rows)


@dataclass(frozen=True, slots=True, eq=False)
class MeasuredRows:
    """The rows of all tables; a cell is missing where its table lacks the column."""

    variables: tuple[Name, ...]
    means: Floats
    """A line for each group of rows that show the same variables; NaN for the others."""
    scatter: Floats
    """A line for each group."""
    group_weights: Floats
    gaps: Floats
    gap_weights: Floats
    rows: int
    dropped: int = 0

    @property
    def weight(self) -> float:
        """Of all rows that are left."""
        return float(self.group_weights.sum() + self.gap_weights.sum())

    @property
    def covariance(self) -> Floats:
        """That of maximum likelihood, of rows without gaps."""
        size = len(self.variables)
        (scatter,) = self.scatter.reshape(-1, size, size)
        found = scatter / max(float(self.group_weights[0]), 1e-300)
        return (found + found.T) / 2

    @property
    def has_missing(self) -> Flags:
        """For each variable whether some cell is missing."""
        found: Flags = np.isnan(np.concatenate([self.means.T, self.gaps], axis=1)).any(axis=1)
        return found

    def presence(self) -> Flags:
        """For each variable and row, or group of rows, whether the cells are there."""
        return np.concatenate([~np.isnan(self.means.T[:, self.group_weights > 0]), ~np.isnan(self.gaps)], axis=1)

    def complete(self) -> MeasuredRows:
        """Only the rows without a missing cell."""
        is_whole = ~np.isnan(self.means).any(axis=1)
        size = len(self.variables)
        means, scatter, weights = self.means[is_whole], self.scatter[is_whole], self.group_weights[is_whole]
        if not len(means):
            means, scatter, weights = np.zeros((1, size)), np.zeros((1, size * size)), np.zeros(1)
        dropped = round(self.weight - float(weights.sum()))
        return replace(
            self, means=means, scatter=scatter, group_weights=weights, gaps=self.gaps[:, :0],
            gap_weights=self.gap_weights[:0], dropped=dropped,
        )  # fmt: skip


def joined_moments(tables: Sequence[MeasuredTable]) -> MeasuredRows:
    """The rows of several tables."""
    variables = tuple(canonical({name for table in tables for name in table.variables}))
    places = {name: number for number, name in enumerate(variables)}
    groups: dict[tuple[Name, ...], MeasuredTable] = {}
    for table in tables:
        before = groups.get(table.variables)
        groups[table.variables] = table if before is None else before.added(table)
    size, means, scatter, gaps = len(variables), [], [], []
    for own, table in groups.items():
        at = np.array([places[name] for name in own], np.int64)
        mean, matrix = np.full(size, np.nan), np.full((size, size), np.nan)
        mean[at], matrix[np.ix_(at, at)] = table.means, table.scatter
        rows = np.full((size, table.gaps.shape[1]), np.nan)
        rows[at] = table.gaps
        means.append(mean)
        scatter.append(matrix.reshape(-1))
        gaps.append(rows)
    return MeasuredRows(
        variables,
        np.array(means),
        np.array(scatter),
        np.array([table.weight for table in groups.values()]),
        np.concatenate(gaps, axis=1),
        np.concatenate([table.gap_weights for table in groups.values()]),
        sum(table.rows for table in tables),
    )
