"""The networks of the bnlearn repository, inside the package: everything works offline."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from dconvex.errors import UnknownVariableError

if TYPE_CHECKING:
    from dconvex.network.network import BayesianNetwork

_HERE = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class NetworkInfo:
    """What is known of a built-in network without loading it; `licence` is "unknown" where none could be established."""

    name: str
    kind: Literal["discrete", "gaussian"]
    variables: int
    edges: int
    parameters: int
    source: str
    reference: str
    licence: str


def network_names() -> tuple[str, ...]:
    """The names of the built-in networks, sorted.

    >>> "alarm" in network_names()
    True
    """
    return tuple(_index())


def network_info(name: str) -> NetworkInfo:
    """Size, source, reference and licence of a built-in network.

    Args:
        name: One of `network_names()`.

    Returns:
        What is known of the network without loading it.

    Raises:
        UnknownVariableError: There is no such network; the message names a near match.

    >>> network_info("alarm").variables
    37
    """
    if name not in _index():
        raise UnknownVariableError(name, _index(), where="network")
    return _index()[name]


def load_network(name: str) -> BayesianNetwork:
    """A built-in network.

    Args:
        name: One of `network_names()`.

    Returns:
        The network.

    Raises:
        UnknownVariableError: There is no such network; the message names a near match.

    >>> load_network("alarm")
    BayesianNetwork(discrete, 37 variables, 46 edges, 752 probabilities)
    """
    from dconvex.formats import network_json
    from dconvex.formats.text_files import read_text

    path = _HERE / "networks" / f"{network_info(name).name}.json.gz"
    return network_json.parse(read_text(path), str(path))


@cache
def _index() -> dict[str, NetworkInfo]:
    records = json.loads((_HERE / "index.json").read_text(encoding="utf-8"))
    return {name: NetworkInfo(name=name, **record) for name, record in sorted(records.items())}
