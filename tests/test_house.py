"""The rules of the house that no linter checks: one name for one thing, and types that say something.

Each list of exceptions only shrinks: what is not needed any more may leave it any time, nothing may join it.
"""

from __future__ import annotations

import ast
from collections import Counter, defaultdict
from pathlib import Path

import dconvex as dc

ROOT = Path(dc.__file__).parent
MODULES = {
    path.relative_to(ROOT).as_posix(): ast.parse(path.read_text(encoding="utf-8")) for path in sorted(ROOT.rglob("*.py"))
}

MOST_ANY = 175
"""The number of times that `Any` is in the source; lower it when some of them go."""


def repeated(owners: dict[str, list[str]]) -> dict[str, list[str]]:
    return {name: paths for name, paths in owners.items() if len(paths) > 1}


def array_types(tree: ast.Module) -> list[str]:
    """The names that a module gives to types of numpy arrays."""
    found = []
    for node in tree.body:
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            names = node.targets if isinstance(node, ast.Assign) else [node.target]
            if "NDArray" in ast.unparse(node.value):
                found += [ast.unparse(name) for name in names]
    return found


def test_no_module_name_is_in_two_folders():
    owners = defaultdict(list)
    for path in MODULES:
        if not path.startswith("cli/") and Path(path).stem not in ("__init__", "__main__"):
            owners[Path(path).stem].append(path)
    assert repeated(owners) == {}


def test_no_class_name_is_in_two_modules():
    owners = defaultdict(list)
    for path, tree in MODULES.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                owners[node.name].append(path)
    assert repeated(owners) == {}


def test_array_types_are_defined_once():
    own = {path: array_types(tree) for path, tree in MODULES.items() if array_types(tree)}
    elsewhere = {path: names for path, names in own.items() if path != "arrays.py"}
    assert elsewhere == {}
    assert len(own["arrays.py"]) == len(set(own["arrays.py"])) > 5


def test_any_does_not_grow():
    """`Any` is for what foreign libraries leave untyped; imports of it do not count."""
    counts = Counter(
        {
            path: sum(isinstance(node, ast.Name) and node.id == "Any" for node in ast.walk(tree))
            for path, tree in MODULES.items()
        }
    )
    assert counts.total() <= MOST_ANY, counts.most_common(10)


def test_every_public_module_says_what_it_is():
    assert [path for path, tree in MODULES.items() if not ast.get_docstring(tree)] == []
