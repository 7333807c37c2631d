"""The models that a page can be about: the one the command named, built-in networks, and files dropped on the start page."""

from __future__ import annotations

import secrets
import shutil
import threading
import weakref
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path, PurePath
from tempfile import mkdtemp

from dconvex.errors import DconvexError, FormatError
from dconvex.explorer.explorer import Explorer
from dconvex.explorer.translation import Plain
from dconvex.formats import read
from dconvex.formats.registry import FORMATS
from dconvex.inference.model import LocalModel, localize
from dconvex.repository import load_network, network_info, network_names
from dconvex.storage import open_model

MODEL_SUFFIX = ".dcx"
MOST_OPEN = 8
"""The most built-in networks, and the most files, that are kept open at once."""


class Shelf:
    """Explorers by the address of their page; `main` is the model that the command named, if it named one.

    A file is taken by its content alone: no path that a page sends is opened.
    """

    def __init__(self, main: Explorer | None = None) -> None:
        self.main = main
        self._folder: Path | None = None
        self._networks: OrderedDict[str, Explorer] = OrderedDict()
        self._files: OrderedDict[str, Explorer] = OrderedDict()
        self._lock = threading.Lock()

    def networks(self) -> Plain:
        """What the start page lists: the built-in networks, and whether there is a model of the command's own."""
        infos = [network_info(name) for name in network_names()]
        listed = [{"name": i.name, "kind": i.kind, "variables": i.variables, "edges": i.edges} for i in infos]
        suffixes = sorted({suffix for form in FORMATS for suffix in form.suffixes} | {MODEL_SUFFIX})
        return {"networks": listed, "suffixes": suffixes, "main": self.main.title if self.main else None}

    def network(self, name: str) -> Explorer | None:
        """A built-in network; None if there is none of that name."""
        if name not in network_names():
            return None
        loading = f"dc.localize(dc.load_network({name!r}))"
        return self._kept(self._networks, name, lambda: Explorer(localize(load_network(name)), name, loading))

    def file(self, key: str) -> Explorer | None:
        """A file that was dropped; None if it was never there, or so long ago that others took its place."""
        with self._lock:
            return self._files.get(key)

    def add(self, name: str, content: bytes) -> str:
        """Open what was dropped under this name; its key."""
        title = PurePath(name.replace("\\", "/")).name or "network"
        explorer = self._opened(title, content)
        key = secrets.token_urlsafe(9)
        self._kept(self._files, key, lambda: explorer)
        return key

    def _opened(self, title: str, content: bytes) -> Explorer:
        suffix = PurePath(title).suffix.lower()
        known = self.networks()["suffixes"]
        assert isinstance(known, list)
        if suffix not in known:
            raise FormatError(f"unknown suffix {suffix!r}; a page takes {', '.join(known)}", path=title)
        path = self._file_for(suffix)
        try:
            path.write_bytes(content)
            model, call = self._model(path, suffix)
            explorer = Explorer(model, title, call.format(repr(title)))
        except Exception as error:
            path.unlink(missing_ok=True)
            raise _about(title, path, error) from None
        weakref.finalize(explorer, path.unlink, missing_ok=True)
        return explorer

    def _model(self, path: Path, suffix: str) -> tuple[LocalModel, str]:
        if suffix == MODEL_SUFFIX:  # its numbers are read when a question needs them: the file stays
            return open_model(path), "dc.open_model({})"
        return localize(read(path)), "dc.localize(dc.read({}))"

    def _file_for(self, suffix: str) -> Path:
        with self._lock:
            if self._folder is None:
                self._folder = Path(mkdtemp(prefix="dconvex-explore-"))
                weakref.finalize(self, shutil.rmtree, self._folder, ignore_errors=True)
            return self._folder / f"{secrets.token_hex(8)}{suffix}"

    def _kept(self, shelf: OrderedDict[str, Explorer], key: str, make: Callable[[], Explorer]) -> Explorer:
        """The explorer with this key, made if it is new; the one not used for longest is given up."""
        with self._lock:
            found = shelf.get(key)
        made = found or make()  # outside the lock: other pages go on
        with self._lock:
            shelf[key] = shelf.get(key, made)
            shelf.move_to_end(key)
            while len(shelf) > MOST_OPEN:
                shelf.popitem(last=False)
            return shelf[key]


def _about(title: str, path: Path, error: Exception) -> Exception:
    """The error with the name of what was dropped, instead of where we keep it."""
    if not isinstance(error, DconvexError) or str(path) not in str(error):
        return error
    kind = FormatError if isinstance(error, FormatError) else DconvexError
    return kind(str(error).replace(str(path), title))
