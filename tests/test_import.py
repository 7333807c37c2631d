"""Importing is silent and cheap: a fresh interpreter prints nothing and loads no heavy module."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = ["dask", "matplotlib", "narwhals", "networkx", "numba", "pandas", "pgmpy", "pyagrum", "pyarrow", "rich"]
HEAVY += ["scipy", "typer"]


def fresh_python(code: str) -> str:
    """What a new interpreter prints, warnings included, when it runs `code`."""
    run = subprocess.run([sys.executable, "-W", "always", "-c", code], capture_output=True, text=True, check=True)
    return run.stdout + run.stderr


def test_import_prints_nothing():
    assert fresh_python("import dconvex") == ""


def test_import_loads_no_heavy_module():
    loaded = fresh_python("import sys, dconvex; print(*sorted({name.split('.')[0] for name in sys.modules}))").split()
    assert "dconvex" in loaded
    assert set(loaded).isdisjoint(HEAVY)


@pytest.mark.parametrize("name", ["pandas", "networkx"])
def test_a_heavy_module_is_seen_when_it_is_there(name):
    assert name in fresh_python(f"import sys, {name}; print(*{{name.split('.')[0] for name in sys.modules}})").split()


def test_all_public_names_exist():
    assert fresh_python("import dconvex; [getattr(dconvex, name) for name in dconvex.__all__]") == ""
