"""Whether a file that may have been changed is refused, or answers as the numbers in it say; asked in a process of its own.

What a question should give is found by brute force, from the numbers of the file and the graph and tree of the model: for a
coherent model in the whole network, for another one in the network on the clusters that the question keeps.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import sys
import tempfile
import traceback
import warnings
from collections.abc import Iterable, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from inference.brute_force import BruteForce
from inference.exact_normal import ExactNormal
from storage.raw_files import RawFile

import dconvex as dc
from dconvex._core import ClusterIndex, Graph, Ragged

LARGEST = 1e6
"""Gaussian networks with larger numbers, or smaller ones, round off too much to be compared."""


class Wrong(Exception):
    """An answer that the numbers in the file do not give."""


def verdict(path: Path) -> str:
    """ "refused", "answered", or what is wrong."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return _checked_statistics(path) if path.suffix == ".dcs" else _checked_model(path)
    except dc.FormatError as error:
        return "refused" if str(path.name) in str(error) else f"an error that does not name the file: {error}"
    except dc.TooLargeError:
        return "limited"
    except BaseException as error:
        last = traceback.extract_tb(error.__traceback__)[-3:]
        where = " < ".join(f"{Path(frame.filename).name}:{frame.lineno}" for frame in reversed(last))
        return f"{type(error).__name__}: {error} at {where}"


def serve() -> None:
    """Answer for each path on the standard input with a line of JSON, until there is none."""
    if sys.platform == "linux" and "libasan" not in os.environ.get("LD_PRELOAD", ""):  # its shadow is larger than any limit
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (12 << 30, 12 << 30))
    print(json.dumps("ready"), flush=True)
    for line in sys.stdin:
        print(json.dumps(verdict(Path(json.loads(line)))), flush=True)


def _checked_model(path: Path) -> str:
    model = dc.open_model(path)
    repr(model)
    oracle = Oracle(model, RawFile.read(path))
    if not oracle.is_sound:
        with tempfile.TemporaryDirectory() as folder:
            model.save(Path(folder) / path.name)  # reads everything
        raise Wrong("all numbers were read, and some cannot be")
    if not oracle.can_compare:
        return _asked(model, oracle)
    for evidence in oracle.evidences():
        _check_marginals(model, oracle, evidence)
        _same(model.log_evidence(evidence), oracle.log_evidence(evidence), f"log_evidence({evidence})")
    _check_queries(model, oracle)
    _check_most_probable(model, oracle)
    _check_network(model, oracle)
    _check_origin(model)
    with tempfile.TemporaryDirectory() as folder:
        again_at = Path(folder) / f"again_{path.name}"
        model.save(again_at)
        again = dc.open_model(again_at)
        if again.tree != model.tree or again.states != model.states or again.dag != model.dag:
            raise Wrong("the model is another one after it was saved")
        for evidence in oracle.evidences():
            _same(again.log_evidence(evidence), model.log_evidence(evidence), f"log_evidence({evidence}) after saving")
    return "answered"


def _asked(model: dc.LocalModel, oracle: Oracle) -> str:
    """Ask without knowing the answers: nothing but the errors that may be."""
    for evidence in oracle.evidences():
        with contextlib.suppress(dc.ImpossibleEvidenceError):
            model.marginals(evidence)
        model.log_evidence(evidence)
    return "answered"


class Oracle:
    """The parameters in a file, by variable and parents, and the networks that they make."""

    def __init__(self, model: dc.LocalModel, raw: RawFile) -> None:
        self.model = model
        dag, tree = model.dag, model.tree
        self.nodes = dag.nodes
        index = ClusterIndex(
            Graph(Ragged.from_lists([[dag.index_of(p) for p in dag.parents(v)] for v in dag.nodes])),
            Ragged.from_lists([sorted(map(dag.index_of, cluster)) for cluster in tree.clusters]),
            np.array(tree.edges, np.int32).reshape(-1, 2),
        )
        numbers = raw.arrays["numbers" if raw.version == 1 else "tables.numbers"]
        known = len(dag) if model.coherent else index.table_count
        sizes = []
        families = []
        for table in range(known):
            variable, parents = (
                self.nodes[index.table_variable[table]],
                tuple(self.nodes[p] for p in index.table_parents[table]),
            )
            families.append((variable, parents))
            shape = (
                [len(model.states[name]) for name in (*parents, variable)] if model.kind == "discrete" else [2 + len(parents)]
            )
            sizes.append(int(np.prod(shape)))
        offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(int)
        if offsets[-1] != len(numbers):
            raise Wrong("the numbers do not fit the tables")
        self.parameters = {family: numbers[a:b] for family, (a, b) in zip(families, pairwise(offsets), strict=True)}
        self._networks: dict[frozenset[Any], dc.BayesianNetwork] = {}

    @property
    def is_sound(self) -> bool:
        """Whether all numbers are those of distributions."""
        for (variable, _), own in self.parameters.items():
            if not np.isfinite(own).all() or (own if self.model.kind == "discrete" else own[1:2]).min() < 0:
                return False
            if self.model.kind == "discrete":
                sums = own.reshape(-1, len(self.model.states[variable])).sum(axis=1)
                if np.abs(sums - 1).max() > 1e-9:
                    return False
        return True

    def evidences(self) -> list[dict[Any, Any]]:
        """None, some, and what is hardly possible."""
        first, last = self.nodes[0], self.nodes[-1]
        if self.model.kind == "gaussian":
            return [{}, {last: 1.5}, {first: 0.0, last: -1.0}, dict.fromkeys(self.nodes[1:], 1.0)]
        states = self.model.states
        everything = {node: states[node][0] for node in self.nodes[1:]}
        return [{}, {last: states[last][0]}, {first: states[first][-1], last: states[last][-1]}, everything]

    def impossible(self) -> list[dict[Any, Any]]:
        """Evidence that a zero in a table, or a regression without noise, makes impossible."""
        found: list[dict[Any, Any]] = []
        for variable in self.nodes:
            parents = self.model.dag.parents(variable)
            own = self.parameters[variable, parents]
            if self.model.kind == "gaussian":
                if own[1] == 0:
                    found.append({**dict.fromkeys(parents, 1.0), variable: float(own[0] + own[2:].sum() + 1)})
                continue
            labels = [self.model.states[name] for name in (*parents, variable)]
            for cell in np.argwhere(own.reshape([len(each) for each in labels]) == 0)[:1].tolist():
                states = zip((*parents, variable), labels, cell, strict=True)
                found.append({name: each[state] for name, each, state in states})
        return found[:3]

    def network(self, variables: Iterable[Any]) -> dc.BayesianNetwork:
        """The network that a question about these variables is asked of."""
        model, wanted = self.model, set(variables)
        if model.coherent or not wanted:
            kept = frozenset(self.nodes)
        else:
            kept = frozenset().union(*model.tree.pruned_to(wanted).clusters)
        if kept not in self._networks:
            self._networks[kept] = self._made(kept)
        return self._networks[kept]

    def _made(self, kept: frozenset[Any]) -> dc.BayesianNetwork:
        model = self.model
        parents = {v: tuple(p for p in model.dag.parents(v) if p in kept) for v in self.nodes if v in kept}
        dag = dc.Dag.from_parents(parents)
        own = {v: self.parameters[v, parents[v]] for v in parents}
        if model.kind == "discrete":
            shapes = {v: [len(model.states[name]) for name in (*parents[v], v)] for v in parents}
            tables = {v: own[v].reshape(shapes[v]) for v in parents}
            return dc.BayesianNetwork.discrete(dag, tables, {v: model.states[v] for v in parents})
        regressions = {v: (n[0], dict(zip(parents[v], n[2:], strict=True)), n[1]) for v, n in own.items()}
        return dc.BayesianNetwork.gaussian(dag, regressions)

    @property
    def can_compare(self) -> bool:
        """Gaussian networks may have numbers so far apart that nothing of an answer is left."""
        if self.model.kind == "discrete":
            return True
        sizes = np.abs(np.concatenate(list(self.parameters.values())))
        return bool(sizes.max() < LARGEST and sizes[sizes > 0].min(initial=1.0) > 1 / LARGEST)

    def posterior(self, variables: Iterable[Any], evidence: Mapping[Any, Any]) -> BruteForce | ExactNormal | None:
        """Whoever knows the answers; None where the evidence is impossible."""
        network = self.network({*variables, *evidence})
        if self.model.kind == "discrete":
            found = BruteForce(network, evidence)
            return found if found.mass > 0 else None
        exact = ExactNormal(network, evidence)
        return exact if exact.is_possible else None

    def log_evidence(self, evidence: Mapping[Any, Any]) -> float:
        if not evidence:
            return 0.0
        found = self.posterior((), evidence)
        return -math.inf if found is None else found.log_evidence


def _check_marginals(model: dc.LocalModel, oracle: Oracle, evidence: Mapping[Any, Any]) -> None:
    expected = {v: oracle.posterior([v], evidence) for v in oracle.nodes}
    try:
        found = model.marginals(evidence)
    except dc.ImpossibleEvidenceError:
        if all(known is not None for known in expected.values()):
            raise Wrong(f"{evidence} is not impossible") from None
        return
    for variable, answer in found.items():
        known = expected[variable]
        if known is None:
            raise Wrong(f"{evidence} is impossible")
        _compare(model, answer, known, [variable], f"P({variable} | {evidence})")


def _check_queries(model: dc.LocalModel, oracle: Oracle) -> None:
    """Each variable on its own given another one, which keeps few clusters, and a pair."""
    nodes, count = oracle.nodes, len(oracle.nodes)
    for place, variable in enumerate(nodes):
        for step in (1, 3):
            other = nodes[(place + step) % count]
            _check_query(model, oracle, [variable], {other: 1.0 if model.kind == "gaussian" else model.states[other][0]})
    _check_query(model, oracle, [nodes[0], nodes[count // 2]], oracle.evidences()[1])
    for evidence in oracle.impossible():  # also where it does not matter for the answer
        for variable in (nodes[0], nodes[count // 2], nodes[-1]):
            if variable not in evidence:
                _check_query(model, oracle, [variable], evidence)


def _check_query(model: dc.LocalModel, oracle: Oracle, variables: list[Any], evidence: Mapping[Any, Any]) -> None:
    known = oracle.posterior(variables, evidence)
    try:
        found = model.query(variables, evidence)
    except dc.ImpossibleEvidenceError:
        if known is not None:
            raise Wrong(f"{evidence} is not impossible") from None
        return
    if known is None:
        raise Wrong(f"{evidence} is impossible")
    _compare(model, found, known, variables, f"P({variables} | {evidence})")


def _compare(model: dc.LocalModel, answer: Any, known: Any, variables: list[Any], what: str) -> None:
    if model.kind == "discrete":
        _same(answer.values, known.query(variables), what)
    else:
        mean, covariance = known.moments(variables)
        _same(answer.mean, mean, what, 1e-6)
        _same(answer.covariance, covariance, what, 1e-6)


def _check_most_probable(model: dc.LocalModel, oracle: Oracle) -> None:
    evidence = oracle.evidences()[1]
    try:
        assignment, log_probability = model.most_probable(None, evidence)
    except dc.ImpossibleEvidenceError:
        return
    if model.kind == "discrete":
        known = BruteForce(oracle.network(oracle.nodes), evidence)
        _same(log_probability, math.log(known.most_probable(assignment)), "most_probable")
        _same(log_probability, math.log(known.probability(assignment)), "most_probable")


def _check_network(model: dc.LocalModel, oracle: Oracle) -> None:
    try:
        network = model.network()
    except ValueError as error:
        if isinstance(error, dc.FormatError) or "for_query" not in str(error):
            raise
        return
    if network != oracle.network(()) and model.kind == "gaussian":
        raise Wrong("the network is not what the numbers say")
    if model.kind == "discrete":
        for variable in oracle.nodes:
            _same(network.family(variable).values, oracle.network(()).family(variable).values, f"the table of {variable}")
    if len(model.sample(3, seed=1)) != 3:
        raise Wrong("there are not three rows")


def _check_origin(model: dc.LocalModel) -> None:
    """Learning from more data gives a model, or an error of ours that is not about the file."""
    try:
        report = model.report()
    except ValueError as error:
        if "given network" not in str(error):
            raise
        return
    str(report)
    try:
        updated = model.updated(_frame(model))
    except (dc.DataError, dc.ImpossibleEvidenceError):
        return
    except ValueError as error:
        if isinstance(error, dc.FormatError) or "saved without statistics" not in str(error):
            raise
        return
    _check_finite(updated, model._origin.statistics())


def _check_finite(model: dc.LocalModel, statistics: dc.Statistics) -> None:
    """A model that was learned from numbers that do not overflow knows something."""
    if model.kind == "gaussian" and max(np.abs(statistics.part.mean).max(), statistics.part.scatter.max()) > LARGEST:
        return
    for answer in model.marginals().values():
        values = answer.values if model.kind == "discrete" else answer.mean
        if not np.isfinite(values).all():
            raise Wrong("the model knows nothing")


def _frame(model: dc.LocalModel) -> pd.DataFrame:
    rng = np.random.default_rng(1)
    if model.kind == "gaussian":
        return pd.DataFrame({name: rng.normal(size=20) for name in model.dag.nodes})
    return pd.DataFrame(
        {name: [labels[k % len(labels)] for k in range(20)] for name, labels in model.states.items()}, dtype=object
    )


def _checked_statistics(path: Path) -> str:
    statistics = dc.Statistics.load(path)
    repr(statistics)
    both = statistics + statistics
    if both.rows != 2 * statistics.rows:
        raise Wrong("rows do not add up")
    with tempfile.TemporaryDirectory() as folder:
        again_at = Path(folder) / f"again_{path.name}"
        statistics.save(again_at)
        if dc.Statistics.load(again_at) != statistics:
            raise Wrong("the statistics are others after they were saved")
    try:
        statistics.score("bic")
        if statistics.kind == "discrete" and statistics.part.tallies.seen:
            return "answered"  # a model of that many cells takes long
        model = dc.fit(statistics.dag, statistics, prior=dc.Dirichlet(1) if statistics.kind == "discrete" else None)
    except (dc.DataError, dc.NetworkError):
        return "answered"
    except ValueError as error:
        if "part" in str(error) or "coherent" in str(error):
            return "answered"
        raise
    _check_finite(model, statistics)
    if statistics.kind == "discrete" and not statistics.scope.is_partial:
        _check_counts(statistics, model.network(), RawFile.read(path))
    return "answered"


def _check_counts(statistics: dc.Statistics, network: dc.BayesianNetwork, raw: RawFile) -> None:
    """The tables of the network are the counts in the file, one added to each."""
    counts = raw.arrays["statistics.counts" if raw.version == 1 else "counts.cells"]
    first = 0
    for variable in statistics.dag.nodes:
        shape = [len(statistics.states[name]) for name in (*statistics.dag.parents(variable), variable)]
        size = math.prod(shape)
        cells = counts[first : first + size].reshape(shape) + 1.0
        _same(network.family(variable).values, cells / cells.sum(axis=-1, keepdims=True), f"the table of {variable}")
        first += size


def _same(found: Any, expected: Any, what: str, tolerance: float = 1e-7) -> None:
    if not np.allclose(found, expected, rtol=tolerance, atol=tolerance, equal_nan=True):
        raise Wrong(f"{what} is {found}, not {expected}")
