"""Importing is silent and cheap: a fresh interpreter prints nothing, loads no heavy module and finds each name on first use."""

from __future__ import annotations

import ast
import pickle
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import dconvex as dc

HEAVY = ["dask", "matplotlib", "narwhals", "networkx", "numba", "pandas", "pgmpy", "pyagrum", "pyarrow", "rich"]
HEAVY += ["scipy", "sklearn", "typer"]
LOADED = "print(*sorted({name.split('.')[0] for name in sys.modules}))"


def fresh_python(code: str) -> str:
    """What a new interpreter prints, warnings included, when it runs `code`."""
    run = subprocess.run([sys.executable, "-W", "always", "-c", code], capture_output=True, text=True, check=True)
    return run.stdout + run.stderr


def test_import_prints_nothing():
    assert fresh_python("import dconvex") == ""


def test_import_loads_no_heavy_module():
    loaded = fresh_python(f"import sys, dconvex; {LOADED}").split()
    assert "dconvex" in loaded
    assert set(loaded).isdisjoint([*HEAVY, "numpy"])


def test_all_public_names_load_no_heavy_module():
    code = f"import sys, dconvex; [getattr(dconvex, name) for name in dconvex.__all__]; {LOADED}"
    assert set(fresh_python(code).split()).isdisjoint(HEAVY)


def test_a_built_in_network_is_loaded_without_other_formats():
    code = "import sys, dconvex; dconvex.load_network('asia'); print(*sys.modules)"
    loaded = set(fresh_python(code).split())
    assert "dconvex.formats.network_json" in loaded
    assert loaded.isdisjoint(["dconvex.formats.bif", "dconvex.formats.xdsl", "dconvex.learning", "tempfile", *HEAVY])


@pytest.mark.parametrize("name", ["pandas", "networkx"])
def test_a_heavy_module_is_seen_when_it_is_there(name):
    assert name in fresh_python(f"import sys, {name}; {LOADED}").split()


def test_all_public_names_exist():
    assert fresh_python("import dconvex; [getattr(dconvex, name) for name in dconvex.__all__]") == ""


def test_all_names_are_there_with_a_star():
    assert fresh_python("from dconvex import *; import dconvex; assert set(dconvex.__all__) <= set(globals())") == ""


def test_the_table_of_names_is_what_type_checkers_see():
    """Three lists in `__init__.py` say the same: the imports for type checkers, the table of modules, and `__all__`."""
    tree = ast.parse(Path(dc.__file__).read_text(encoding="utf-8"))
    block = next(node for node in tree.body if isinstance(node, ast.If))
    imports = [node for node in block.body if isinstance(node, ast.ImportFrom)]
    for_checkers = {alias.name: node.module for node in imports for alias in node.names}
    assert for_checkers == dc._MODULES
    assert sorted(for_checkers) == sorted(dc.__all__)


@pytest.mark.parametrize("name", dc.__all__)
def test_a_name_is_that_of_its_module(name):
    assert getattr(dc, name) is getattr(import_module(dc._MODULES[name]), name)
    assert dc.__dict__[name] is getattr(dc, name)  # found without `__getattr__` the next time


def test_names_are_listed_before_they_are_used():
    assert fresh_python("import dconvex; assert {*dconvex.__all__, '__version__'} <= set(dir(dconvex))") == ""


@pytest.mark.parametrize("name", ["errors", "graph", "inference", "names", "network", "repository", "_core"])
def test_submodules_are_attributes(name):
    assert fresh_python(f"import dconvex; print(dconvex.{name}.__name__)") == f"dconvex.{name}\n"


def test_what_is_not_there_is_an_attribute_error():
    with pytest.raises(AttributeError, match="module 'dconvex' has no attribute 'nothing'"):
        _ = dc.nothing
    assert not hasattr(dc, "__nothing__")
    with pytest.raises(ImportError, match="nothing"):
        from dconvex import nothing  # noqa: F401


def test_a_submodule_that_lacks_a_package_says_so():
    """Only that the submodule itself is missing means that there is no such attribute."""
    code = """
import sys
sys.modules["gzip"] = None
import dconvex
try:
    dconvex.formats
except ModuleNotFoundError as error:
    print(error.name)
"""
    assert fresh_python(code) == "gzip\n"


def test_pickles_are_opened_by_a_process_that_has_used_nothing(tmp_path):
    path = tmp_path / "dag.pickle"
    path.write_bytes(pickle.dumps([dc.Dag([("a", "b")]), dc.CycleError(["a", "b"]), dc.BDeu(10)]))
    code = f"import pickle, pathlib; print(*pickle.loads(pathlib.Path({str(path)!r}).read_bytes()), sep='; ')"
    assert fresh_python(code) == "Dag(2 nodes, 1 edge); the edges contain a cycle: a → b → a; BDeu(equivalent_sample_size=10)\n"
