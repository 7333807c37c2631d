"""Where a command's network comes from: a file, or the networks inside the package."""

from __future__ import annotations

from pathlib import Path

from dconvex.formats import read
from dconvex.network.network import BayesianNetwork
from dconvex.repository import load_network, network_names


def find_network(source: str) -> BayesianNetwork:
    """The built-in network of that name, or the network in that file."""
    looks_like_a_file = any(mark in source for mark in "./\\") or Path(source).exists()
    return read(source) if looks_like_a_file and source not in network_names() else load_network(source)
