"""Copies of a model after interventions and changed tables, for what-if questions."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import cast

import numpy as np

from dconvex.arrays import Floats
from dconvex.explorer.request_data import RequestError
from dconvex.inference.model import LocalModel, localize
from dconvex.names import Label, Name
from dconvex.network.family import Regression, Table
from dconvex.network.network import BayesianNetwork

Rows = dict[int, tuple[float, ...]]
"""New rows of a table by number, a regression is one: intercept, coefficients, variance."""
MOST_KEPT = 6
"""The most copies that are kept: what a page shows is asked for several times."""


@dataclass(frozen=True)
class Variant:
    """What is different from the model: variables that are set, and rows of tables."""

    settings: dict[Name, Label | float] = field(default_factory=dict)
    tables: dict[Name, Rows] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.settings or self.tables)

    def key(self) -> str:
        """Equal for equal variants."""
        tables = [(name, sorted(rows.items())) for name, rows in self.tables.items()]
        return repr((sorted(self.settings.items(), key=repr), sorted(tables, key=repr)))


class Variants:
    """The last few copies of a model; each is made from the model and the variant alone."""

    def __init__(self, model: LocalModel) -> None:
        self._model = model
        self._kept: OrderedDict[str, LocalModel] = OrderedDict()
        self._lock = threading.Lock()

    def of(self, variant: Variant) -> LocalModel:
        """The model itself, or a copy with the changes."""
        if not variant:
            return self._model
        key = variant.key()
        with self._lock:
            found = self._kept.get(key)
            if found is not None:
                self._kept.move_to_end(key)
                return found
        made = self._made(variant)  # outside the lock: other questions go on
        with self._lock:
            self._kept[key] = made
            while len(self._kept) > MOST_KEPT:
                self._kept.popitem(last=False)
        return made

    def _made(self, variant: Variant) -> LocalModel:
        model = self._model
        if variant.tables:
            network = changed_network(model.network(), variant.tables)
            model = localize(network, tree=model.tree, max_bytes=model.max_bytes)
        return model.do(variant.settings) if variant.settings else model


def changed_network(network: BayesianNetwork, tables: Mapping[Name, Rows]) -> BayesianNetwork:
    """A network with other rows in some of its tables."""
    if network.kind == "gaussian":
        return _changed_regressions(network, tables)
    arrays = {}
    for name in network.dag.nodes:
        values = cast(Table, network.family(name)).values
        arrays[name] = _replaced(name, values, tables[name]) if name in tables else values
    return BayesianNetwork.discrete(network.dag, arrays, network.states)


def _replaced(name: Name, values: Floats, rows: Rows) -> Floats:
    copy = np.array(values).reshape(-1, values.shape[-1])
    for row, numbers in rows.items():
        if row >= len(copy) or len(numbers) != copy.shape[1]:
            raise RequestError(f"the table of {name!r} has {len(copy)} rows of {copy.shape[1]} numbers")
        copy[row] = numbers
    return copy.reshape(values.shape)


def _changed_regressions(network: BayesianNetwork, tables: Mapping[Name, Rows]) -> BayesianNetwork:
    regressions = {}
    for name in network.dag.nodes:
        parents = network.dag.parents(name)
        regression = network.family(name)
        assert isinstance(regression, Regression)
        numbers = tables.get(name, {}).get(0)
        if numbers is None:
            regressions[name] = (regression.intercept, dict(regression.coefficients), regression.variance)
            continue
        if len(numbers) != len(parents) + 2:
            raise RequestError(f"the regression of {name!r} has {len(parents) + 2} numbers, not {len(numbers)}")
        regressions[name] = (numbers[0], dict(zip(parents, numbers[1:-1], strict=True)), numbers[-1])
    return BayesianNetwork.gaussian(network.dag, regressions)
