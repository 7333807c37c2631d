"""A Bayesian network: a DAG with one family, a table or a regression, for each node."""

from __future__ import annotations

import operator
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NoReturn, Protocol, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from dconvex._core import Ragged
from dconvex.amounts import amount
from dconvex.arrays import Floats
from dconvex.errors import NetworkError, UnknownStateError, UnknownVariableError
from dconvex.graph.dag import Dag, DagLike, as_dag
from dconvex.limits import default_limit
from dconvex.names import Label, Name, checked_labels, checked_name
from dconvex.network.family import Regression, Table
from dconvex.network.frame_columns import Columns
from dconvex.network.linear_regressions import Regressions
from dconvex.network.probability_tables import Tables
from dconvex.shown import ShownNetwork

if TYPE_CHECKING:
    import pandas as pd

Rows: TypeAlias = Mapping[Any, Sequence[float]]
"""From the parents' states to a row; Any, since the keys of a Mapping are invariant."""
RegressionLike: TypeAlias = tuple[float, Mapping[Name, float], float]
"""Intercept, coefficients by parent, variance."""


QUESTIONS = (
    "query", "marginals", "most_probable", "log_evidence", "predict", "predict_proba", "explain", "impute", "evaluate",
    "effect", "most_informative", "sensitivity", "influences", "updated", "report",
)  # fmt: skip
"""What a model is asked, and a network is asked by mistake."""


class Parameters(Protocol):
    """The numbers of a network: `Tables` or `Regressions`."""

    @property
    def kind(self) -> Literal["discrete", "gaussian"]: ...
    @property
    def nbytes(self) -> int: ...
    def states(self, dag: Dag) -> dict[Name, tuple[Label, ...]]: ...
    def family(self, dag: Dag, node: Name) -> Table | Regression: ...
    def sample(self, dag: Dag, rows: int, rng: np.random.Generator) -> pd.DataFrame: ...
    def log_likelihood(self, dag: Dag, data: Columns, limit: int, n_jobs: int | None = 1) -> Floats: ...
    def intervened(self, dag: Dag, after: Dag, settings: Mapping[Name, Label | float]) -> Parameters: ...


@dataclass(frozen=True, slots=True, repr=False)
class BayesianNetwork(ShownNetwork):
    """A DAG and a family for each of its nodes.

    Build one with `discrete`, `gaussian`, `dc.read` or `dc.load_network`. Networks are frozen and equal by value.

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

        Args:
            edges: The graph: a `Dag`, a networkx `DiGraph`, an iterable of edges, or a network.
            tables: For each variable v an array with axes `(*dag.parents(v), v)`; or a dict from the parents' states (a
                tuple in that order, or the bare state of a single parent) to a row; or a `Table` with its parents in any
                order. A row whose sum is within 1e-5 of one is divided by it.
            states: For each variable its labels, in order.

        Returns:
            The network.

        Raises:
            NetworkError: A table or the states of a variable are missing, a table has the wrong shape, or a row is not a
                distribution.
            CycleError: The edges contain a cycle.
            UnknownVariableError: There are states for a variable that has no table.
            UnknownStateError: A row is for a state that the parent does not have.

        """
        dag = _over(edges, tables, "table")
        for name in states:
            if name not in dag:
                raise UnknownVariableError(name, dag.nodes)
        missing = [node for node in dag.nodes if node not in states]
        if missing:
            raise NetworkError(f"no states are given for {missing[0]!r}")
        labels = {node: checked_labels(node, states[node]) for node in dag.nodes}
        arrays = (_shaped(dag, labels, node, tables[node]) for node in dag.nodes)
        return cls(dag, Tables.from_arrays(dag, tuple(labels.values()), arrays))

    @classmethod
    def gaussian(cls, edges: DagLike, regressions: Mapping[Name, RegressionLike | Regression]) -> BayesianNetwork:
        """A linear Gaussian network.

        Args:
            edges: The graph: a `Dag`, a networkx `DiGraph`, an iterable of edges, or a network.
            regressions: For each variable `(intercept, {parent: coefficient}, variance)` with a variance ≥ 0, or a
                `Regression`.

        Returns:
            The network.

        Raises:
            NetworkError: A regression is missing, a number is not finite, a variance is negative, or the coefficients
                are not those of the parents.
            CycleError: The edges contain a cycle.

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
        """`"discrete"` if the variables have states, `"gaussian"` if they are numbers."""
        return self.parameters.kind

    def family(self, variable: Name) -> Table | Regression:
        """The family of a variable: its distribution given its parents.

        Args:
            variable: A variable of the network.

        Returns:
            A `Table`, or a `Regression` in a Gaussian network.

        Raises:
            UnknownVariableError: The network does not have the variable.

        """
        return self.parameters.family(self.dag, variable)

    def sample(self, n: int, seed: int | np.random.Generator | None = None) -> pd.DataFrame:
        """Draw independent rows.

        Args:
            n: The number of rows.
            seed: A seed or a numpy generator; the same seed gives the same rows. None: other rows with each call.

        Returns:
            A pandas DataFrame with a column for each variable; discrete ones are categorical with the variable's labels.

        Raises:
            ValueError: `n` is negative.

        """
        if n < 0:
            raise ValueError(f"cannot draw {n} rows")
        return self.parameters.sample(self.dag, operator.index(n), np.random.default_rng(seed))

    def log_likelihood(self, data: Any) -> Floats:
        """The logarithm of P(row) for each row; of a row with missing cells that of what is there.

        In a Gaussian network a variable with variance zero adds nothing where it equals its regression, and -inf where it
        does not.

        Args:
            data: A data frame (pandas, polars, pyarrow, …) with a column for each variable.

        Returns:
            One number per row, -inf for impossible rows.

        Raises:
            DataError: `data` is not a data frame, a column is missing, or a cell is not a finite number.
            UnknownStateError: A cell holds a state that the variable does not have.
            TooLargeError: The missing cells of a row take more memory than half of what there is; the error names them.

        """
        return self.parameters.log_likelihood(self.dag, Columns(data, self.dag.nodes), default_limit())

    def do(self, settings: Mapping[Name, Label | float]) -> BayesianNetwork:
        """The network after an intervention: the edges into each of the variables are cut, and it has the given value.

        Args:
            settings: For each variable that is set its state, or its value in a Gaussian network.

        Returns:
            A new network over the same variables.

        Raises:
            UnknownVariableError: The network does not have a variable.
            UnknownStateError: A variable does not have its state.
            NetworkError: A Gaussian variable is set to something that is not a number.

        >>> network = BayesianNetwork.gaussian([("x", "y")], {"x": (0, {}, 1), "y": (1, {"x": 2.5}, 0.5)})
        >>> network.do({"y": 3}).dag.edges
        ()

        """
        cut = {self.dag.index_of(node) for node in settings}
        lists = self.dag.graph.parents
        parents = (() if index in cut else lists[index].tolist() for index in range(len(self.dag)))
        after = Dag.from_arrays(self.dag.nodes, Ragged.from_lists(parents))
        return BayesianNetwork(after, self.parameters.intervened(self.dag, after, settings))

    def __getattr__(self, name: str) -> NoReturn:
        if name in QUESTIONS:
            raise AttributeError(
                f"a network has no {name!r}: questions go to a model of it, dc.localize(network).{name}(…)", name=name, obj=self
            )
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}", name=name, obj=self)

    def __len__(self) -> int:
        return len(self.dag)

    def __repr__(self) -> str:
        edges = amount(len(self.dag.graph.parents.values), "edge")
        return f"BayesianNetwork({self.kind}, {amount(len(self), 'variable')}, {edges}, {self.parameters})"


def _over(edges: DagLike, families: Mapping[Name, object], what: str) -> Dag:
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
        raise NetworkError(f"the table of {node!r} has shape {array.shape}; its axes ({axes}) need {shape}")
    return array


def _realigned(table: Table, node: Name, parents: tuple[Name, ...]) -> Floats:
    if table.variable != node or sorted(map(repr, table.parents)) != sorted(map(repr, parents)):
        scope = f"P({table.variable!r} | {table.parents!r})"
        raise NetworkError(f"the table of {node!r} is {scope}; its parents in the graph are {parents!r}")
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
        row_index = tuple(_state_index(labels, parent, state) for parent, state in zip(parents, given, strict=True))
        array[row_index], is_absent[row_index] = numbers, False
    absent = np.argwhere(is_absent)
    if len(absent):
        example = tuple(labels[parent][state] for parent, state in zip(parents, absent[0], strict=True))
        raise NetworkError(f"the table of {node!r} has no row for {example!r} (states of {parents!r})")
    return array


def _state_index(labels: Mapping[Name, tuple[Label, ...]], variable: Name, state: Hashable) -> int:
    if state not in labels[variable]:
        raise UnknownStateError(variable, state, labels[variable])
    return labels[variable].index(state)


def _regression_parts(dag: Dag, node: Name, given: RegressionLike | Regression) -> tuple[float, list[float], float]:
    """Intercept, coefficients in the order of the parents, and variance."""
    if isinstance(given, Regression) and given.variable != node:
        raise NetworkError(f"the regression given for {node!r} is that of {given.variable!r}", variable=node)
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
        raise NetworkError(f"the regression of {node!r} has coefficients for {list(values)!r}; its parents are {parents!r}")
    return numbers[0], [values[parent] for parent in parents], numbers[1]
