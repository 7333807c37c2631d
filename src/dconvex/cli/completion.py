"""What the shell offers when Tab is pressed: built-in networks, and the variables and states of the one that was named."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from dconvex.cli.sources import Subject
    from dconvex.names import Label


def networks(incomplete: str) -> list[str]:
    """Built-in networks; where none fits, the shell offers files."""
    from dconvex.repository import network_names

    return _beginning(incomplete, network_names())


def variables(context: typer.Context, incomplete: str) -> list[str]:
    """The variables of the network that are not named yet."""
    named: Sequence[str] = context.params.get("variables") or ()
    observed = _cut_by_bash(context, named)
    if observed is not None:
        return _beginning(incomplete, map(str, _states(context, observed)))
    return _beginning(incomplete, (name for name in _names(context) if name not in named))


def evidence(context: typer.Context, incomplete: str) -> list[str]:
    """`BP=`, and after that `BP=LOW`."""
    name, equals, _ = incomplete.partition("=")
    if equals:
        return _beginning(incomplete, (f"{name}={state}" for state in _states(context, name)))
    return _beginning(incomplete, (f"{name}=" for name in _names(context)))


def _beginning(incomplete: str, words: Iterable[str]) -> list[str]:
    return [word for word in words if word.startswith(incomplete)]


def _names(context: typer.Context) -> list[str]:
    network = _network(context)
    return [] if network is None else list(map(str, network.dag.nodes))


def _states(context: typer.Context, name: str) -> Sequence[Label]:
    from dconvex.cli.sources import variables_by_spelling

    network = _network(context)
    variable = None if network is None else variables_by_spelling(network).get(name)
    return () if network is None or variable is None else network.states.get(variable, ())


def _network(context: typer.Context) -> Subject | None:
    """The network that was named, if it can be read; Tab reports no errors."""
    from dconvex.cli.sources import find_network, is_model_file
    from dconvex.errors import DconvexError
    from dconvex.storage import open_model

    source = context.params.get("network") or next(iter(context.args), None)  # unparsed while an option lacks its value
    if source:
        with suppress(DconvexError, OSError):
            return open_model(source) if is_model_file(source) else find_network(source)
    return None


def _cut_by_bash(context: typer.Context, named: Sequence[str]) -> str | None:
    """The variable whose state is being typed: bash cuts `BP=LOW` in three, of which two look like variables to ask for."""
    cut = [word for option in ("given", "soft") for word in context.params.get(option) or () if "=" not in word]
    is_open = len(cut) > named.count("=") or list(named[-1:]) == ["="]
    return cut[-1] if cut and is_open else None
