"""A network as the text of a file, to download."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from dconvex.formats import write
from dconvex.network.network import BayesianNetwork


def network_text(network: BayesianNetwork) -> str:
    """BIF, or JSON for a Gaussian network."""
    suffix = "bif" if network.kind == "discrete" else "json"
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"network.{suffix}"
        write(network, path, rename=True)
        return path.read_text(encoding="utf-8")
