"""The picture of the layers has every layer of the import contract, in its order, and says what each of its modules is."""

from __future__ import annotations

import re
from pathlib import Path

import dconvex as dc
from tools.draw_layers import about, layers, picture, spelled


def test_every_package_and_module_is_in_a_layer():
    source = Path(dc.__file__).parent
    packages = {path.parent.name for path in source.glob("*/__init__.py")}
    modules = {path.stem for path in source.glob("*.py")} - {"__init__"}
    assert {module for layer in layers() for module in layer} == packages | modules


def test_the_picture_has_them_from_top_to_bottom():
    shown = re.findall(r'font-weight="bold">([^<]+)</text>', picture())
    assert shown == ["dconvex", *(spelled(module) for layer in layers() for module in layer)]


def test_what_is_said_of_a_module_is_of_its_docstring():
    assert about("graph") == "Graphs without numbers: the DAG, and the questions that it answers alone"
    assert all(about(module) for layer in layers() for module in layer)
