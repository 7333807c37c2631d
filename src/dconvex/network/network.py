"""A Bayesian network: a DAG with one family, a table or a regression, for each node."""

from __future__ import annotations

import operator
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dconvex.amounts import amount
from dconvex.errors import NetworkError, UnknownStateError, UnknownVariableError
from dconvex.graph.adjacency import Adjacency
from dconvex.graph.dag import Dag, DagLike, as_dag
from dconvex.names import Label, Name, checked_labels, checked_name
from dconvex.network.columns import Columns
from dconvex.network.discrete import Tables
from dconvex.network.families import Regression, Table
from dconvex.network.gaussian import Regressions
from dconvex.shown import ShownNetwork

if TYPE_CHECKING:
    import pandas as pd

Floats: TypeAlias = NDArray[np.float64]
Rows: TypeAlias = Mapping[Any, Sequence[float]]
RegressionLike: TypeAlias = tuple[float, Mapping[Name, float], float]


class Parameters(Protocol):
    """What the numbers of a network can do, whether they are tables or regressions."""

    @property
    def kind(self) -> Literal["discrete", "gaussian"]: ...
    def states(self, dag: Dag) -> dict[Name, tuple[Label, ...]]: ...
    def family(self, dag: Dag, node: Name) -> Table | Regression: ...
    def sample(self, dag: Dag, rows: int, rng: np.random.Generator) -> pd.DataFrame: ...
    def log_likelihood(self, dag: Dag, data: Columns) -> Floats: ...
    def intervened(self, dag: Dag, after: Dag, settings: Mapping[Name, Any]) -> Parameters: ...


@dataclass(frozen=True, slots=True, repr=False)
class BayesianNetwork(ShownNetwork):
    """A DAG and a family for each of its nodes; build it with `discrete`, `gaussian`, `dc.read` or `dc.load_network`.

    >>> network = BayesianNetwork.discrete(
    ...     [("rain", "wet")],
    ...     {"rain": [0.8, 0.2], "wet": {"no": [0.9, 0.1], "yes": [0.05, 0.95]}},
    ...     {"rain": ["no", "yes"], "wet": ["dry", "wet"]},
    ... )
    >>> network
    BayesianNetwork(discrete, 2 variables, 1 edge, 6 probabilities)
    >>> network.family("wet").values[1]
    array([0.05, 0.95])
    """

    dag: Dag
    parameters: Parameters
    """`Tables` or `Regressions`: the numbers in flat arrays, for algorithms."""

    @classmethod
    def discrete(
        cls,
        edges: DagLike,
        tables: Mapping[Name, ArrayLike | Rows | Table],
        states: Mapping[Name, Iterable[Label]],
    ) -> BayesianNetwork:
        """A network of tables.

        `tables[v]` is an array with axes `(*dag.parents(v), v)`, or a dict from the parents' states (a tuple in that
        order, or the bare state of a single parent) to a row, or a `Table` with its parents in any order. Rows within
        1e-5 of sum one are normalised.
        """
        dag = _over(edges, tables, "table")
        for stray in states:
            if stray not in dag:
                raise UnknownVariableError(stray, dag.nodes)
        missing = [node for node in dag.nodes if node not in states]
        if missing:
            raise NetworkError(f"no states are given for {missing[0]!r}")
        labels = {node: checked_labels(node, states[node]) for node in dag.nodes}
        arrays = (_shaped(dag, labels, node, tables[node]) for node in dag.nodes)
        return cls(dag, Tables.from_arrays(dag, tuple(labels.values()), arrays))

    @classmethod
    def gaussian(cls, edges: DagLike, regressions: Mapping[Name, RegressionLike | Regression]) -> BayesianNetwork:
        """A linear Gaussian network; `regressions[v]` is `(intercept, {parent: coefficient}, variance)`, variance ≥ 0.

        >>> BayesianNetwork.gaussian([("x", "y")], {"x": (0, {}, 1), "y": (1, {"x": 2.5}, 0.5)})
        BayesianNetwork(gaussian, 2 variables, 1 edge, 1 coefficient)
        """
        dag = _over(edges, regressions, "regression")
        parts = [_regression_parts(dag, node, regressions[node]) for node in dag.nodes]
        intercept = np.array([part[0] for part in parts], np.float64)
        coefficients = np.array([value for part in parts for value in part[1]], np.float64)
        variance = np.array([part[2] for part in parts], np.float64)
        return cls(dag, Regressions.checked(dag, intercept, coefficients, variance))

    @property
    def states(self) -> dict[Name, tuple[Label, ...]]:
        """The labels of each variable, in order; empty for a Gaussian network."""
        return self.parameters.states(self.dag)

    @property
    def kind(self) -> Literal["discrete", "gaussian"]:
        """Whether the variables have states or numbers."""
        return self.parameters.kind

    def family(self, variable: Name) -> Table | Regression:
        """The table or regression of `variable` given its parents."""
        return self.parameters.family(self.dag, variable)

    def sample(self, n: int, seed: int | np.random.Generator | None = None) -> pd.DataFrame:
        """`n` independent rows, a column per variable; discrete ones are categorical with the variable's own labels."""
        if n < 0:
            raise ValueError(f"cannot draw {n} rows")
        return self.parameters.sample(self.dag, operator.index(n), np.random.default_rng(seed))

    def log_likelihood(self, data: Any) -> Floats:
        """The logarithm of P(row) for each row of a data frame that has a column for every variable.

        -inf for impossible rows. In a Gaussian network a variable with variance zero contributes nothing where it
        equals its regression, and -inf where it does not.
        """
        return self.parameters.log_likelihood(self.dag, Columns(data, self.dag.nodes))

    def do(self, settings: Mapping[Name, Any]) -> BayesianNetwork:
        """The network after an intervention: the edges into each variable are cut and it is fixed at its value."""
        cut = {self.dag.index_of(node) for node in settings}
        lists = self.dag.parent_lists
        parents = (() if place in cut else lists.of(place).tolist() for place in range(len(self.dag)))
        after = Dag.from_arrays(self.dag.nodes, Adjacency.from_lists(parents))
        return BayesianNetwork(after, self.parameters.intervened(self.dag, after, settings))

    def __len__(self) -> int:
        return len(self.dag)

    def __repr__(self) -> str:
        edges = amount(len(self.dag.parent_lists.neighbours), "edge")
        return f"BayesianNetwork({self.kind}, {amount(len(self), 'variable')}, {edges}, {self.parameters})"


def _over(edges: DagLike, families: Mapping[Name, Any], what: str) -> Dag:
    """The DAG of these edges over the variables that have a family."""
    dag = as_dag(edges)
    variables = {checked_name(name) for name in families}
    for node in dag.nodes:
        if node not in variables:
            raise NetworkError(f"no {what} is given for {node!r}")
    return dag.with_nodes(variables)


def _shaped(dag: Dag, labels: Mapping[Name, tuple[Label, ...]], node: Name, given: ArrayLike | Rows | Table) -> Floats:
    """The table of `node` as a new array with axes (*parents, node)."""
    parents = dag.parents(node)
    shape = tuple(len(labels[member]) for member in (*parents, node))
    if isinstance(given, Table):
        given = _realigned(given, node, parents)
    if isinstance(given, Mapping):
        return _from_rows(labels, node, parents, shape, given)
    try:
        array = np.array(given, dtype=np.float64)
    except (TypeError, ValueError):
        raise NetworkError(f"the table of {node!r} is not an array of numbers") from None
    if array.shape != shape:
        axes = ", ".join(f"{member!r}: {size}" for member, size in zip((*parents, node), shape, strict=True))
        raise NetworkError(f"the table of {node!r} has shape {array.shape}; its axes ({axes}) ask for {shape}")
    return array


def _realigned(table: Table, node: Name, parents: tuple[Name, ...]) -> Floats:
    if table.variable != node or sorted(map(repr, table.parents)) != sorted(map(repr, parents)):
        scope = f"P({table.variable!r} | {table.parents!r})"
        raise NetworkError(f"the table of {node!r} is {scope}; the graph asks for the parents {parents!r}")
    if table.values.ndim != 1 + len(parents):
        raise NetworkError(f"the table of {node!r} has {table.values.ndim} axes; it needs {1 + len(parents)}")
    axes = [table.parents.index(parent) for parent in parents]
    return table.values.transpose([*axes, len(axes)])


def _from_rows(
    labels: Mapping[Name, tuple[Label, ...]], node: Name, parents: tuple[Name, ...], shape: tuple[int, ...], rows: Rows
) -> Floats:
    array = np.zeros(shape)
    is_absent = np.ones(shape[:-1], bool)
    for key, row in rows.items():
        given = key if isinstance(key, tuple) else (key,)
        try:
            numbers = np.array(row, np.float64)
            fits = len(given) == len(parents) and numbers.shape == shape[-1:]
        except (TypeError, ValueError):
            fits = False
        if not fits:
            raise NetworkError(
                f"the table of {node!r} has the row {key!r}: {row!r}; a key holds a state of each of {parents!r}, "
                f"and a row a number for each of {labels[node]!r}"
            )
        place = tuple(_position(labels, parent, state) for parent, state in zip(parents, given, strict=True))
        array[place], is_absent[place] = numbers, False
    absent = np.argwhere(is_absent)
    if len(absent):
        example = tuple(labels[parent][place] for parent, place in zip(parents, absent[0], strict=True))
        raise NetworkError(f"the table of {node!r} has no row for {example!r} (states of {parents!r})")
    return array


def _position(labels: Mapping[Name, tuple[Label, ...]], variable: Name, state: Hashable) -> int:
    if state not in labels[variable]:
        raise UnknownStateError(variable, state, labels[variable])
    return labels[variable].index(state)


def _regression_parts(dag: Dag, node: Name, given: RegressionLike | Regression) -> tuple[float, list[float], float]:
    """Intercept, coefficients in the order of the parents, and variance."""
    if isinstance(given, Regression) and given.variable != node:
        raise NetworkError(f"the regression of {node!r} is that of {given.variable!r}", variable=node)
    try:
        intercept, coefficients, variance = (
            (given.intercept, given.coefficients, given.variance) if isinstance(given, Regression) else given
        )
        values = {parent: float(value) for parent, value in coefficients.items()}
        numbers = float(intercept), float(variance)
    except (TypeError, ValueError, AttributeError):
        raise NetworkError(
            f"the regression of {node!r} must be (intercept, {{parent: coefficient}}, variance), not {given!r}"
        ) from None
    parents = dag.parents(node)
    if values.keys() != set(parents):
        raise NetworkError(f"the regression of {node!r} has coefficients of {list(values)!r}; its parents are {parents!r}")
    return numbers[0], [values[parent] for parent in parents], numbers[1]
