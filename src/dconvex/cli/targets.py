"""Files that a command is going to write, checked before the work begins."""

from __future__ import annotations

import errno
import os
from pathlib import Path


def check_target(path: Path) -> None:
    """Raise unless a file can be written there; an existing one is replaced."""
    folder = path.resolve().parent
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, "this is a folder; name the file to write", str(path))
    if not folder.is_dir():
        raise FileNotFoundError(errno.ENOENT, "there is no such folder to write to", str(path.parent))
    if not os.access(folder, os.W_OK):
        raise PermissionError(errno.EACCES, "there is no permission to write to this folder", str(path.parent))
