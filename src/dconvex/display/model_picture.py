"""The picture of a model: its network, coloured by the clusters, and the tree of these."""

from __future__ import annotations

from typing import Protocol

from dconvex.amounts import amount
from dconvex.display.drawing import PAGE_WIDTH, Drawing, Ruler, below_each_other, side_by_side
from dconvex.display.network_picture import network_picture
from dconvex.display.panels import GAP, caption, caption_scale
from dconvex.display.subjects import Clusters, Network
from dconvex.display.tree_picture import tree_picture


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
    """Network and tree, side by side where a page is wide enough for that, otherwise below each other."""
    parts = [network_picture(model.dag, ruler, most, model.tree), tree_picture(model.tree, ruler, most)]
    both = side_by_side(parts, gap=5 * GAP)
    if both.size.width > PAGE_WIDTH:
        both = below_each_other(parts, gap=5 * GAP)
    return below_each_other([caption(_title(model), [], ruler, caption_scale(both)), both], GAP)


def _title(model: Model) -> str:
    agreement = "" if model.coherent else ", each learned on its own"
    size = f"{amount(len(model.dag), 'variable')} in {amount(len(model.tree), 'cluster')}"
    return f"{model.kind.capitalize()} model of {size}{agreement}"
