"""Where a command's network or model comes from, a file or the networks inside the package, and its variables."""

from __future__ import annotations

import errno
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import typer

from dconvex.amounts import amount
from dconvex.cli.terminal import waiting
from dconvex.errors import UnknownVariableError
from dconvex.names import Name
from dconvex.repository import load_network, network_names

if TYPE_CHECKING:
    from dconvex.graph.dag import Dag
    from dconvex.inference.model import LocalModel
    from dconvex.network.network import BayesianNetwork

Subject: TypeAlias = "BayesianNetwork | LocalModel"
"""What has variables and their states."""
MODEL_SUFFIX = ".dcx"


def find_network(source: str) -> BayesianNetwork:
    """The built-in network of that name, or the network in that file, a network or a model file."""
    looks_like_a_file = any(mark in source for mark in "./\\") or (source and Path(source).exists())
    if source in network_names() or not looks_like_a_file:
        return load_network(source)
    if Path(source).is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), source)
    if is_model_file(source):
        from dconvex.storage import open_model

        return open_model(source).network()
    from dconvex.formats import read

    return read(source)


def find_structure(source: str) -> BayesianNetwork | Dag:
    """As `find_network`; or the graph in a file without tables."""
    from dconvex.formats.structures import is_structure, read_structure

    is_known = source in network_names() or Path(source).is_dir()
    return read_structure(source) if not is_known and is_structure(Path(source)) else find_network(source)


def find_model(source: str) -> LocalModel:
    """The model in that file, or one made of the built-in network of that name or of the network in that file."""
    if is_model_file(source):
        from dconvex.storage import open_model

        return open_model(source)
    from dconvex.inference.model import localize

    network = find_network(source)
    with waiting(f"decomposing {amount(len(network.dag), 'variable')}"):
        return localize(network)


def is_model_file(source: str) -> bool:
    """Whether the name says that the file holds a model."""
    return source.lower().endswith(MODEL_SUFFIX)


def find_variables(network: Subject, spelled: Sequence[str]) -> list[Name]:
    """The variables with these spellings; an integer name is spelled in digits."""
    by_spelling = variables_by_spelling(network)
    for word in spelled:
        if word not in by_spelling:
            raise UnknownVariableError(word, network.dag.nodes)
    return [by_spelling[word] for word in spelled]


def find_different_variables(network: Subject, spelled: Sequence[str]) -> list[Name]:
    """The same for a question, in which no variable may come twice."""
    twice = next((word for index, word in enumerate(spelled) if word in spelled[:index]), None)
    if twice is not None:
        raise typer.BadParameter(f"{twice} is named twice")
    return find_variables(network, spelled)


def variables_by_spelling(network: Subject) -> dict[str, Name]:
    """The variables by what a user types for them; of two that are spelled alike, 1 and "1", the first one is meant."""
    return {str(node): node for node in reversed(network.dag.nodes)}
