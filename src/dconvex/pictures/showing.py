"""What shows itself: in a notebook by itself, with matplotlib on request, and in files."""

from __future__ import annotations

import io
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from dconvex.atomic import replacing
from dconvex.errors import FormatError
from dconvex.pictures.canvas import drawn_width, need_matplotlib, paint
from dconvex.pictures.drawing import Drawing, Ruler
from dconvex.pictures.page import html_file, html_part
from dconvex.pictures.subjects import MOST, SHOWN, Clusters
from dconvex.pictures.svg import svg_file
from dconvex.pictures.typeface import text_width

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Artist: TypeAlias = Callable[[Ruler, int], Drawing]
"""Draws something, given how wide text is and how many boxes a picture may have."""

SHARP = 150
"""Pixels to an inch, unless there would be more than `LARGEST` of them in a row."""
LARGEST = 12_000
SMALL = 200_000
"""Characters of a picture that a notebook may hold twice."""


class Shown:
    """Something with a picture, which a notebook shows."""

    __slots__ = ()

    def _picture(self, ruler: Ruler, most: int) -> Drawing:
        raise NotImplementedError

    def plot(self, *, ax: Axes | None = None) -> Axes:
        """Draw it with matplotlib."""
        raise NotImplementedError

    def _repr_html_(self) -> str:
        return html_part(self._picture(text_width, SHOWN))

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        """For pages that run no HTML, such as those of code hosts, a small picture comes as an image too."""
        drawing = self._picture(text_width, SHOWN)
        image = svg_file(drawing)
        images = {"image/svg+xml": image} if len(image) <= SMALL else {}
        return {"text/html": html_part(drawing), **images}


class Plotted(Shown):
    """Something whose picture is made on request too."""

    __slots__ = ()

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw it with matplotlib, in a figure that is as large as it needs or into the given axes."""
        return plot_picture(self._picture, ax)

    def save(self, path: str | Path) -> None:
        """Write its picture to a file: `.svg`, `.html` (to move and zoom in a browser), `.png` or `.pdf` (with matplotlib)."""
        save_picture(self._picture, path)


class PlottedNetwork(Shown):
    """A network, whose picture may be coloured by clusters."""

    __slots__ = ()

    def _picture(self, ruler: Ruler, most: int, clusters: Clusters | None = None) -> Drawing:
        raise NotImplementedError

    def plot(self, clusters: Clusters | None = None, ax: Axes | None = None) -> Axes:
        """Draw the graph in rows with matplotlib, in a figure that is as large as it needs or into the given axes.

        With `clusters`, a `ClusterTree`, each node has the colour of the cluster that holds it (the one it has in
        `clusters.plot()`), stripes where several hold it, grey where more than six do, and stays pale where none does.
        """
        return plot_picture(self._coloured(clusters), ax)

    def save(self, path: str | Path, clusters: Clusters | None = None) -> None:
        """Write the picture to a file: `.svg`, `.html` (to move and zoom in a browser), `.png` or `.pdf` (with matplotlib).

        With `clusters` it is coloured as by `plot`.
        """
        save_picture(self._coloured(clusters), path)

    def _coloured(self, clusters: Clusters | None) -> Artist:
        return lambda ruler, most: self._picture(ruler, most, clusters)


def is_picture(path: str | Path) -> bool:
    """Whether the suffix is one of a picture, be it one that we write or not."""
    return Path(path).suffix.lower() in {*CONTENTS, *NOT_WRITTEN}


def check_suffix(path: Path) -> None:
    """That it is one of a picture that we write."""
    if path.suffix.lower() not in CONTENTS:
        raise FormatError(f"unknown suffix {path.suffix!r}; pictures are {', '.join(CONTENTS)}", path=str(path))


def plot_picture(artist: Artist, ax: Axes | None = None) -> Axes:
    """Draw with matplotlib, into the given axes or into a new figure."""
    need_matplotlib()
    return paint(artist(drawn_width, MOST), ax)


def save_picture(artist: Artist, path: str | Path) -> None:
    """Write a picture to a file, in the format that the suffix asks for; the file is replaced as a whole."""
    target = Path(path)
    check_suffix(target)
    content = CONTENTS[target.suffix.lower()](artist)
    with replacing(target) as beside:
        beside.write_bytes(content)


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
