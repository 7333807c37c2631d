"""Pictures of values: in a notebook, with matplotlib, and in files. Each kind of value is registered here once."""

from __future__ import annotations

import io
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from dconvex.atomic import replacing
from dconvex.display.canvas import drawn_width, need_matplotlib, paint
from dconvex.display.distribution_picture import distribution_picture
from dconvex.display.drawing import Drawing, Ruler
from dconvex.display.gaussian_picture import gaussian_picture
from dconvex.display.model_picture import model_picture
from dconvex.display.network_picture import network_picture
from dconvex.display.page import html_file, html_part
from dconvex.display.plan_picture import plan_picture
from dconvex.display.subjects import MOST, SHOWN
from dconvex.display.svg import svg_file
from dconvex.display.tree_picture import tree_picture
from dconvex.display.typeface import text_width
from dconvex.errors import FormatError
from dconvex.graph.dag import Dag
from dconvex.graph.tree import ClusterTree
from dconvex.inference.distribution import Distribution, GaussianDistribution
from dconvex.inference.model import LocalModel
from dconvex.inference.plan import QueryPlan
from dconvex.network.network import BayesianNetwork

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Artist: TypeAlias = Callable[[Ruler, int], Drawing]
"""Draws something, given how wide text is and how many boxes a picture may have."""

SHARP = 150
"""Pixels to an inch, unless there would be more than `LARGEST` of them in a row."""
LARGEST = 12_000
SMALL = 200_000
"""Characters of a picture that a notebook may hold twice."""


def _network(network: BayesianNetwork, ruler: Ruler, most: int, clusters: ClusterTree | None = None) -> Drawing:
    return network_picture(network.dag, ruler, most, clusters, network.states if len(network) <= most else {})


ARTISTS: dict[type, Callable[..., Drawing]] = {
    Dag: network_picture,
    BayesianNetwork: _network,
    ClusterTree: tree_picture,
    LocalModel: model_picture,
    QueryPlan: plan_picture,
    Distribution: lambda answer, ruler, most: distribution_picture(answer, ruler),
    GaussianDistribution: lambda answer, ruler, most: gaussian_picture(answer, ruler),
}
"""Who draws what: a function of the value, how wide text is, and how many boxes there may be."""


def artist_of(value: Any, **options: Any) -> Artist:
    """What draws a value."""
    artist = next(ARTISTS[kind] for kind in type(value).__mro__ if kind in ARTISTS)
    return lambda ruler, most: artist(value, ruler, most, **options)


def html_of(value: Any) -> str:
    """A picture as a part of a page."""
    return html_part(artist_of(value)(text_width, SHOWN))


def mimebundle_of(value: Any) -> dict[str, str]:
    """For pages that run no HTML, such as those of code hosts, a small picture comes as an image too."""
    drawing = artist_of(value)(text_width, SHOWN)
    image = svg_file(drawing)
    images = {"image/svg+xml": image} if len(image) <= SMALL else {}
    return {"text/html": html_part(drawing), **images}


def plot(value: Any, ax: Axes | None = None, **options: Any) -> Axes:
    """Draw with matplotlib, into the given axes or into a new figure."""
    need_matplotlib()
    return paint(artist_of(value, **options)(drawn_width, MOST), ax)


def save_picture(value: Any, path: str | Path, **options: Any) -> None:
    """Write a picture to a file, in the format that the suffix asks for; the file is replaced as a whole."""
    target = Path(path)
    check_suffix(target)
    content = CONTENTS[target.suffix.lower()](artist_of(value, **options))
    with replacing(target) as new:
        new.write_bytes(content)


def is_picture(path: str | Path) -> bool:
    """Whether the suffix is one of a picture, also of one that we do not write."""
    return Path(path).suffix.lower() in {*CONTENTS, *NOT_WRITTEN}


def check_suffix(path: Path) -> None:
    """Raise FormatError unless the suffix is one of a picture that we write."""
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
"""Suffixes that nobody gives to anything but a picture."""
