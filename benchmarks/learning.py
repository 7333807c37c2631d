"""Parameters from a data frame: ours, pgmpy's and pyAgrum's, the time to take in the frame included.

We compute the tree inside the clock, and learn the families of all its clusters where the peers learn those of the network.
Each contender's tables are compared with ours, outside the clock; one that disagrees has no time. The peers know the states
beforehand. pgmpy is its `DiscreteMLE` in one process, which takes as long as the deprecated `MaximumLikelihoodEstimator`.
pyAgrum is a `BNLearner` with the structure given; it writes the frame to a CSV file, and refuses parents that were never seen
together unless it has a prior, so it gets one of next to nothing.

*Counting alone* starts from a matrix of int8 codes and counts the network's own families, on one thread, against a loop of
index arithmetic and `numpy.bincount`.

*t_full / t_decom* is the paper's ratio (Section V-A, Figure 2): maximum likelihood of the global network, over that of the
sub-models in parallel; "only the parameter learning phase", so the tree and its families are known before the clock starts.
The published notebook times bnlearn's `bn.fit` on the network, in one process, against `bn.fit` on each cluster, in up to 9
processes that hold the clusters' columns already; a family that three clusters share is counted three times.

- t_decom is our local learning: each distinct family (v, pa(v) ∩ C) once, on this many threads.
- t_full is the coherent model: the family of each variable, on one thread. Its ratio is the paper's.
- "cluster by cluster" is the notebook's procedure with our learning instead of bnlearn's, on this many threads.
- "full, n_jobs=2" is the coherent model again: threads serve it as well.

Clusters have more families than their network (pigs: 635 and 441), so with the same code on one thread the ratio is below
one; with more it is at most their number times the share of the work that the network's own families are.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, TypeAlias, cast

import numpy as np
import pandas as pd
from numpy.typing import NDArray

import dconvex as dc
from benchmarks.harness import Case, Work
from dconvex._core import CountTables, count_cells
from dconvex.exchange.pgmpy import from_pgmpy, to_pgmpy
from dconvex.exchange.pyagrum import from_pyagrum, to_pyagrum
from dconvex.learning.fitting import learned
from dconvex.learning.learning_options import LearningOptions
from dconvex.learning.statistics.counted_families import Families
from dconvex.learning.statistics.counts import Counts
from dconvex.learning.tree_statistics import Scope, statistics_of
from dconvex.names import Name

Networked: TypeAlias = Callable[[], dc.BayesianNetwork]
"""What a contender comes to: the network it has learned is made when it is asked for, after the clock has stopped."""
Learn: TypeAlias = Callable[[], Networked]
Difference: TypeAlias = Callable[[dc.BayesianNetwork, dc.BayesianNetwork, Name], float]
Regressed: TypeAlias = tuple[float, dict[Name, float], float]
Make: TypeAlias = Callable[[pd.DataFrame], pd.DataFrame]

PAPER = {"child": 1.40, "alarm": 1.81, "hailfinder": 2.03, "hepar2": 1.96, "win95pts": 2.02, "pigs": 2.69}
"""t_full / t_decom, the supplement's table."""
QUICK = ("alarm", "pigs")
SEED = 1
TOLERANCE = 1e-6
"""The prior that pyAgrum needs moves its numbers by less."""
NEXT_TO_NOTHING = 1e-9


def cases(quick: bool) -> Iterator[Case]:
    rows = 20_000 if quick else 150_000
    names = QUICK if quick else tuple(PAPER)
    for name in names:
        network = dc.load_network(name)
        kinds = len(KINDS) if name == "alarm" else 1 if quick else 4
        for kind, make in list(KINDS.items())[:kinds]:
            frame = make(network.sample(rows, seed=SEED))
            yield fitting(f"{name}, {rows:,} rows, {kind}", network, frame, turns=3 if name != "pigs" else int(not quick))
    for name in names:
        yield counting(f"{name}, {rows:,} rows, counting alone", dc.load_network(name), rows)
    for name in names:
        for threads in (1, 2):
            yield decomposed(name, rows, threads)
    yield gaussian("arth150", rows if quick else 100_000)


def coded(frame: pd.DataFrame) -> pd.DataFrame:
    """Integers, as many bits as pandas gives them by itself."""
    return pd.DataFrame({name: column.cat.codes.astype(np.int64) for name, column in frame.items()})


def shared_objects(frame: pd.DataFrame) -> pd.DataFrame:
    """Equal cells of a column are one Python object."""
    return frame.astype(object)


def own_objects(frame: pd.DataFrame) -> pd.DataFrame:
    """Each cell is a Python object of its own, as `astype(object)` makes them of text."""
    return frame.astype(str).astype(object)


KINDS: Mapping[str, Make] = {
    "integers": coded,
    "categoricals": lambda frame: frame,
    "strings": lambda frame: frame.astype(str),
    "objects, shared": shared_objects,
    "objects, each its own": own_objects,
    "int8": lambda frame: coded(frame).astype(np.int8),
}
"""How the columns are given; the last two on alarm only, and of pigs just the first in a quick run."""


def fitting(name: str, network: dc.BayesianNetwork, frame: pd.DataFrame, turns: int) -> Case:
    """The number of turns of the peers."""
    dag, states = network.dag, network.states
    if pd.api.types.is_integer_dtype(frame.dtypes.iloc[0]):
        states = {variable: tuple(range(len(labels))) for variable, labels in states.items()}
    contenders: dict[str, Work] = {
        "dconvex": lambda: dc.fit(dag, frame).network,
        "dconvex, n_jobs=1": lambda: dc.fit(dag, frame, n_jobs=1).network,
        "pgmpy": by_pgmpy(network, states, frame),
        "pyAgrum": by_pyagrum(network, states, frame),
    }
    describe = compared_with(dc.fit(dag, frame).network(), table_difference)
    return Case(name, contenders, most={"pgmpy": turns, "pyAgrum": turns}, describe=describe)


def by_pgmpy(network: dc.BayesianNetwork, states: Any, frame: pd.DataFrame) -> Learn:
    from pgmpy.models import DiscreteBayesianNetwork
    from pgmpy.parameter_estimator import DiscreteMLE

    graph = DiscreteBayesianNetwork(network.dag.edges)
    graph.add_nodes_from(network.dag.nodes)
    names = {variable: list(labels) for variable, labels in states.items()}

    def learn() -> Networked:
        found = DiscreteMLE(state_names=names, n_jobs=1).fit(graph, frame).parameters_

        def as_network() -> dc.BayesianNetwork:
            model = graph.copy()
            model.add_cpds(*found)
            return from_pgmpy(model)

        return as_network

    return learn


def by_pyagrum(network: dc.BayesianNetwork, states: Any, frame: pd.DataFrame) -> Learn:
    """It leaves its CSV files behind, so they get a folder that does not stay."""
    import pyagrum

    tables = {variable: cast(dc.Table, network.family(variable)).values for variable in network.dag.nodes}
    template = to_pyagrum(dc.BayesianNetwork.discrete(network.dag, tables, states))

    def learn() -> Networked:
        learner = pyagrum.BNLearner(frame, template)
        learner.useSmoothingPrior(NEXT_TO_NOTHING)
        model = learner.learnParameters(template)
        return lambda: from_pyagrum(model)

    def learn_and_clear() -> Networked:
        usual = tempfile.tempdir
        with tempfile.TemporaryDirectory(prefix="dconvex-") as tempfile.tempdir:
            try:
                return learn()
            finally:
                tempfile.tempdir = usual

    return learn_and_clear


def compared_with(ours: dc.BayesianNetwork, difference: Difference) -> Callable[[Networked], str]:
    """Raises if any number of another network is too far from ours."""

    def compare(networked: Networked) -> str:
        theirs = networked()
        furthest = max(difference(ours, theirs, variable) for variable in ours.dag.nodes)
        if not furthest <= TOLERANCE:
            raise ValueError(f"disagrees by {furthest:.1g}")
        return f"within {furthest:.0e}" if furthest else "the same"

    return compare


def table_difference(ours: dc.BayesianNetwork, theirs: dc.BayesianNetwork, variable: Name) -> float:
    """Between two tables of a variable, whose parents and labels may come in another order."""
    own, other = cast(dc.Table, ours.family(variable)), cast(dc.Table, theirs.family(variable))
    place = {name: axis for axis, name in enumerate((*other.parents, variable))}
    members = (*own.parents, variable)
    labels = [[theirs.states[name].index(label) for label in ours.states[name]] for name in members]
    turned = other.values.transpose([place[name] for name in members])
    return float(np.abs(turned[np.ix_(*labels)] - own.values).max())


def counting(name: str, network: dc.BayesianNetwork, rows: int) -> Case:
    """The native core, `dc.statistics` of an int8 frame (which gives states their numbers first), and NumPy."""
    dag = network.dag
    frame = coded(network.sample(rows, seed=SEED)).astype(np.int8)
    codes = np.ascontiguousarray(frame[list(dag.nodes)].to_numpy().T)
    sizes = np.array([len(network.states[variable]) for variable in dag.nodes], np.int64)
    own = Scope.of(dag, None, coherent=True).families
    all_of_tree = Scope.of(dag, None).families
    expected = by_bincount(own, codes, sizes)

    def by_statistics() -> NDArray[np.int64]:
        counts = cast(Counts, dc.statistics(dag, frame, coherent=True, n_jobs=1).part).tallies.counts
        return cast("NDArray[np.int64]", counts)

    def compare(found: NDArray[np.int64]) -> str:
        if not np.array_equal(found[: len(expected)], expected):
            raise ValueError("disagrees")
        return "the same"

    contenders: dict[str, Work] = {
        "dconvex core": partial(by_core, own, codes, sizes),
        f"dconvex core, {len(all_of_tree)} families": partial(by_core, all_of_tree, codes, sizes),
        "dc.statistics, n_jobs=1": by_statistics,
        "NumPy bincount": partial(by_bincount, own, codes, sizes),
    }
    return Case(name, contenders, describe=compare)


def by_core(families: Families, codes: NDArray[np.int8], sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    cells = families.table_sizes(sizes).astype(np.int64)
    first_cell = np.concatenate([[0], np.cumsum(cells)])
    counts, used = np.zeros(first_cell[-1], np.int64), np.zeros(len(families), np.int64)
    tables = CountTables(families.lists, sizes, np.zeros(len(sizes), bool), first_cell[:-1])
    count_cells(tables, codes, codes.shape[1], counts, used, 0, len(families))
    return counts


def by_bincount(families: Families, codes: NDArray[np.int8], sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Without a copy that need not be: the first member becomes the key, the others are worked into it in place."""
    found = []
    for number in range(len(families)):
        first, *others = families.members_of(number)
        key, cells = codes[first].astype(np.intp), int(sizes[first])
        for member in others:
            key *= sizes[member]
            key += codes[member]
            cells *= int(sizes[member])
        found.append(np.bincount(key, minlength=cells))
    return np.concatenate(found)


def decomposed(name: str, rows: int, threads: int) -> Case:
    """The paper's ratio is that of the contender t_full."""
    network = dc.random_network(dc.load_network(name).dag, states=2, seed=SEED)
    frame = network.sample(rows, seed=SEED)
    whole, local = Scope.of(network.dag, None, coherent=True), Scope.of(network.dag, None)
    parts = [
        (Scope.of(network.dag.induced(cluster), None, coherent=True), frame[sorted(cluster)])
        for cluster in local.index.tree.clusters
    ]
    contenders: dict[str, Work] = {
        f"t_decom, n_jobs={threads}": lambda: [learned_from(frame, local, threads, is_coherent=False)],
        f"t_full (the paper: {PAPER[name]:.2f})": lambda: [learned_from(frame, whole, 1)],
        f"cluster by cluster, n_jobs={threads}": partial(cluster_by_cluster, parts, threads),
    }
    if threads > 1:
        contenders[f"full, n_jobs={threads}"] = lambda: [learned_from(frame, whole, threads)]
    expected = dc.fit(network.dag, frame, coherent=True).network()

    def compare(models: Sequence[dc.LocalModel]) -> str:
        """Each variable has a model with all its parents, and there the table of the global estimate."""
        networks = [model.network() for model in models]
        for variable in network.dag.nodes:
            found = [one.family(variable) for one in networks if variable in one.dag]
            if expected.family(variable) not in found:
                raise ValueError(f"disagrees on {variable}")
        return f"{sum(model.report().families for model in models):,} families"

    title = f"{name}, binary, {rows:,} rows, {threads} thread{'s' * (threads > 1)}"
    return Case(title, contenders, describe=compare)


def learned_from(frame: pd.DataFrame, scope: Scope, n_jobs: int, *, is_coherent: bool = True) -> dc.LocalModel:
    """What `dc.fit` does once it has a tree and its families."""
    options = LearningOptions(n_jobs=n_jobs)
    return learned(statistics_of(scope, frame, options), None, options, coherent=is_coherent)


def cluster_by_cluster(parts: Sequence[tuple[Scope, pd.DataFrame]], threads: int) -> list[dc.LocalModel]:
    def learn(part: tuple[Scope, pd.DataFrame]) -> dc.LocalModel:
        return learned_from(part[1], part[0], 1)

    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(learn, parts))


def gaussian(name: str, rows: int) -> Case:
    """As maximum likelihood does, pgmpy divides by the rows; NumPy solves each regression, or one covariance matrix."""
    from pgmpy.parameter_estimator import LinearGaussianMLE

    network = dc.load_network(name)
    dag, frame, graph = network.dag, network.sample(rows, seed=SEED), to_pgmpy(network)

    def by_pgmpy() -> Networked:
        found = LinearGaussianMLE(std_estimator="mle").fit(graph, frame).parameters_
        graph.cpds = found
        return lambda: from_pgmpy(graph)

    contenders: dict[str, Work] = {
        "dconvex": lambda: dc.fit(dag, frame).network,
        "dconvex, n_jobs=1": lambda: dc.fit(dag, frame, n_jobs=1).network,
        "pgmpy": by_pgmpy,
        "NumPy lstsq": lambda: partial(dc.BayesianNetwork.gaussian, dag, by_lstsq(dag, frame)),
        "NumPy covariance": lambda: partial(dc.BayesianNetwork.gaussian, dag, by_covariance(dag, frame)),
    }
    describe = compared_with(dc.fit(dag, frame).network(), regression_difference)
    return Case(f"{name}, Gaussian, {rows:,} rows", contenders, most={"pgmpy": 5, "NumPy lstsq": 5}, describe=describe)


def by_lstsq(dag: dc.Dag, frame: pd.DataFrame) -> dict[Name, Regressed]:
    found: dict[Name, Regressed] = {}
    for variable in dag.nodes:
        parents = dag.parents(variable)
        design = np.column_stack([np.ones(len(frame)), *(frame[parent] for parent in parents)])
        target = frame[variable].to_numpy()
        solution = np.linalg.lstsq(design, target)[0]
        intercept, *coefficients = solution.tolist()
        variance = float(np.mean((target - design @ solution) ** 2))
        found[variable] = intercept, dict(zip(parents, coefficients, strict=True)), variance
    return found


def by_covariance(dag: dc.Dag, frame: pd.DataFrame) -> dict[Name, Regressed]:
    """One product of matrices for all variables, and a small system of equations for each."""
    values = frame[list(dag.nodes)].to_numpy()
    mean, covariance = values.mean(axis=0), np.cov(values, rowvar=False, bias=True)
    found: dict[Name, Regressed] = {}
    for number, variable in enumerate(dag.nodes):
        parents = dag.parents(variable)
        above = [dag.index_of(parent) for parent in parents]
        solution = np.linalg.solve(covariance[np.ix_(above, above)], covariance[above, number])
        intercept = float(mean[number] - solution @ mean[above])
        variance = float(covariance[number, number] - solution @ covariance[above, number])
        found[variable] = intercept, dict(zip(parents, solution.tolist(), strict=True)), variance
    return found


def regression_difference(ours: dc.BayesianNetwork, theirs: dc.BayesianNetwork, variable: Name) -> float:
    """Of numbers above one, relative."""
    own, other = (cast(dc.Regression, network.family(variable)) for network in (ours, theirs))
    one, two = (
        np.array([family.intercept, family.variance, *(family.coefficients[parent] for parent in own.parents)])
        for family in (own, other)
    )
    return float((np.abs(one - two) / np.maximum(1.0, np.abs(one))).max())
