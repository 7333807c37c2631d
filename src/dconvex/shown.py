"""Values with a picture: their methods `plot` and `save_picture`, which find the display when they are called.

Drawing is in `dconvex.display`, a layer above all values. `dconvex` hands it down to them by `draw_with`.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from matplotlib.axes import Axes


class HasClusters(Protocol):
    """A `ClusterTree`."""

    @property
    def clusters(self) -> Sequence[frozenset[str | int]]: ...


class Display(Protocol):
    """The module that draws values, `dconvex.display.showing`."""

    def html_of(self, value: object) -> str: ...
    def mimebundle_of(self, value: object) -> dict[str, str]: ...
    def plot(self, value: object, ax: Axes | None, clusters: HasClusters | None = None) -> Axes: ...
    def save_picture(self, value: object, path: str | Path, clusters: HasClusters | None = None) -> None: ...
    def is_picture(self, path: str | Path) -> bool: ...


_find_display: Callable[[], Display] | None = None


def draw_with(find_display: Callable[[], Display]) -> None:
    """Set the function that finds the display; it is called when a picture is drawn."""
    global _find_display
    _find_display = find_display


def display() -> Display:
    """The display."""
    if _find_display is None:
        raise RuntimeError("no display is set; import dconvex to set it")
    return _find_display()


class Shown:
    """A value with a picture, which a notebook shows."""

    __slots__ = ()

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the picture with matplotlib.

        Args:
            ax: The axes to draw into; None: those of a new figure, as large as the picture needs.

        Returns:
            The axes.

        Raises:
            ImportError: matplotlib is not installed; it is in the extra `plot`.

        """
        return display().plot(self, ax)

    def save_picture(self, path: str | Path) -> None:
        """Write the picture to a file, which is replaced as a whole.

        Args:
            path: A file with the suffix `.svg`, `.html` (to move and zoom in a browser), `.png` or `.pdf` (with matplotlib).

        Raises:
            FormatError: The suffix is another one.
            ImportError: The format needs matplotlib, which is not installed; it is in the extra `plot`.

        """
        display().save_picture(self, path)

    def save(self, path: str | Path) -> None:
        """The old name of `save_picture`; the next release removes it.

        Args:
            path: As in `save_picture`.

        Raises:
            FormatError: As in `save_picture`.
            ImportError: As in `save_picture`.

        """
        warn_of_save(self)
        self.save_picture(path)

    def _repr_html_(self) -> str:
        return display().html_of(self)

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        return display().mimebundle_of(self)


class ShownNetwork(Shown):
    """A network, whose picture can be coloured by clusters."""

    __slots__ = ()

    def plot(self, clusters: HasClusters | None = None, ax: Axes | None = None) -> Axes:  # type: ignore[override]
        """Draw the graph in rows with matplotlib.

        Args:
            clusters: A tree whose colours, as in `clusters.plot()`, the nodes get: stripes for a node in several clusters,
                grey in more than six, pale in none.
            ax: The axes to draw into; None: those of a new figure, as large as the picture needs.

        Returns:
            The axes.

        Raises:
            UnknownVariableError: A cluster has a variable that the network does not have.
            ImportError: matplotlib is not installed; it is in the extra `plot`.

        """
        return display().plot(self, ax, clusters=clusters)

    def save_picture(self, path: str | Path, clusters: HasClusters | None = None) -> None:
        """Write the picture to a file, which is replaced as a whole.

        Args:
            path: A file with the suffix `.svg`, `.html` (to move and zoom in a browser), `.png` or `.pdf` (with matplotlib).
            clusters: A tree whose colours the nodes get, as in `plot`.

        Raises:
            FormatError: The suffix is another one.
            UnknownVariableError: A cluster has a variable that the network does not have.
            ImportError: The format needs matplotlib, which is not installed; it is in the extra `plot`.

        """
        display().save_picture(self, path, clusters=clusters)

    def save(self, path: str | Path, clusters: HasClusters | None = None) -> None:
        """The old name of `save_picture`; the next release removes it.

        Args:
            path: As in `save_picture`.
            clusters: As in `save_picture`.

        Raises:
            FormatError: As in `save_picture`.
            UnknownVariableError: As in `save_picture`.
            ImportError: As in `save_picture`.

        """
        warn_of_save(self)
        self.save_picture(path, clusters)


def warn_of_save(value: object) -> None:
    """Warn that `save_picture` writes pictures now."""
    name = type(value).__name__
    message = f"{name}.save for pictures is deprecated and ends with the next release; use {name}.save_picture"
    warnings.warn(message, DeprecationWarning, stacklevel=3)
