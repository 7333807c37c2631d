"""The picture of a model: its network, coloured by the clusters, and the tree of these."""

from __future__ import annotations

from typing import Protocol

from dconvex.pictures.drawing import Drawing, Ruler, below_each_other, side_by_side
from dconvex.pictures.geometry import unwieldiness
from dconvex.pictures.network_picture import network_picture
from dconvex.pictures.panels import GAP, caption
from dconvex.pictures.subjects import Clusters, Network
from dconvex.pictures.tree_picture import tree_picture


class Model(Protocol):
    """A network and its tree."""

    @property
    def dag(self) -> Network: ...
    @property
    def tree(self) -> Clusters: ...
    @property
    def kind(self) -> str: ...
    @property
    def coherent(self) -> bool: ...


def model_picture(model: Model, ruler: Ruler, most: int) -> Drawing:
    """Network and tree, side by side or below each other."""
    parts = [network_picture(model.dag, ruler, most, model.tree), tree_picture(model.tree, ruler, most)]
    arrangements = [side_by_side(parts, gap=5 * GAP), below_each_other(parts, gap=5 * GAP)]
    handiest = min(arrangements, key=lambda each: unwieldiness(each.size))
    return below_each_other([caption(_title(model), [], ruler), handiest], GAP)


def _title(model: Model) -> str:
    agreement = "" if model.coherent else ", each learned on its own"
    return f"a {model.kind} model of {len(model.dag):,} variables in {len(model.tree):,} clusters{agreement}"
