"""Predictions for a frame, and for the partitions of a Dask DataFrame, each where it lies.

Each partition is a frame of its own. What else the work needs, say an engine, reaches each worker once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Protocol, TypeVar, final

import numpy as np

from dconvex.arrays import Floats
from dconvex.errors import DataError, DconvexError
from dconvex.inference.engine import Engine
from dconvex.inference.prediction import PredictionRequest
from dconvex.names import Name
from dconvex.network.frame_columns import Columns, column_of

Shared = TypeVar("Shared")


def lies_in_partitions(data: object) -> bool:
    """Whether this is one of Dask's collections; Dask is not imported to know it."""
    return type(data).__module__.startswith("dask")


def checked_dask_frame(data: Any) -> Any:
    """Dask has other collections, of which the partitions are no frames."""
    import dask.dataframe as dd

    if isinstance(data, dd.DataFrame):
        return data
    raise DataError(f"expected a Dask DataFrame, not Dask's {type(data).__name__}")


def by_partition(data: Any, shared: Shared, work: Callable[[Shared, Any], Any]) -> list[Any]:
    """For each partition what `work(shared, frame)` gives, as Dask's delayed values."""
    task = _task_of(shared)
    return list(data.map_partitions(_on_worker, task, work, meta=(None, object), enforce_metadata=False).to_delayed())


class Partitioned(Protocol):
    """A Dask DataFrame, as far as work on its partitions goes."""

    @property
    def _meta_nonempty(self) -> object: ...
    def map_partitions(self, work: Callable[..., object], *args: object, meta: object) -> object: ...


def mapped_by_partition(
    data: Partitioned, shared: Shared, work: Callable[[Shared, object, int], object], meta: object
) -> object:
    """A Dask DataFrame of what `work(shared, frame, number)` gives for each partition; `meta` is an example of it."""
    return data.map_partitions(_numbered_on_worker, _task_of(shared), work, meta=meta)


def predicted(engine: Engine, names: Sequence[Name], data: Any, request: PredictionRequest) -> Any:
    """A frame like the data with a column for each target; of a Dask DataFrame one that is partitioned and indexed like it."""
    work = _Prediction(engine, names, request.checked())
    if not lies_in_partitions(data):
        return work.frame(data)
    work = work.in_one_thread()
    evidence = work.evidence_in(data)
    meta = work.typed_frame(evidence._meta)  # bad arguments are refused here, not later by a worker
    return evidence.map_partitions(_on_worker, _task_of(work), _Prediction.typed_frame, meta=meta)


def predicted_probabilities(engine: Engine, names: Sequence[Name], data: Any, request: PredictionRequest) -> dict[Name, Any]:
    """By target an array with a row for each row of the data; of a Dask DataFrame a Dask array with a chunk for each partition.

    The targets share the work.
    """
    work = _Prediction(engine, names, request.checked())
    if not lies_in_partitions(data):
        return {**work.probabilities(data)}
    work = work.in_one_thread()
    evidence = work.evidence_in(data)
    none = work.joined_probabilities(evidence._meta)
    found = evidence.map_partitions(
        _on_worker, _task_of(work), _Prediction.joined_probabilities, meta=none, enforce_metadata=False
    )
    targets, states = [names[target] for target in request.targets], engine.states()
    bounds = np.cumsum([0, *(len(states[name]) for name in targets)]).tolist()
    return {name: found[:, first:last] for name, (first, last) in zip(targets, pairwise(bounds), strict=True)}


def probability_frames(engine: Engine, names: Sequence[Name], data: Any, request: PredictionRequest) -> dict[Name, Any]:
    """By target the same as a frame of the data's own kind, with a column for each state."""
    found, states = predicted_probabilities(engine, names, data, request), engine.states()
    if lies_in_partitions(data):
        import dask.dataframe as dd

        return {name: dd.from_dask_array(found[name], columns=list(states[name]), index=data.index) for name in found}
    like = Columns(data, names)
    return {name: like.frame_like(dict(zip(states[name], found[name].T, strict=True))) for name in found}


@final
@dataclass(frozen=True, slots=True, eq=False)
class _Prediction:
    """What has to be known to predict for a frame, here or on a worker."""

    engine: Engine
    names: Sequence[Name]
    request: PredictionRequest

    def in_one_thread(self) -> _Prediction:
        """For Dask, which has threads of its own."""
        return _Prediction(self.engine, self.names, self.request._replace(n_jobs=1))

    def evidence_in(self, data: Any) -> Any:
        """The columns that are looked at; no others are read."""
        observed = set(self.names) - {self.names[target] for target in self.request.targets}
        present, variables = set(checked_dask_frame(data).columns), set(self.names)
        wanted = {column_of(name, present, variables) for name in observed}
        return data[[column for column in data.columns if column in wanted]]

    def probabilities(self, frame: Any) -> dict[Name, Floats]:
        """By target those of its states."""
        return self.engine.predict_proba(Columns(frame, self.names), self.request)

    def joined_probabilities(self, frame: Any) -> Floats:
        """Those of all targets side by side."""
        return np.concatenate([np.empty((len(frame), 0)), *self.probabilities(frame).values()], axis=1)

    def frame(self, frame: Any) -> Any:
        """A frame of the caller's kind with a column for each target."""
        columns = Columns(frame, self.names)
        return columns.frame_like(self.engine.predict(columns, self.request))

    def typed_frame(self, frame: Any) -> Any:
        """All partitions have columns of the same types, whichever states they show and even if they have no rows."""
        import pandas as pd

        states, may_lack = self.engine.states(), self.request.impossible == "nan"
        found = self.frame(frame)
        return found.astype({name: object if may_lack else pd.Series(states[name]).dtype for name in found if name in states})


def _task_of(shared: object) -> Any:
    """A task of its own, which others depend on; as a mere argument it would be sent with every one of them."""
    import dask

    return dask.delayed(shared, traverse=False)


def _on_worker(
    frame: Any, shared: Shared, work: Callable[[Shared, Any], Any], partition_info: dict[str, Any] | None = None
) -> Any:
    with _naming_partition(partition_info["number"] if partition_info else 0):
        return work(shared, frame)


def _numbered_on_worker(
    frame: object,
    shared: Shared,
    work: Callable[[Shared, object, int], object],
    partition_info: Mapping[str, int] | None = None,
) -> object:
    number = partition_info["number"] if partition_info else 0
    with _naming_partition(number):
        return work(shared, frame, number)


@contextmanager
def _naming_partition(number: int) -> Iterator[None]:
    """Errors say which partition they come from."""
    try:
        yield
    except DconvexError as error:
        error.args = (f"{error} (in partition {number}, within which rows are numbered)",)
        raise
