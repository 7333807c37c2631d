"""A model that answers each question from the few clusters that it touches."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, final

from dconvex.clusters.checked_index import checked_index
from dconvex.clusters.cluster_index import ClusterIndex
from dconvex.graph.decomposition import quick_tree
from dconvex.graph.tree import ClusterTree
from dconvex.inference.evidence_questions import EvidenceQuestions
from dconvex.inference.gap_questions import GapQuestions
from dconvex.inference.kinds import engine_of
from dconvex.inference.network_questions import NetworkQuestions
from dconvex.inference.origin import NetworkOrigin
from dconvex.inference.report import Report
from dconvex.inference.row_questions import RowQuestions
from dconvex.names import Name
from dconvex.network.network import BayesianNetwork
from dconvex.saved import storage
from dconvex.shown import display, warn_of_save


def localize(network: BayesianNetwork, *, tree: ClusterTree | None = None, max_bytes: float | None = None) -> LocalModel:
    """A model that answers questions about `network` exactly, each from the clusters it touches.

    No answer depends on the tree, so without `tree` it is refined only as far as about the cost of a junction tree goes:
    `model.tree.certified` says whether its clusters are proven irreducible, and `tree=decompose(network)` gives the certified
    one. Nothing is computed until a question needs it.

    Args:
        network: The network.
        tree: A tree over its graph with d-convex separators; None: a quick one.
        max_bytes: The most memory that a question may take, unless it says otherwise; None: half of what there is.

    Returns:
        The model.

    Raises:
        TypeError: `network` is no network, or `tree` is no tree.
        ValueError: The tree does not fit the network, or a separator is not d-convex.

    >>> import dconvex as dc
    >>> model = dc.localize(dc.load_network("asia"))
    >>> model.query("lung", {"smoke": "yes", "xray": "yes"})
    P(lung | smoke = yes, xray = yes)
      yes  0.645991
      no   0.354009
    """
    if not isinstance(network, BayesianNetwork):
        raise TypeError(f"localize takes a BayesianNetwork, not {type(network).__name__}")
    dag = network.dag
    index = ClusterIndex.of(dag, quick_tree(dag)) if tree is None else checked_index(dag, tree)
    return LocalModel(index, engine_of(index, network.parameters), NetworkOrigin(network), max_bytes)


@final
class LocalModel(EvidenceQuestions, RowQuestions, GapQuestions, NetworkQuestions):
    """Sub-models of the clusters of a tree; `localize` makes one from a network, `fit` from data.

    Asking never changes a model, and it may be asked from many threads at once. Evidence is `{variable: label}`, with a set
    of labels where one of several was seen, None or NaN where nothing was, and a number for the interval that it falls into. A
    row of a table (`frame.iloc[0]`, or a frame of one row) is evidence too; as in `predict`, columns that are asked for and
    columns that are no variables do not count. `soft` is `{variable: {label: likelihood}}`, or numbers in the order of the
    states.

    >>> import dconvex as dc
    >>> model = dc.localize(dc.load_network("asia"))
    >>> model.query(["lung", "bronc"], {"dysp": "yes"})
    P(lung, bronc | dysp = yes)
      yes, yes  0.0650273
      yes, no   0.0377319
      no, yes   0.76894
      no, no    0.128301
    >>> model.most_probable(["lung", "bronc"], {"dysp": "yes"})[0]
    {'lung': 'no', 'bronc': 'yes'}
    """

    def updated(self, data: Any) -> LocalModel:
        """The model learned from what this one has seen and from `data`, as if it had been learned from all at once.

        Args:
            data: Whatever `fit` takes, or `Statistics`.

        Returns:
            A new model; this one does not change.

        Raises:
            ValueError: The model comes from a given network, or was saved without its statistics.
            DataError: The data does not fit the model.
        """
        return self._origin.updated(data)

    def report(self) -> Report:
        """What the model was learned from, and what was unobserved, missing or singular there.

        Returns:
            The report.

        Raises:
            ValueError: The model comes from a given network.
        """
        return self._origin.report()

    def save(self, path: str | Path, *, statistics: bool = False) -> None:
        """Write the model to one file, which `open_model` opens.

        The file is safetensors: arrays and a description, nothing that is executed. It is replaced as a whole. Pictures of the
        model are written by `save_picture`; for one release a picture's suffix (`.svg`, `.html`, `.png`, `.pdf`) does so too.

        Args:
            path: The file.
            statistics: Whether the file also holds the statistics that the model was learned from; with them the opened model
                can be updated.

        Raises:
            ValueError: There are no statistics to save.
        """
        if display().is_picture(path):
            if statistics:
                raise ValueError(f"{str(path)!r} would be a picture, which holds no statistics; choose another suffix")
            warn_of_save(self)
            self.save_picture(path)
            return
        storage().save_model(self, Path(path), statistics=statistics)

    def do(self, settings: Mapping[Name, Any]) -> LocalModel:
        """The model after an intervention: the edges into each variable are cut and it is fixed at its value.

        Args:
            settings: A label (or a number) by variable.

        Returns:
            A new model, with a tree of its own.

        Raises:
            UnknownVariableError: The model does not have a variable.
            UnknownStateError: A variable does not have a state.

        """
        return localize(self.network().do(settings), max_bytes=self.max_bytes)
