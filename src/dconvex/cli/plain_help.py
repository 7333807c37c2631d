"""Help without the types that typer adds: `VARIABLE` and `-h`, not `{VARIABLE} <list[str]>` and `-h <bool>`."""

from __future__ import annotations

import typer
from typer.core import TyperCommand, TyperGroup

FLAGS = ("help", "install_completion", "show_completion")
"""Options of typer itself that take no value."""


class PlainCommand(TyperCommand):
    """A command whose help names its arguments as they are typed."""

    def get_params(self, ctx):  # type: ignore[no-untyped-def]
        return [_tidied(parameter) for parameter in super().get_params(ctx)]

    def collect_usage_pieces(self, ctx):  # type: ignore[no-untyped-def]
        return [piece.replace("{", "").replace("}", "") for piece in super().collect_usage_pieces(ctx)]


class PlainGroup(TyperGroup):
    """The same for the commands together."""

    def get_params(self, ctx):  # type: ignore[no-untyped-def]
        return [_tidied(parameter) for parameter in super().get_params(ctx)]


def make_plain(app: typer.Typer) -> None:
    """Let the help of all commands be plain."""
    app.info.cls = PlainGroup
    for command in app.registered_commands:
        command.cls = PlainCommand


def _tidied(parameter: object) -> object:
    """A parameter of typer, whose class is in a module that depends on typer's version."""
    if getattr(parameter, "name", "") in FLAGS:
        setattr(parameter, "metavar", "")  # noqa: B010
    elif getattr(parameter, "param_type_name", "") == "argument" and hasattr(parameter, "display_type_rich"):
        setattr(parameter, "display_type_rich", lambda ctx: "")  # noqa: B010
    return parameter
