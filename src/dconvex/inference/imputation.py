"""Tables with their missing cells filled in: with what is most probable, drawn, or expected."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple, NoReturn, TypeAlias

import numpy as np

from dconvex.arrays import Flags, Floats, Indices
from dconvex.clusters.cluster_index import ClusterIndex
from dconvex.errors import DataError
from dconvex.inference.discrete import DiscreteEngine
from dconvex.inference.evidence import Evidence
from dconvex.inference.gaussian import GaussianEngine
from dconvex.inference.kinds import engine_of
from dconvex.inference.partitions import Partitioned, checked_dask_frame, lies_in_partitions, mapped_by_partition
from dconvex.inference.possibility import raise_impossible, raise_impossible_numbers
from dconvex.inference.prediction import Impossible, Unknown
from dconvex.network.completion import UNWANTED, Completing, complete_numbers, complete_states
from dconvex.network.filled_frames import Cells, filled_frame
from dconvex.network.frame_columns import Columns
from dconvex.network.linear_regressions import Regressions
from dconvex.network.network import BayesianNetwork
from dconvex.network.probability_tables import Tables

SHOWN = 6
"""At most this many variables are named."""

Method: TypeAlias = Literal["most_probable", "sample", "mean"]


class ImputationRequest(NamedTuple):
    """How missing cells are to be filled in."""

    method: Method
    impossible: Impossible
    unknown: Unknown
    seed: np.random.SeedSequence
    limit: int
    n_jobs: int | None

    def checked(self, kind: Literal["discrete", "gaussian"]) -> ImputationRequest:
        """The request, unless it names something that there is not."""
        if self.method not in ("most_probable", "sample", "mean"):
            raise ValueError(f"unknown method {self.method!r}; there are 'most_probable', 'sample' and 'mean'")
        if self.method == "mean" and kind == "discrete":
            raise ValueError("states have no mean; use method='most_probable' or 'sample'")
        if self.impossible not in ("raise", "nan"):
            raise ValueError(f"impossible={self.impossible!r}; there are 'raise' and 'nan'")
        if self.unknown not in ("raise", "missing"):
            raise ValueError(f"unknown={self.unknown!r}; there are 'raise' and 'missing'")
        return self

    @property
    def drawn_by(self) -> np.random.SeedSequence | None:
        """The seed of what is drawn, where it is."""
        return self.seed if self.method == "sample" else None


def imputed(network: BayesianNetwork, index: ClusterIndex, data: object, request: ImputationRequest) -> object:
    """A frame like the data with no missing cell in the columns of variables; of Dask one with partitions like its own."""
    work = _Imputation(network, index, request.checked(network.kind))
    if not lies_in_partitions(data):
        return work.frame(data, ())
    frame: Partitioned = checked_dask_frame(data)
    columns = Columns(frame._meta_nonempty, network.dag.nodes)
    return mapped_by_partition(frame, work, _Imputation.partition, columns.rows(np.zeros(len(columns), bool)))


@dataclass(frozen=True, slots=True, eq=False)
class _Imputation:
    """What has to be known to fill in a frame, here or on a worker."""

    network: BayesianNetwork
    index: ClusterIndex
    request: ImputationRequest

    def partition(self, frame: object, number: int) -> object:
        """A partition; what is drawn for it depends on its number."""
        return self.frame(frame, (number,))

    def frame(self, frame: object, key: tuple[int, ...]) -> object:
        """A frame of the caller's kind."""
        names = self.network.dag.nodes
        columns = Columns(frame, names)
        present = [variable for variable, name in enumerate(names) if name in columns]
        if not present and len(names):
            more = ", …" if len(names) > SHOWN else ""
            raise DataError(f"no column belongs to a variable; the model has {', '.join(map(repr, names[:SHOWN]))}{more}")
        request = self.request._replace(seed=np.random.SeedSequence(self.request.seed.entropy, spawn_key=key))
        parameters = self.network.parameters
        if isinstance(parameters, Tables):
            cells = self._states(parameters, columns, present, request)
        else:
            assert isinstance(parameters, Regressions)
            cells = self._numbers(parameters, columns, present, request)
        return filled_frame(frame, {columns.name_of(names[variable]): own for variable, own in cells.items()})

    def _states(self, tables: Tables, columns: Columns, present: list[int], request: ImputationRequest) -> dict[int, Cells]:
        """By variable the rows with a missing cell that is filled in, and its states."""
        dag = self.network.dag
        codes = np.full((len(dag), len(columns)), UNWANTED, np.int32)
        for variable in present:
            labels = tables.labels[variable]
            codes[variable] = columns.codes_or_missing(dag.nodes[variable], labels, unknown=request.unknown)
        gapped = np.flatnonzero((codes == -1).any(axis=0))
        rows = codes[:, gapped]
        is_missing = rows == -1
        sizes = [len(labels) for labels in tables.labels]
        filling: Literal["most_probable", "sample"] = "sample" if request.method == "sample" else "most_probable"
        how = Completing(request.limit, request.n_jobs, request.drawn_by)
        found = complete_states(dag, tables.values, sizes, rows, filling, how)
        if request.impossible == "raise" and (found == -np.inf).any():
            first = int(np.argmax(found == -np.inf))
            self._refuse_states(rows[:, first], int(gapped[first]))
        cells: dict[int, Cells] = {}
        for variable in present:
            chosen = np.flatnonzero(is_missing[variable] & (found > -np.inf))
            labels = tables.labels[variable]
            cells[variable] = (gapped[chosen], [labels[code] for code in rows[variable, chosen].tolist()])
        return cells

    def _numbers(
        self, regressions: Regressions, columns: Columns, present: list[int], request: ImputationRequest
    ) -> dict[int, Cells]:
        """By variable the rows with a missing cell that is filled in, and its numbers."""
        dag = self.network.dag
        values = np.full((len(dag), len(columns)), np.nan)
        is_wanted = np.zeros(len(dag), bool)
        is_wanted[present] = True
        for variable in present:
            values[variable] = columns.numbers_or_missing(dag.nodes[variable])
        gapped = np.flatnonzero(np.isnan(values[present]).any(axis=0))
        rows = values[:, gapped]
        is_missing = np.isnan(rows)
        numbers = (regressions.intercept, regressions.coefficients, regressions.variance)
        how = Completing(request.limit, request.n_jobs, request.drawn_by)
        found = complete_numbers(dag, numbers, rows, is_wanted, how)
        if request.impossible == "raise" and (found == -np.inf).any():
            first = int(np.argmax(found == -np.inf))
            self._refuse_numbers(rows[:, first], int(gapped[first]))
        cells: dict[int, Cells] = {}
        for variable in present:
            chosen = np.flatnonzero(is_missing[variable] & (found > -np.inf))
            cells[variable] = (gapped[chosen], rows[variable, chosen].tolist())
        return cells

    def _refuse_states(self, codes: Indices, row: int) -> NoReturn:
        """Name what cannot happen together in a row."""
        engine = engine_of(self.index, self.network.parameters)
        assert isinstance(engine, DiscreteEngine)
        observed, states = _observed(codes >= 0, codes)
        raise_impossible(engine.model, Evidence(observed, tuple(map(int, states))), self.request.limit, (), f" in row {row}")

    def _refuse_numbers(self, values: Floats, row: int) -> NoReturn:
        """Name what cannot happen together in a row."""
        engine = engine_of(self.index, self.network.parameters)
        assert isinstance(engine, GaussianEngine)
        observed, numbers = _observed(~np.isnan(values), values)
        raise_impossible_numbers(engine.model, Evidence(observed, numbers=numbers), self.request.limit, (), f" in row {row}")


def _observed(is_there: Flags, cells: Floats | Indices) -> tuple[tuple[int, ...], tuple[float, ...]]:
    """The variables that a row shows, and what it shows."""
    there = np.flatnonzero(is_there)
    return tuple(there.tolist()), tuple(cells[there].tolist())
