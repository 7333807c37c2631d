"""Build wheel and sdist, and try them as those who install them will: `make release`.

The wheel is built from the sdist, so what is missing in one is missing in the other. It must hold the package as git has it
and nothing else, and install in a new environment of every Python that is found, where the README's example is run.
`--beside pgmpy` measures what others take on the disk, in the same way.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "dconvex"
VERSIONS = ("3.11", "3.12", "3.13", "3.14")
ABOUT = ("METADATA", "RECORD", "WHEEL", "entry_points.txt", "licenses/LICENSE", "licenses/LICENSE-DATA")
"""What a wheel says of itself."""
BESIDE_THE_PACKAGE = ("LICENSE", "LICENSE-DATA", "README.md", "CHANGELOG.md", "CONTRIBUTING.md", "PKG-INFO", "pyproject.toml")
"""What an sdist must hold besides the package and its tests."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dist", type=Path, default=ROOT / "dist", help="the folder to build into")
    parser.add_argument("--python", action="append", help="try this interpreter instead of all that are found")
    parser.add_argument("--beside", action="append", default=[], help="measure this package too")
    chosen = parser.parse_args()
    wheel, sdist = build(chosen.dist)
    complain(problems_of_wheel(files_in_wheel(wheel), package_files()), wheel)
    complain(problems_of_sdist(files_in_sdist(sdist)), sdist)
    print(f"{wheel.name} and {sdist.name} hold what they should", flush=True)
    pythons = chosen.python or list(found_pythons())
    for python in pythons:
        print(tried(python, wheel), flush=True)
    for package in chosen.beside:
        print(measured(pythons[0], package), flush=True)


def build(folder: Path) -> tuple[Path, Path]:
    """The wheel and the sdist, which twine finds in order."""
    shutil.rmtree(folder, ignore_errors=True)
    run(sys.executable, "-m", "build", "--outdir", str(folder), str(ROOT))
    (wheel,), (sdist,) = folder.glob("*.whl"), folder.glob("*.tar.gz")
    run(sys.executable, "-m", "twine", "check", "--strict", str(wheel), str(sdist))
    return wheel, sdist


def package_files() -> set[str]:
    """The files of the package that git knows."""
    listed = run("git", "ls-files", "-z", "--", str(PACKAGE), cwd=ROOT).split("\0")
    return {str(Path(name).relative_to("src")) for name in listed if name and (ROOT / name).exists()}


def files_in_wheel(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        return {name for name in archive.namelist() if not name.endswith("/")}


def files_in_sdist(sdist: Path) -> set[str]:
    """Without the folder that all of them are in."""
    with tarfile.open(sdist) as archive:
        return {member.name.partition("/")[2] for member in archive.getmembers() if member.isfile()}


def problems_of_wheel(inside: set[str], package: set[str]) -> Iterator[str]:
    about = {name for name in inside if name.partition("/")[0].endswith(".dist-info")}
    told = {name.partition("/")[2] for name in about}
    yield from (f"it lacks {name}" for name in sorted(package - inside))
    yield from (f"it should not hold {name}" for name in sorted(inside - package - about))
    yield from (f"it should tell {name}" for name in sorted(set(ABOUT) - told))
    yield from (f"it should not tell {name}" for name in sorted(told - set(ABOUT)))
    networks = json.loads((PACKAGE / "repository" / "index.json").read_text(encoding="utf-8"))
    files = {name: f"dconvex/repository/networks/{name}.json.gz" for name in networks}
    yield from (f"it lacks the network {name}" for name, file in files.items() if file not in inside)
    if "dconvex/py.typed" not in inside:
        yield "it lacks py.typed, so that its types do not count"


def problems_of_sdist(inside: set[str]) -> Iterator[str]:
    yield from (f"it lacks {name}" for name in BESIDE_THE_PACKAGE if name not in inside)
    if not any(name.startswith("tests/") for name in inside):
        yield "it lacks the tests"
    strange = (name for name in sorted(inside) if re.search(r"(^|/)(\.git/|\.venv|__pycache__|\..*cache)|\.(pyc|dcx)$", name))
    yield from (f"it should not hold {name}" for name in strange)


def complain(problems: Iterable[str], file: Path) -> None:
    found = list(problems)
    if found:
        raise SystemExit("\n".join(f"{file.name}: {problem}" for problem in found))


def found_pythons() -> Iterator[str]:
    """An interpreter of each version, on the PATH or among those of pyenv, which hides most of them."""
    hidden = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    for version in VERSIONS:
        candidates = [f"python{version}", *map(str, sorted(hidden.glob(f"{version}.*/bin/python"), reverse=True))]
        usable = next((python for python in candidates if can_make_environments(python)), None)
        if usable is None:
            print(f"Python {version} is not here: not tried")
        else:
            yield usable


def can_make_environments(python: str) -> bool:
    try:
        return subprocess.run([python, "-c", "import ensurepip, venv"], capture_output=True, check=False).returncode == 0
    except OSError:
        return False


@dataclass(frozen=True)
class Environment:
    """A new virtual environment with a package in it."""

    python: str
    version: str
    packages: int
    """How many there are besides the one that was asked for, pip and setuptools."""
    size: int
    """Bytes that installing it added."""

    def __str__(self) -> str:
        return f"{self.packages} dependencies, {self.size / 1e6:.0f} MB installed"


@contextmanager
def environment_with(python: str, requirement: str) -> Iterator[Environment]:
    with tempfile.TemporaryDirectory() as folder:
        run(python, "-m", "venv", folder)
        own = str(
            next(path for path in (Path(folder, "bin", "python"), Path(folder, "Scripts", "python.exe")) if path.exists())
        )
        before = size_of(Path(folder))
        run(own, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", requirement)
        run(own, "-m", "pip", "check", "--disable-pip-version-check")
        size = size_of(Path(folder)) - before
        listed = json.loads(run(own, "-m", "pip", "list", "--format=json", "--disable-pip-version-check"))
        others = [package for package in listed if package["name"] not in ("pip", "setuptools")]
        version = run(own, "-c", "import platform; print(platform.python_version())").strip()
        yield Environment(own, version, len(others) - 1, size)


def size_of(folder: Path) -> int:
    return sum(file.lstat().st_size for file in folder.rglob("*") if file.is_file())


def tried(python: str, wheel: Path) -> str:
    """Install the wheel, run what the README shows and ask on the command line; the kernels are compiled for it."""
    with environment_with(python, str(wheel)) as made, tempfile.TemporaryDirectory() as folder:
        settings = {**os.environ, "DCONVEX_CACHE": folder}
        for name in ("PYTHONPATH", "PYTHONHOME"):
            settings.pop(name, None)
        for example in examples():
            run(made.python, "-c", example, cwd=Path(folder), env=settings)
        script = str(Path(made.python).parent / "dconvex")
        version = run(script, "--version", cwd=Path(folder), env=settings).strip()
        if f"-{version}-" not in wheel.name:
            raise SystemExit(f"{wheel.name} calls itself {version}")
        run(script, "query", "alarm", "HR", "--given", "BP=LOW", cwd=Path(folder), env=settings)
        run(made.python, "-m", "pip", "install", "--quiet", "--dry-run", "--disable-pip-version-check", f"{wheel}[all]")
        return f"Python {made.version}: dconvex {version} installs and runs the README's example; {made}"


def examples() -> list[str]:
    return re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL)


def measured(python: str, package: str) -> str:
    with environment_with(python, package) as made:
        script = f"import importlib.metadata as m; print(m.version({package!r}))"
        return f"{package} {run(made.python, '-c', script).strip()}: {made}"


def run(*command: str, cwd: Path | None = None, env: dict[str, str] | None = None) -> str:
    """What the command prints; if it fails, what it printed is told."""
    result = subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, check=False)
    if result.returncode:
        raise SystemExit(f"{' '.join(command)[:200]} failed:\n{result.stdout}{result.stderr}")
    return result.stdout


if __name__ == "__main__":
    main()
