"""Tests with every dependency at its lower bound, extras too: `python tools/test_lowest.py [FILE …]`.

The package is built and installed in `build/lowest`, with what `pyproject.toml` names at the lowest version that it admits.
One file of tests from each folder that needs no peer runs there, unless files are named.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PLACE = ROOT / "build" / "lowest"
EXTRAS = ("dask", "explore", "plot", "sklearn")
TESTED_WITH = ("hypothesis", "mpmath", "polars", "pytest", "pytest-xdist")
"""What the tests need beside the package."""
FILES = (
    "tests/test_import.py",
    "tests/cli/test_query.py",
    "tests/clusters/test_cluster_index.py",
    "tests/core/test_graph.py",
    "tests/display/test_plot.py",
    "tests/evaluation/test_cross_validation.py",
    "tests/explorer/test_http.py",
    "tests/formats/test_round_trip.py",
    "tests/graph/test_decomposition.py",
    "tests/inference/test_prediction.py",
    "tests/learning/test_distributed.py",
    "tests/network/test_network.py",
    "tests/estimators/test_classifier.py",
    "tests/storage/test_models.py",
    "tests/structure/test_learn_structure.py",
)
REQUIREMENT = re.compile(r"(?P<name>[\w.-]+)(?:\[(?P<extras>[\w,]+)\])?>=(?P<version>[\w.]+)")


def main() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    named = [*project["dependencies"], *(word for extra in EXTRAS for word in project["optional-dependencies"][extra])]
    lowest = PLACE / "lowest.txt"
    PLACE.mkdir(parents=True, exist_ok=True)
    lowest.write_text("".join(f"{pin}\n" for pin in pins(named)), encoding="utf-8")
    python = PLACE / "bin" / "python"
    if not python.exists():
        run(sys.executable, "-m", "venv", PLACE)
    install = (python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--constraint", lowest)
    run(*install, *TESTED_WITH, f"{ROOT}[{','.join(EXTRAS)}]")
    files = sys.argv[1:] or FILES
    # newer versions have ended warnings that the oldest ones still raise, in themselves and in each other
    run(python, "-m", "pytest", "-q", "-n", "2", "-W", "default", "-p", "no:cacheprovider", *files)


def pins(requirements: Iterable[str]) -> Iterator[str]:
    """Each requirement at its lower bound.

    >>> list(pins(["numpy>=2.0", "dask[dataframe]>=2025.5.1"]))
    ['numpy==2.0', 'dask==2025.5.1']
    """
    for requirement in requirements:
        found = REQUIREMENT.match(requirement)
        if found is None:
            raise SystemExit(f"{requirement!r} has no lower bound")
        yield f"{found['name']}=={found['version']}"


def run(*words: object) -> None:
    done = subprocess.run([str(word) for word in words], cwd=ROOT, check=False)
    if done.returncode:
        raise SystemExit(done.returncode)


if __name__ == "__main__":
    main()
