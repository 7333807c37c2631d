"""Files that a command is going to write: what would go wrong at the end is told at the beginning."""

from __future__ import annotations

import errno
import os
from pathlib import Path


def check_target(path: Path) -> None:
    """That a file can be put there; one that is there already is replaced."""
    folder = path.resolve().parent
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, "this is a folder; name the file to write", str(path))
    if not folder.is_dir():
        raise FileNotFoundError(errno.ENOENT, "there is no such folder to write to", str(path.parent))
    if not os.access(folder, os.W_OK):
        raise PermissionError(errno.EACCES, "this folder must not be written to", str(path.parent))
