"""What `make release` says of wheels and sdists that are not as they should be."""

from __future__ import annotations

import json
import sys

import pytest

from tools.check_release import ABOUT, NEXT_TO_THE_PACKAGE, PACKAGE, problems_of_sdist, problems_of_wheel, tag_of

NETWORKS = json.loads((PACKAGE / "repository" / "index.json").read_text(encoding="utf-8"))
PACKAGED = {
    "dconvex/__init__.py",
    "dconvex/_core.pyi",
    "dconvex/py.typed",
    *(f"dconvex/repository/networks/{name}.json.gz" for name in NETWORKS),
}
CORE = "dconvex/_core.abi3.so"
WHEEL = PACKAGED | {CORE} | {f"dconvex-1.0.dist-info/{name}" for name in ABOUT}
SDIST = {*NEXT_TO_THE_PACKAGE, "core/python/module.cpp", "src/dconvex/__init__.py", "tests/test_one.py"}


def test_each_python_has_its_wheel():
    version = sys.version_info
    assert tag_of(sys.executable) == ("cp311-cp311" if version < (3, 12) else "cp312-abi3")


def test_a_sound_release_has_no_problems():
    assert list(problems_of_wheel(WHEEL, PACKAGED)) == []
    assert list(problems_of_sdist(SDIST)) == []


@pytest.mark.parametrize(
    ("missing", "said"),
    [
        ("dconvex/__init__.py", "it lacks dconvex/__init__.py"),
        ("dconvex/py.typed", "it lacks py.typed, so that its types do not count"),
        ("dconvex/_core.pyi", "it lacks _core.pyi, so that its types do not count"),
        (CORE, "it should hold one core, not 0"),
        ("dconvex-1.0.dist-info/licenses/core/licenses/nanobind.txt", "it lacks licenses/core/licenses/nanobind.txt"),
        ("dconvex/repository/networks/alarm.json.gz", "it lacks the network alarm"),
        ("dconvex-1.0.dist-info/licenses/LICENSE-DATA", "it lacks licenses/LICENSE-DATA"),
    ],
)
def test_what_a_wheel_lacks_is_told(missing, said):
    assert said in list(problems_of_wheel(WHEEL - {missing}, PACKAGED))


@pytest.mark.parametrize("stray", ["tests/test_one.py", "dconvex/scratch.py", "dconvex/__pycache__/a.pyc"])
def test_what_does_not_belong_into_a_wheel_is_told(stray):
    assert list(problems_of_wheel(WHEEL | {stray}, PACKAGED)) == [f"it should not hold {stray}"]


def test_a_second_core_is_told():
    assert list(problems_of_wheel(WHEEL | {"dconvex/_core.cpython-311-x86_64-linux-gnu.so"}, PACKAGED)) == [
        "it should hold one core, not 2"
    ]


def test_a_network_that_the_source_forgot_is_told():
    forgotten = {"dconvex/repository/networks/alarm.json.gz"}
    assert list(problems_of_wheel(WHEEL - forgotten, PACKAGED - forgotten)) == ["it lacks the network alarm"]


@pytest.mark.parametrize(
    "missing", ["LICENSE-DATA", "README.md", "CMakeLists.txt", "core/python/module.cpp", "tests/test_one.py"]
)
def test_what_an_sdist_lacks_is_told(missing):
    assert len(list(problems_of_sdist(SDIST - {missing}))) == 1


@pytest.mark.parametrize(
    "stray",
    [".venv/pyvenv.cfg", "src/dconvex/__pycache__/a.pyc", ".git/HEAD", "big.dcx", ".mypy_cache/x", "src/dconvex/_core.abi3.so"],
)
def test_what_does_not_belong_into_an_sdist_is_told(stray):
    assert list(problems_of_sdist(SDIST | {stray})) == [f"it should not hold {stray}"]
