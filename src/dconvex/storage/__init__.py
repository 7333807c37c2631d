"""Models and statistics in files: all of saving and opening.

A file is safetensors, replaced as a whole when it is written and checked when it is read. `models` and `stored_statistics`
write and read whole values; the other modules are the parts of a file.
"""

from dconvex.storage.models import open_model, save_model
from dconvex.storage.stored_statistics import load_statistics, save_statistics

__all__ = ["load_statistics", "open_model", "save_model", "save_statistics"]
