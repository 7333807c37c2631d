"""Every public name says what it takes, what it returns and what it raises, in Google's style."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator

import pytest

import dconvex as dc

NEVER_RAISES = {"BDeu.cells", "ClusterTree.is_over", "Dag.from_graph"}


def public_functions() -> Iterator[tuple[str, object]]:
    """(name, function) of every public function, and of the public methods and properties of every public class."""
    for name in dc.__all__:
        value = getattr(dc, name)
        if not inspect.isclass(value):
            yield name, value
        elif not issubclass(value, Exception):
            yield from ((f"{name}.{method}", function) for method, function in methods(value))


def methods(cls: type) -> Iterator[tuple[str, object]]:
    for name, member in inspect.getmembers_static(cls):
        if not name.startswith("_"):
            function = member.__func__ if isinstance(member, classmethod | staticmethod) else member
            if inspect.isfunction(function):
                yield name, function


def arguments(function: object) -> list[str]:
    return [name for name in inspect.signature(function).parameters if name not in ("self", "cls")]


def listed(text: str, section: str) -> str:
    """The lines of a section: those that are indented deeper than its head."""
    found = re.search(rf"(?m)^( *){section}:\n((?:\1 +.*\n?|\n)*)", text)
    return found.group(2) if found else ""


def lacking(name: str, function: object) -> list[str]:
    """The arguments that the docstring does not explain, and the sections that it should have and does not."""
    text = inspect.cleandoc(function.__doc__ or "")
    if not arguments(function):
        return [] if text else ["a docstring"]
    explained = re.findall(r"(?m)^    (\w+):", listed(text, "Args"))
    missing = [argument for argument in arguments(function) if argument not in explained]
    returns = inspect.signature(function).return_annotation not in (None, "None")
    if returns and not listed(text, "Returns"):
        missing.append("Returns")
    if name not in NEVER_RAISES and not listed(text, "Raises"):
        missing.append("Raises")
    return missing


FUNCTIONS = dict(public_functions())


@pytest.mark.parametrize("name", FUNCTIONS)
def test_arguments_results_and_errors_are_explained(name):
    assert lacking(name, FUNCTIONS[name]) == []


def test_what_is_not_explained_is_found():
    def half(one: int, other: int) -> int:
        """A sum.

        Args:
            one: A number.

        """

    assert lacking("half", half) == ["other", "Returns", "Raises"]


@pytest.mark.parametrize("name", dc.__all__)
def test_every_public_class_and_function_has_a_docstring(name):
    assert inspect.getdoc(getattr(dc, name))
