"""Work on the partitions of a Dask DataFrame, each where it lies; and predictions, which are such work.

Each partition is a frame of its own. What the work needs besides, say a model, reaches each worker once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from dconvex.errors import DataError, DconvexError
from dconvex.inference.prediction import Floats, Impossible, Unknown, predicted, predicted_probabilities
from dconvex.names import Name
from dconvex.network.frame_columns import column_of

if TYPE_CHECKING:
    from dconvex.inference.model import LocalModel

Shared = TypeVar("Shared")


def lies_in_partitions(data: Any) -> bool:
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


def predicted_in_partitions(
    model: LocalModel, data: Any, targets: tuple[int, ...], impossible: Impossible, unknown: Unknown, limit: int
) -> Any:
    """A Dask DataFrame with a column for each target, partitioned and indexed like the data."""
    question = _Question(model, targets, impossible, unknown, limit)
    evidence = question.evidence_in(data)
    meta = question.predicted(evidence._meta)  # bad arguments are refused here, not later by a worker
    return evidence.map_partitions(_on_worker, _task_of(question), _Question.predicted, meta=meta)


def probabilities_in_partitions(
    model: LocalModel, data: Any, targets: tuple[int, ...], impossible: Impossible, unknown: Unknown, limit: int
) -> dict[Name, Any]:
    """By target a Dask array with a chunk of probabilities for each partition; the targets share the work."""
    question = _Question(model, targets, impossible, unknown, limit)
    evidence = question.evidence_in(data)
    none = question.probabilities(evidence._meta)
    found = evidence.map_partitions(_on_worker, _task_of(question), _Question.probabilities, meta=none, enforce_metadata=False)
    names = [model.dag.nodes[target] for target in targets]
    bounds = np.cumsum([0, *(len(model.states[name]) for name in names)]).tolist()
    return {name: found[:, first:last] for name, (first, last) in zip(names, pairwise(bounds), strict=True)}


@dataclass(frozen=True, slots=True, eq=False)
class _Question:
    """What a worker has to know to predict for a frame."""

    model: LocalModel
    targets: tuple[int, ...]
    impossible: Impossible
    unknown: Unknown
    limit: int

    def evidence_in(self, data: Any) -> Any:
        """The columns that are looked at; no others are read."""
        names = self.model.dag.nodes
        observed = set(names) - {names[target] for target in self.targets}
        present, variables = set(checked_dask_frame(data).columns), set(names)
        wanted = {column_of(name, present, variables) for name in observed}
        return data[[column for column in data.columns if column in wanted]]

    def probabilities(self, frame: Any) -> Floats:
        """Those of all targets side by side."""
        found = predicted_probabilities(self.model, frame, self.targets, self.impossible, self.unknown, self.limit)
        return np.concatenate([np.empty((len(frame), 0)), *found.values()], axis=1)

    def predicted(self, frame: Any) -> Any:
        """All partitions have columns of the same types, whichever states they show and even if they have no rows."""
        import pandas as pd

        found = predicted(self.model, frame, self.targets, self.impossible, self.unknown, self.limit)
        if self.model.kind == "gaussian":
            return found
        states = self.model.states
        return found.astype({name: object if self.impossible == "nan" else pd.Series(states[name]).dtype for name in found})


def _task_of(shared: object) -> Any:
    """A task of its own, which others depend on; as a mere argument it would be sent with every one of them."""
    import dask

    return dask.delayed(shared, traverse=False)


def _on_worker(
    frame: Any, shared: Shared, work: Callable[[Shared, Any], Any], partition_info: dict[str, Any] | None = None
) -> Any:
    with _naming_partition(partition_info["number"] if partition_info else 0):
        return work(shared, frame)


@contextmanager
def _naming_partition(number: int) -> Iterator[None]:
    """Errors say which partition they come from."""
    try:
        yield
    except DconvexError as error:
        error.args = (f"{error} (in partition {number}, within which rows are numbered)",)
        raise
