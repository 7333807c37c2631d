"""Pictures of values in a notebook, with matplotlib and in files; each type of value is registered here once."""

from __future__ import annotations

import io
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from dconvex.atomic import replacing
from dconvex.display.canvas import drawn_width, need_matplotlib, paint
from dconvex.display.cpdag_picture import cpdag_picture
from dconvex.display.distribution_picture import distribution_picture
from dconvex.display.drawable import MOST, SHOWN
from dconvex.display.drawing import Drawing, Ruler
from dconvex.display.effect_picture import effect_picture
from dconvex.display.em_picture import em_picture
from dconvex.display.evaluation_picture import (
    calibration_picture,
    confusion_picture,
    coverage_picture,
    cross_validation_picture,
    evaluation_picture,
)
from dconvex.display.gaussian_picture import gaussian_picture
from dconvex.display.influences_picture import influences_picture
from dconvex.display.informative_picture import informative_picture
from dconvex.display.model_picture import model_picture
from dconvex.display.network_picture import network_picture
from dconvex.display.plan_picture import plan_picture
from dconvex.display.sensitivity_picture import sensitivity_picture
from dconvex.display.strength_picture import strength_picture
from dconvex.display.svg import svg_file
from dconvex.display.tree_picture import tree_picture
from dconvex.display.typeface import text_width
from dconvex.display.web_page import html_file, html_part
from dconvex.errors import FormatError
from dconvex.evaluation.fold_results import CrossValidation
from dconvex.graph.cpdag import Cpdag
from dconvex.graph.dag import Dag
from dconvex.graph.tree import ClusterTree
from dconvex.inference.calibration import Calibration
from dconvex.inference.confusion import Confusion
from dconvex.inference.discrete_evaluation import Evaluation
from dconvex.inference.distribution import Distribution, GaussianDistribution
from dconvex.inference.effect import Effect
from dconvex.inference.gaussian_evaluation import GaussianEvaluation
from dconvex.inference.influences import Influences
from dconvex.inference.informative import MostInformative
from dconvex.inference.model import LocalModel
from dconvex.inference.query_plan import QueryPlan
from dconvex.inference.report import EmReport
from dconvex.inference.sensitivity import Sensitivity
from dconvex.network.network import BayesianNetwork
from dconvex.shown import HasClusters
from dconvex.structure.edge_strengths import EdgeStrengths
from dconvex.structure.learned_structure import Structure

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Artist: TypeAlias = Callable[[Ruler, int], Drawing]
"""Draws a value, given the width of text and the most boxes in a picture."""

SHARP = 150
"""Pixels per inch, unless a side would have more than `LARGEST` of them."""
LARGEST = 12_000
SMALL = 200_000
"""The most characters of a picture that is stored twice in a notebook."""


def _network(network: BayesianNetwork, ruler: Ruler, most: int, clusters: ClusterTree | None = None) -> Drawing:
    return network_picture(network.dag, ruler, most, clusters, network.states if len(network) <= most else {})


def _structure(structure: Structure, ruler: Ruler, most: int, clusters: ClusterTree | None = None) -> Drawing:
    return network_picture(structure.dag, ruler, most, clusters)


ARTISTS: dict[type, Callable[..., Drawing]] = {
    Dag: network_picture,
    Cpdag: cpdag_picture,
    EdgeStrengths: strength_picture,
    BayesianNetwork: _network,
    Structure: _structure,
    ClusterTree: tree_picture,
    LocalModel: model_picture,
    QueryPlan: plan_picture,
    Distribution: lambda answer, ruler, most: distribution_picture(answer, ruler),
    GaussianDistribution: lambda answer, ruler, most: gaussian_picture(answer, ruler),
    Evaluation: lambda found, ruler, most: evaluation_picture(found, ruler),
    GaussianEvaluation: lambda found, ruler, most: coverage_picture(found, ruler),
    Calibration: lambda found, ruler, most: calibration_picture(found, ruler),
    CrossValidation: lambda found, ruler, most: cross_validation_picture(found, ruler),
    Confusion: lambda found, ruler, most: confusion_picture(found, ruler),
    MostInformative: lambda answer, ruler, most: informative_picture(answer, ruler),
    Sensitivity: lambda answer, ruler, most: sensitivity_picture(answer, ruler),
    Influences: lambda answer, ruler, most: influences_picture(answer, ruler),
    Effect: lambda answer, ruler, most: effect_picture(answer, ruler),
    EmReport: lambda report, ruler, most: em_picture(report, ruler),
}
"""The function that draws each type: of the value, the width of text, and the most boxes."""


def artist_of(value: object, clusters: HasClusters | None = None) -> Artist:
    """The function that draws a value."""
    artist = next(ARTISTS[kind] for kind in type(value).__mro__ if kind in ARTISTS)
    options = {} if clusters is None else {"clusters": clusters}
    return lambda ruler, most: artist(value, ruler, most, **options)


def html_of(value: object) -> str:
    """The picture as a part of a page."""
    return html_part(artist_of(value)(text_width, SHOWN))


def mimebundle_of(value: object) -> dict[str, str]:
    """The picture as HTML; a small one also as an image, for pages that show no HTML, such as those of code hosts."""
    drawing = artist_of(value)(text_width, SHOWN)
    image = svg_file(drawing)
    images = {"image/svg+xml": image} if len(image) <= SMALL else {}
    return {"text/html": html_part(drawing), **images}


def plot(value: object, ax: Axes | None = None, clusters: HasClusters | None = None) -> Axes:
    """Draw with matplotlib, into the axes or into a new figure."""
    need_matplotlib()
    return paint(artist_of(value, clusters)(drawn_width, MOST), ax)


def save_picture(value: object, path: str | Path, clusters: HasClusters | None = None) -> None:
    """Write the picture to a file in the format of its suffix; the file is replaced as a whole."""
    target = Path(path)
    check_suffix(target)
    content = CONTENTS[target.suffix.lower()](artist_of(value, clusters))
    with replacing(target) as new:
        new.write_bytes(content)


def is_picture(path: str | Path) -> bool:
    """Whether the suffix is that of a picture, also of one that we cannot write."""
    return Path(path).suffix.lower() in {*CONTENTS, *NOT_WRITTEN}


def check_suffix(path: Path) -> None:
    """Raise FormatError unless the suffix is that of a picture that we can write."""
    if path.suffix.lower() not in CONTENTS:
        raise FormatError(f"unknown suffix {path.suffix!r}; pictures are {', '.join(CONTENTS)}", path=str(path))


def _svg(artist: Artist) -> bytes:
    return svg_file(artist(text_width, MOST)).encode()


def _html(artist: Artist) -> bytes:
    return html_file(artist(text_width, MOST)).encode()


def _figure(artist: Artist, kind: str) -> bytes:
    need_matplotlib()
    from matplotlib.figure import Figure

    figure = paint(artist(drawn_width, MOST), new_figure=Figure).figure
    assert isinstance(figure, Figure)
    content = io.BytesIO()
    figure.savefig(content, format=kind, dpi=min(SHARP, LARGEST / max(figure.get_size_inches())))
    return content.getvalue()


CONTENTS: dict[str, Callable[[Artist], bytes]] = {
    ".svg": _svg,
    ".html": _html,
    ".png": partial(_figure, kind="png"),
    ".pdf": partial(_figure, kind="pdf"),
}
NOT_WRITTEN = {".jpg", ".jpeg", ".gif", ".webp", ".bmp", ".tif", ".tiff", ".eps"}
"""Suffixes of pictures that we cannot write."""
