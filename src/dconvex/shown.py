"""Values that show themselves: what they offer, without knowing who draws.

Drawing lies above all values, in `dconvex.display`. It is handed down to them as a function that finds it when a picture is
first wanted.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class HasClusters(Protocol):
    """A `ClusterTree`."""

    @property
    def clusters(self) -> Sequence[frozenset[Any]]: ...


class Display(Protocol):
    """What draws values."""

    def html_of(self, value: Any) -> str: ...
    def mimebundle_of(self, value: Any) -> dict[str, str]: ...
    def plot(self, value: Any, ax: Axes | None, **options: Any) -> Axes: ...
    def save_picture(self, value: Any, path: str | Path, **options: Any) -> None: ...
    def is_picture(self, path: str | Path) -> bool: ...


_find_display: Callable[[], Display] | None = None


def draw_with(find_display: Callable[[], Display]) -> None:
    """Say where the display is found; it is looked for when a picture is wanted."""
    global _find_display
    _find_display = find_display


def display() -> Display:
    """What draws values."""
    if _find_display is None:
        raise RuntimeError("nothing draws pictures here: import dconvex")
    return _find_display()


class Shown:
    """Something with a picture, which a notebook shows."""

    __slots__ = ()

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw it with matplotlib.

        Args:
            ax: The axes to draw into; without them a figure is made that is as large as the picture needs.

        Returns:
            The axes.

        Raises:
            ImportError: matplotlib is not installed; the extra `plot` has it.

        """
        return display().plot(self, ax)

    def save_picture(self, path: str | Path) -> None:
        """Write its picture to a file, which is replaced as a whole.

        Args:
            path: A file that ends in `.svg`, `.html` (to move and zoom in a browser), `.png` or `.pdf` (with matplotlib).

        Raises:
            FormatError: The suffix is none of these.
            ImportError: matplotlib is needed and not installed; the extra `plot` has it.

        """
        display().save_picture(self, path)

    def save(self, path: str | Path) -> None:
        """Write its picture to a file; the old name of `save_picture`, which goes with the next release."""
        warn_of_save(self)
        self.save_picture(path)

    def _repr_html_(self) -> str:
        return display().html_of(self)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        return display().mimebundle_of(self)


class ShownNetwork(Shown):
    """A network, whose picture may be coloured by clusters."""

    __slots__ = ()

    def plot(self, clusters: HasClusters | None = None, ax: Axes | None = None) -> Axes:  # type: ignore[override]
        """Draw the graph in rows with matplotlib.

        Args:
            clusters: Colours each node by the cluster that holds it, as in `clusters.plot()`: in stripes where several hold
                it, grey where more than six do, pale where none does.
            ax: The axes to draw into; without them a figure is made that is as large as the picture needs.

        Returns:
            The axes.

        Raises:
            UnknownVariableError: A cluster holds a variable that the network does not have.
            ImportError: matplotlib is not installed; the extra `plot` has it.

        """
        return display().plot(self, ax, clusters=clusters)

    def save_picture(self, path: str | Path, clusters: HasClusters | None = None) -> None:
        """Write its picture to a file, which is replaced as a whole.

        Args:
            path: A file that ends in `.svg`, `.html` (to move and zoom in a browser), `.png` or `.pdf` (with matplotlib).
            clusters: Colours the nodes as in `plot`.

        Raises:
            FormatError: The suffix is none of these.
            UnknownVariableError: A cluster holds a variable that the network does not have.
            ImportError: matplotlib is needed and not installed; the extra `plot` has it.

        """
        display().save_picture(self, path, clusters=clusters)

    def save(self, path: str | Path, clusters: HasClusters | None = None) -> None:
        """Write its picture to a file; the old name of `save_picture`, which goes with the next release."""
        warn_of_save(self)
        self.save_picture(path, clusters)


def warn_of_save(value: object) -> None:
    """Say that pictures are written by another method now."""
    message = f"{type(value).__name__}.save for a picture is called save_picture now; it goes with the next release"
    warnings.warn(message, DeprecationWarning, stacklevel=3)
