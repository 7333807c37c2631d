"""A variable's own numbers as plain data: its table, row by row, or its regression."""

from __future__ import annotations

from itertools import islice, product
from math import prod

from dconvex.explorer.translation import Plain
from dconvex.inference.model import LocalModel
from dconvex.names import Name
from dconvex.network.family import Regression, Table

MOST_ROWS = 400
"""The most rows of a table that are sent at once."""


def family_data(model: LocalModel, name: Name, fixed: dict[Name, int]) -> Plain:
    """The rows of P(name | parents) in which the `fixed` parents have these states; of a regression its only row.

    Each row has its number in the whole table, the states of the parents by index, and the numbers.
    """
    family = model.network().family(name)
    parents = [model.dag.index_of(parent) for parent in family.parents]
    if isinstance(family, Regression):
        numbers = [family.intercept, *(family.coefficients[parent] for parent in family.parents), family.variance]
        return {"kind": "regression", "parents": parents, "rows": [[0, [], numbers]], "count": 1, "total": 1}
    return {"kind": "table", "parents": parents, **_rows(family, fixed)}


def _rows(family: Table, fixed: dict[Name, int]) -> Plain:
    sizes = family.values.shape[:-1]
    flat = family.values.reshape(-1, family.values.shape[-1])
    allowed = [[fixed[parent]] if parent in fixed else range(size) for parent, size in zip(family.parents, sizes, strict=True)]
    rows: list[object] = []
    for states in islice(product(*allowed), MOST_ROWS):
        number = 0
        for state, size in zip(states, sizes, strict=True):
            number = number * size + state
        rows.append([number, list(states), flat[number].tolist()])
    return {"rows": rows, "count": prod(map(len, allowed)), "total": len(flat)}
