"""Networks to and from pgmpy, discrete and linear Gaussian.

pgmpy keeps names and states as Python objects, so the round trip is exact: `from_pgmpy(to_pgmpy(network)) == network`, the
numbers to the last bit. The parents of a family are the CPD's evidence, in its order.

pgmpy stores a standard deviation where we store a variance. Two variances can have the same rounded root, so the root
that `to_pgmpy` writes remembers its variance; pgmpy's copies and pickles keep it. The variance of any other CPD is the
square of its standard deviation, and the rounded root of that square is the deviation again: `to_pgmpy(from_pgmpy(model))`
has the numbers of `model`, too.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any, cast

import numpy as np

from dconvex.errors import NetworkError
from dconvex.graph.dag import Dag
from dconvex.names import Label, Name
from dconvex.network.family import Regression, Table
from dconvex.network.network import BayesianNetwork


def from_pgmpy(model: Any) -> BayesianNetwork:
    """The network in a pgmpy model.

    Args:
        model: A pgmpy `DiscreteBayesianNetwork` or `LinearGaussianBayesianNetwork`. States that a CPD does not name are
            0, 1, …, as in pgmpy.

    Returns:
        The network.

    Raises:
        TypeError: `model` is neither of these.
        NetworkError: A CPD is missing, or does not fit the graph or the CPDs of its parents.
        ImportError: pgmpy is not installed.

    """
    models = _pgmpy_models()
    if isinstance(model, models.DiscreteBayesianNetwork):
        return _from_discrete(model)
    if isinstance(model, models.LinearGaussianBayesianNetwork):
        return _from_gaussian(model)
    expected = "a pgmpy DiscreteBayesianNetwork or LinearGaussianBayesianNetwork"
    raise TypeError(f"expected {expected}, not {type(model).__name__}")


def to_pgmpy(network: BayesianNetwork) -> Any:
    """A pgmpy model of the network.

    Args:
        network: The network.

    Returns:
        A new pgmpy `DiscreteBayesianNetwork` or `LinearGaussianBayesianNetwork` with the same names and numbers.

    Raises:
        ImportError: pgmpy is not installed.

    """
    models = _pgmpy_models()
    if network.kind == "discrete":
        return _assembled(models.DiscreteBayesianNetwork(), network.dag, _tabular_cpds(network))
    return _assembled(models.LinearGaussianBayesianNetwork(), network.dag, _linear_gaussian_cpds(network))


class RootOfVariance(float):
    """A standard deviation that remembers the variance of which it is the rounded square root."""

    variance: float

    @classmethod
    def of(cls, variance: float) -> RootOfVariance:
        root = cls(math.sqrt(variance))
        root.variance = variance
        return root


def _pgmpy_models() -> Any:
    try:
        import pgmpy.models
    except ImportError as error:
        raise ImportError("exchange with pgmpy needs pgmpy: pip install pgmpy") from error
    return pgmpy.models


def _from_discrete(model: Any) -> BayesianNetwork:
    cpds = _cpds_by_node(model)
    states = {node: list(cpd.state_names.get(node, range(cpd.variable_card))) for node, cpd in cpds.items()}
    parents, tables = {}, {}
    for node, cpd in cpds.items():
        parents[node] = _checked_parents(model, node, cpd.variables[1:])
        _check_states_of_parents(states, node, cpd.state_names)
        tables[node] = np.moveaxis(np.asarray(cpd.values, np.float64), 0, -1)
    return BayesianNetwork.discrete(Dag.from_parents(parents), tables, states)


def _from_gaussian(model: Any) -> BayesianNetwork:
    parents, regressions = {}, {}
    for node, cpd in _cpds_by_node(model).items():
        above = parents[node] = _checked_parents(model, node, cpd.evidence)
        if len(cpd.beta) != 1 + len(above):
            raise NetworkError(f"the CPD of {node!r} needs 1 + {len(above)} betas, an intercept first, not {cpd.beta!r}")
        intercept, *slopes = map(float, cpd.beta)
        variance = cpd.std.variance if isinstance(cpd.std, RootOfVariance) else float(cpd.std) ** 2
        regressions[node] = intercept, dict(zip(above, slopes, strict=True)), variance
    return BayesianNetwork.gaussian(Dag.from_parents(parents), regressions)


def _cpds_by_node(model: Any) -> dict[Name, Any]:
    by_variable = {cpd.variable: cpd for cpd in model.get_cpds()}
    for node in model.nodes():
        if node not in by_variable:
            raise NetworkError(f"{node!r} has no CPD; give it one with model.add_cpds(…)")
    return {node: by_variable[node] for node in model.nodes()}


def _checked_parents(model: Any, node: Name, evidence: list[Name]) -> list[Name]:
    """The evidence of a CPD, which must be the parents in the graph."""
    parents = list(model.predecessors(node))
    if set(evidence) != set(parents):
        raise NetworkError(f"the CPD of {node!r} has the evidence {evidence!r}; its parents in the graph are {parents!r}")
    return evidence


def _check_states_of_parents(states: Mapping[Name, list[Label]], node: Name, named: Mapping[Name, list[Label]]) -> None:
    """A CPD need not name its parents' states; if it does, they must be those of the parents' own CPDs, in their order."""
    for parent, labels in named.items():
        if parent in states and list(labels) != states[parent]:
            theirs = f"the CPD of {parent!r} has {states[parent]!r}"
            raise NetworkError(f"the CPD of {node!r} has the states {list(labels)!r} for {parent!r}; {theirs}")


def _tabular_cpds(network: BayesianNetwork) -> Iterable[Any]:
    from pgmpy.factors.discrete import TabularCPD

    states = network.states
    for node in network.dag.nodes:
        table = cast(Table, network.family(node))
        *parent_cards, card = table.values.shape
        names = {member: list(states[member]) for member in (node, *table.parents)}
        columns = table.values.reshape(-1, card).T
        yield TabularCPD(node, card, columns, list(table.parents), parent_cards, state_names=names)


def _linear_gaussian_cpds(network: BayesianNetwork) -> Iterable[Any]:
    from pgmpy.factors.continuous import LinearGaussianCPD

    for node in network.dag.nodes:
        regression = cast(Regression, network.family(node))
        beta = [regression.intercept, *(regression.coefficients[parent] for parent in regression.parents)]
        yield LinearGaussianCPD(node, beta, RootOfVariance.of(regression.variance), list(regression.parents))


def _assembled(model: Any, dag: Dag, cpds: Iterable[Any]) -> Any:
    model.add_nodes_from(dag.nodes)
    # Parents first: before each edge pgmpy searches for a path back from the child, which has no children yet.
    model.add_edges_from((parent, child) for child in dag.topological_order() for parent in dag.parents(child))
    model.add_cpds(*cpds)
    return model
