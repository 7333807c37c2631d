"""The picture of a model: its network, coloured by clusters, and its cluster tree."""

from __future__ import annotations

from dconvex.amounts import amount
from dconvex.display.drawable import DrawableModel
from dconvex.display.drawing import PAGE_WIDTH, Drawing, Ruler, below_each_other, side_by_side
from dconvex.display.network_picture import network_picture
from dconvex.display.panels import GAP, caption, caption_scale
from dconvex.display.tree_picture import tree_picture


def model_picture(model: DrawableModel, ruler: Ruler, most: int) -> Drawing:
    """Network and tree, side by side if they fit on a page, otherwise below each other."""
    parts = [network_picture(model.dag, ruler, most, model.tree), tree_picture(model.tree, ruler, most)]
    both = side_by_side(parts, gap=5 * GAP)
    if both.size.width > PAGE_WIDTH:
        both = below_each_other(parts, gap=5 * GAP)
    return below_each_other([caption(_title(model), [], ruler, caption_scale(both)), both], GAP)


def _title(model: DrawableModel) -> str:
    agreement = "" if model.coherent else ", each learned on its own"
    size = f"{amount(len(model.dag), 'variable')} in {amount(len(model.tree), 'cluster')}"
    return f"{model.kind.capitalize()} model of {size}{agreement}"
