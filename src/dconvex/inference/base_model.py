"""What every question to a model works with: its clusters, its engine, where it comes from, and questions by index."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, NoReturn, TypeAlias

import numpy as np

from dconvex.amounts import amount
from dconvex.clusters.cluster_index import ClusterIndex
from dconvex.graph.dag import Dag
from dconvex.graph.tree import ClusterTree
from dconvex.inference.engine import Engine, EvidenceLike
from dconvex.inference.evidence import Soft, Variables, is_row, row_as_mapping
from dconvex.inference.memory import default_limit, limit_of
from dconvex.inference.origin import Origin
from dconvex.inference.request import NO_SLICES, Request, Slicing
from dconvex.names import Label, Name, as_names
from dconvex.network.network import BayesianNetwork
from dconvex.shown import Shown

Seed: TypeAlias = int | np.random.Generator | None


class BaseModel(Shown):
    """A frozen model without its questions: these are in classes of their own, by what they are about."""

    def __init__(
        self,
        index: ClusterIndex,
        engine: Engine,
        origin: Origin,
        max_bytes: float | None = None,
    ) -> None:
        limit = None if max_bytes is None else limit_of(max_bytes)
        self.__dict__.update(_index=index, _engine=engine, _origin=origin, max_bytes=limit)

    _index: ClusterIndex
    _engine: Engine
    _origin: Origin
    max_bytes: int | None

    @property
    def dag(self) -> Dag:
        """The graph of the whole network."""
        return self._index.dag

    @property
    def tree(self) -> ClusterTree:
        """The tree of clusters."""
        return self._index.tree

    @property
    def kind(self) -> Literal["discrete", "gaussian"]:
        """Whether the variables have states or numbers."""
        return self._engine.kind

    @property
    def states(self) -> dict[Name, tuple[Label, ...]]:
        """The labels of each variable, in order; empty for a Gaussian model."""
        return self._engine.states()

    @property
    def coherent(self) -> bool:
        """Whether all clusters agree: they do in a given network, and in a model learned with `coherent=True`."""
        return self._engine.coherent

    @property
    def bytes_read(self) -> int:
        """The bytes of tables that were read so far, of a model that was opened from a file; 0 for one that is in memory."""
        return self._engine.store.bytes_read

    def network(self) -> BayesianNetwork:
        """The network of all clusters together.

        Returns:
            The given network, or that of the variables' own families as they were learned.

        Raises:
            ValueError: The model was learned `for_query=` some variables only.
            FormatError: The file that the model was opened from is damaged.
        """
        return self._origin.network()

    def _request(
        self,
        variables: Name | Iterable[Name] | None,
        evidence: EvidenceLike,
        soft: Soft | None,
        max_bytes: float | None,
        assume_possible: bool = False,
        slicing: Slicing = NO_SLICES,
    ) -> Request:
        """The question by index, with its evidence read; None: all variables."""
        indices = tuple(range(len(self.dag))) if variables is None else self._indices(variables)
        if is_row(evidence):
            evidence = row_as_mapping(evidence, self.dag, () if variables is None else as_names(variables))
        known = self._engine.read_evidence(evidence, soft)
        targets = known.targets_of(indices) if known.observed else indices
        return Request(indices, targets, known, self._limit(max_bytes), assume_possible, slicing)

    def _indices(self, variables: Name | Iterable[Name]) -> Variables:
        names = as_names(variables)
        indices = self._index.dag.indices_of(names)
        if len(set(indices)) < len(indices):
            twice = next(name for k, name in enumerate(names) if name in names[:k])
            raise ValueError(f"{twice!r} is asked for twice")
        return indices

    def _limit(self, max_bytes: float | None) -> int:
        """The byte limit: `max_bytes` if given, else the model's own, else the default."""
        if max_bytes is not None:
            return limit_of(max_bytes)
        return default_limit() if self.max_bytes is None else self.max_bytes

    def __len__(self) -> int:
        return len(self.dag)

    def __repr__(self) -> str:
        return f"LocalModel({self.kind}, {amount(len(self), 'variable')} in {amount(len(self.tree), 'cluster')})"

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"a LocalModel is frozen; {name!r} cannot be set")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"a LocalModel is frozen; {name!r} cannot be deleted")
