"""Small models for the tests of inference in the core: a network, a tree, its layout and tables, and questions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st

import dconvex as dc
from dconvex._core import ClusterIndex, Ragged, TableLayout, Tables


@dataclass(frozen=True, eq=False)
class Model:
    """A network and its tree as the core takes them."""

    network: dc.BayesianNetwork
    tree: dc.ClusterTree
    index: ClusterIndex
    layout: TableLayout

    @classmethod
    def of(cls, network: dc.BayesianNetwork, tree: dc.ClusterTree | None = None) -> Model:
        tree = tree or dc.decompose(network.dag)
        number = {name: index for index, name in enumerate(network.dag.nodes)}
        clusters = Ragged.from_lists([sorted(number[name] for name in cluster) for cluster in tree.clusters])
        index = ClusterIndex(network.dag.graph, clusters, np.array(tree.edges, np.int32).reshape(-1, 2))
        return cls(network, tree, index, TableLayout(index, network_states(network)))

    @property
    def size(self) -> int:
        return len(self.network.dag)

    def tables(self) -> Tables:
        """The network's own tables, nothing derived yet."""
        tables = Tables(self.layout, self.size)
        tables.put(np.arange(self.size, dtype=np.int32), own_values(self.network))
        return tables

    def joint(self) -> np.ndarray:
        """All probabilities, an axis for each variable."""
        return product(
            self.network.dag.graph.parents, [own.reshape(-1) for own in own_tables(self.network)], self.layout.states
        )


def network_states(network: dc.BayesianNetwork) -> np.ndarray:
    return np.array([len(labels) for labels in network.states.values()], np.int32)


def own_tables(network: dc.BayesianNetwork) -> list[np.ndarray]:
    return [network.family(name).values for name in network.dag.nodes]


def own_values(network: dc.BayesianNetwork) -> np.ndarray:
    return np.concatenate([np.empty(0), *(table.reshape(-1) for table in own_tables(network))])


def product(parents: Ragged, tables: list[np.ndarray], states: np.ndarray) -> np.ndarray:
    """The product of tables over (*parents, variable), the v-th for variable v; an axis for each variable."""
    joint = np.ones(states)
    for variable, table in enumerate(tables):
        members = [*parents[variable].tolist(), variable]
        shaped = table.reshape([states[member] for member in members])
        shape = [states[axis] if axis in members else 1 for axis in range(len(states))]
        joint = joint * np.transpose(shaped, np.argsort(members)).reshape(shape)
    return joint


def conditioned(joint: np.ndarray, observed: list[int], states: list[int], likelihoods: dict[int, np.ndarray]) -> np.ndarray:
    """The joint with zeros where it contradicts the observations, times the likelihoods."""
    found = joint.copy()
    for variable, state in zip(observed, states, strict=True):
        mask = np.zeros(joint.shape[variable])
        mask[state] = 1.0
        found *= mask.reshape([-1 if axis == variable else 1 for axis in range(joint.ndim)])
    for variable, likelihood in likelihoods.items():
        found *= likelihood.reshape([-1 if axis == variable else 1 for axis in range(joint.ndim)])
    return found


def marginal(joint: np.ndarray, variables: list[int]) -> np.ndarray:
    """Summed over all other axes; the axes in the order of the variables."""
    rest = tuple(axis for axis in range(joint.ndim) if axis not in variables)
    kept = sorted(variables)
    return np.transpose(joint.sum(axis=rest), [kept.index(variable) for variable in variables])


@st.composite
def models(draw, smallest: int = 1, largest: int = 7):
    nodes = draw(st.integers(smallest, largest))
    edges = draw(st.integers(0, min(nodes * (nodes - 1) // 2, 2 * nodes)))
    dag = dc.random_dag(nodes, edges, seed=draw(st.integers(0, 10_000)))
    network = dc.random_network(dag, draw(st.integers(1, 3)), seed=draw(st.integers(0, 10_000)))
    tree = dc.decompose(dag, separators=draw(st.sampled_from(["minimal", "any", "complete"])))
    return Model.of(network, tree)


@dataclass(frozen=True)
class Parts:
    """The variables of a question, and evidence that fits them."""

    targets: list[int]
    observed: list[int]
    soft: list[int]
    states: list[int]
    likelihoods: list[np.ndarray]

    def weighted(self, joint: np.ndarray) -> np.ndarray:
        return conditioned(joint, self.observed, self.states, dict(zip(self.soft, self.likelihoods, strict=True)))


@st.composite
def parts_of(draw, model: Model):
    order = draw(st.permutations(range(model.size)))
    first = draw(st.integers(0, model.size))
    second = draw(st.integers(first, model.size))
    targets, observed = order[:first], order[first:second]
    soft = [v for v in order if v not in observed and draw(st.booleans())][:2]
    counts = model.layout.states
    states = [draw(st.integers(0, int(counts[v]) - 1)) for v in observed]
    weights = st.sampled_from([0.25, 0.5, 1.0, 1e-100])
    likelihoods = [np.array([draw(weights) for _ in range(counts[v])]) for v in soft]
    return Parts(targets, observed, soft, states, likelihoods)
