"""Where a model comes from, in its file and back: how it was learned, its report, and its statistics where they are saved."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, cast, final, get_args

import numpy as np

from dconvex.clusters.cluster_index import ClusterIndex
from dconvex.graph.dag import Dag
from dconvex.inference.discrete import DiscreteEngine
from dconvex.inference.gaussian import GaussianEngine
from dconvex.inference.model import LocalModel
from dconvex.inference.origin import NO_REPORT, NO_UPDATE, Origin
from dconvex.inference.report import Report
from dconvex.learning.estimation.priors import Prior
from dconvex.learning.fitting import DataOrigin, network_of, updated_model
from dconvex.learning.learning_options import LearningOptions, Unknown
from dconvex.learning.tree_statistics import Statistics
from dconvex.names import Label, Name
from dconvex.network.network import BayesianNetwork
from dconvex.storage.container import Container
from dconvex.storage.facts import Facts
from dconvex.storage.reports import missing_record, prior_record, read_missing, read_prior, read_report, report_array
from dconvex.storage.sections import Arrays, Record
from dconvex.storage.stored_statistics import read_statistics, statistics_arrays
from dconvex.storage.structure import stored_count

UNKNOWN: tuple[Unknown, ...] = get_args(Unknown)


@final
@dataclass(frozen=True, slots=True, eq=False)
class FileOrigin:
    """A file: the report and the statistics of a model that was learned are read when they are needed."""

    file: Container
    index: ClusterIndex
    engine: DiscreteEngine | GaussianEngine
    prior: Prior | None
    options: LearningOptions | None
    """How data was read; None for the model of a given network."""
    is_partial: bool

    @classmethod
    def read(
        cls, file: Container, index: ClusterIndex, engine: DiscreteEngine | GaussianEngine, max_bytes: int | None
    ) -> FileOrigin:
        """What `origin_arrays` gave.

        Raises:
            FormatError: It does not say how a model of this kind is learned.
        """
        is_partial = file.facts.flag("partial")
        if "learned" not in file.facts:
            return cls(file, index, engine, None, None, is_partial)
        about = file.facts.part("learned")
        prior = read_prior(about, engine.kind)
        states = _declared(file, index, engine)
        options = LearningOptions(engine.kind, states, about.choice("unknown", UNKNOWN), max_bytes=max_bytes)
        options = replace(options, missing=read_missing(about), hidden=_hidden(about, index), weights=_weights(about))
        return cls(file, index, engine, prior, options, is_partial)

    def network(self) -> BayesianNetwork:
        self.engine.store.read_all()
        return network_of(self.index, self.engine, is_partial=self.is_partial)

    def updated(self, data: Any) -> LocalModel:
        if self.options is None:
            raise ValueError(NO_UPDATE)
        return updated_model(self.statistics(), data, self.prior, self.options, coherent=self.engine.coherent)

    def report(self) -> Report:
        if self.options is None:
            raise ValueError(NO_REPORT)
        return read_report(self.file, self.engine.kind, stored_count(self.index, coherent=self.engine.coherent))

    def statistics(self) -> Statistics:
        """The statistics that the model was saved with, if it was."""
        if "coverage" not in self.file:
            raise ValueError("the model was saved without statistics; save it with statistics=True, or learn it again")
        labels = self.engine.labels if isinstance(self.engine, DiscreteEngine) else None
        return read_statistics(self.file, self.index, self.engine.kind, labels)


def origin_arrays(origin: Origin, dag: Dag, *, statistics: bool) -> tuple[Arrays, Record]:
    """The arrays and facts of where a model comes from, with its statistics if they are wanted.

    Raises:
        ValueError: There are no statistics.
    """
    if not isinstance(origin, DataOrigin | FileOrigin) or origin.options is None:
        if statistics:
            raise ValueError("this model comes from a given network: there are no statistics to save")
        return {}, {"partial": False, "learned": None}
    declared = sorted(map(dag.index_of, origin.options.states or ()))
    arrays: Arrays = {"report.json": report_array(origin.report()), "learned.declared": np.array(declared, np.int32)}
    facts: Record = {
        "partial": origin.is_partial,
        "learned": {
            "prior": prior_record(origin.prior),
            "unknown": origin.options.unknown,
            **missing_record(origin.options.missing),
            "weights": origin.options.weights,
            "hidden": [dag.index_of(name) for name in origin.options.hidden],
        },
    }
    if statistics:
        own, about = statistics_arrays(origin.statistics(), with_labels=False)
        return arrays | own, facts | about
    return arrays, facts


def _hidden(about: Facts, index: ClusterIndex) -> tuple[Name, ...]:
    """The variables that no table has; files of earlier versions do not say."""
    found = about.items("hidden") if "hidden" in about else []
    if not all(type(variable) is int and 0 <= variable < len(index.dag) for variable in found):
        raise about.wrong("hidden", found)
    return tuple(index.dag.nodes[variable] for variable in found)


def _weights(about: Facts) -> Name | None:
    """The column of weights; files of earlier versions do not say."""
    found = about.record.get("weights")
    if not (found is None or type(found) in (str, int)):
        raise about.wrong("weights", found)
    return cast("Name | None", found)


def _declared(
    file: Container, index: ClusterIndex, engine: DiscreteEngine | GaussianEngine
) -> dict[Name, tuple[Label, ...]] | None:
    """The states that were declared when the model was learned."""
    declared = file.array("learned.declared")
    if not len(declared):
        return None
    is_sound = declared[0] >= 0 and declared[-1] < len(index.dag) and (declared[1:] > declared[:-1]).all()
    if not is_sound or not isinstance(engine, DiscreteEngine):
        raise file.damaged("its declared variables are not in order")
    names = index.dag.names
    return {names[variable]: engine.labels[variable] for variable in declared.tolist()}
