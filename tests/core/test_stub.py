"""`_core.pyi` says of the native core what is true: every name, every method and every argument, in both directions."""

from __future__ import annotations

import ast
import enum
import re
from importlib import resources

import pytest

from dconvex import _core

STUB = ast.parse((resources.files("dconvex") / "_core.pyi").read_text())
IMPLIED = {*dir(object), "__module__", "__setstate__"} - {"__init__"}
"""What every class has, and what only pickling calls."""


# --- what the stub says


def declared(body):
    """name → its nodes (several for overloads or a property with a setter), without aliases and protocols of types."""
    found = {}
    for node in body:
        if isinstance(node, ast.FunctionDef) or (isinstance(node, ast.ClassDef) and not is_protocol(node)):
            found.setdefault(node.name, []).append(node)
        elif isinstance(node, ast.AnnAssign) and ast.unparse(node.annotation) != "TypeAlias":
            found.setdefault(ast.unparse(node.target), []).append(node)
        elif isinstance(node, ast.Assign):
            found.setdefault(ast.unparse(node.targets[0]), []).append(node)
    return found


def is_protocol(node):
    return any(ast.unparse(base).startswith("Protocol") for base in node.bases)


def decorators(node):
    return {ast.unparse(decorator).rpartition(".")[2] for decorator in getattr(node, "decorator_list", ())}


def stub_arguments(node, is_method):
    """(name, whether it may be left out) of each argument but `self`."""
    given = node.args
    assert not given.vararg, node.name
    assert not given.kwarg, node.name
    positional = [*given.posonlyargs, *given.args]
    first_optional = len(positional) - len(given.defaults)
    pairs = [(argument.arg, index >= first_optional) for index, argument in enumerate(positional)]
    pairs += [(a.arg, default is not None) for a, default in zip(given.kwonlyargs, given.kw_defaults, strict=True)]
    return pairs[1:] if is_method and "staticmethod" not in decorators(node) else pairs


# --- what the module has


def core_arguments(function):
    """The same of each overload of a native function; None where it takes whatever comes."""
    return [signature_arguments(signature) for signature, *_ in function.__nb_signature__]


def signature_arguments(signature):
    inner = re.fullmatch(r"def \w+\((.*)\)(?: -> .*)?", without_brackets(signature)).group(1)
    parts = [part.strip() for part in inner.split(",") if part.strip()]
    if any(part.startswith("*") and part != "*" for part in parts):
        return None
    pairs = [(re.match(r"\w+", part).group(), "=" in part) for part in parts if part not in ("*", "/")]
    return [pair for pair in pairs if pair[0] != "self"]


def without_brackets(text):
    """The text without what its square brackets hold, which is not always Python."""
    while (shorter := re.sub(r"\[[^\[\]]*\]", "", text)) != text:
        text = shorter
    return text


def is_public(name):
    return not name.startswith("__")


# --- both


def functions():
    """(what it is called, nodes of the stub, native function, whether it is a method)"""
    for name, nodes in declared(STUB.body).items():
        if isinstance(nodes[0], ast.FunctionDef):
            yield pytest.param(nodes, getattr(_core, name, None), False, id=name)
        elif isinstance(nodes[0], ast.ClassDef):
            for method, own in declared(nodes[0].body).items():
                if isinstance(own[0], ast.FunctionDef) and not decorators(own[0]) & {"property", "setter"}:
                    native = vars(getattr(_core, name, object)).get(method)
                    yield pytest.param(own, native, True, id=f"{name}.{method}")


def classes():
    for name, nodes in declared(STUB.body).items():
        if isinstance(nodes[0], ast.ClassDef):
            yield pytest.param(nodes[0], getattr(_core, name, None), id=name)


def test_names_are_the_same():
    assert set(declared(STUB.body)) == set(filter(is_public, vars(_core)))


@pytest.mark.parametrize(("node", "native"), list(classes()))
def test_members_are_the_same(node, native):
    said = declared(node.body)
    if issubclass(native, enum.Enum):
        assert list(said) == [member.name for member in native]
        return
    found = {name for name, member in vars(native).items() if name != "__init__" or hasattr(member, "__nb_signature__")}
    assert set(said) - IMPLIED == found - IMPLIED
    for name, nodes in said.items():
        marks = set().union(*map(decorators, nodes))
        assert isinstance(vars(native).get(name), property) == ("property" in marks), name
        if "property" in marks:
            assert (vars(native)[name].fset is not None) == ("setter" in marks), name


@pytest.mark.parametrize(("nodes", "native", "is_method"), list(functions()))
def test_arguments_are_the_same(nodes, native, is_method):
    said = [stub_arguments(node, is_method) for node in nodes]
    found = core_arguments(native)
    if found == [None]:
        return
    if is_method and nodes[0].name.startswith("__") and nodes[0].name != "__init__":  # called by position only
        assert set(map(len, said)) <= set(map(len, found))
    else:
        assert sorted(said) == sorted(found)


# --- this test itself


@pytest.mark.parametrize(
    ("signature", "expected"),
    [
        ("def f() -> None", []),
        ("def f(self, a: int, b: str | None = None) -> dict[str, tuple[int, ...]]", [("a", False), ("b", True)]),
        (
            "def f(a: ndarray[shape=(*)], *, b: list[tuple[int]] = \\0) -> int",
            [("a", False), ("b", True)],
        ),
        ("def f(self, *args) -> None", None),
    ],
)
def test_signatures_are_read(signature, expected):
    assert signature_arguments(signature) == expected


def test_stub_arguments_are_read():
    node = ast.parse("def f(self, a, b=1, *, c, d=2): ...").body[0]
    assert stub_arguments(node, True) == [("a", False), ("b", True), ("c", False), ("d", True)]
    assert stub_arguments(node, False)[0] == ("self", False)
