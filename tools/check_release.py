"""Build wheels and an sdist, and try them as those who install them will: `make release`.

The wheels are built from the sdist, so what is missing in one is missing in the other: one for Python 3.11, one in the stable
ABI for all later versions, one for each free-threaded version. On Linux, Zig builds them for a C library as old as that of
manylinux_2_28 (set CXX for another compiler). Each must hold the package as git has it, its core, the licences and nothing
else, and install in a new environment of every Python that is found, where the README's example is run. `--compare pgmpy`
measures what others take on the disk, in the same way.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "dconvex"
VERSIONS = ("3.11", "3.12", "3.13", "3.14", "3.14t")
LICENCES = ("LICENSE", "LICENSE-DATA", "core/licenses/llvm.txt", "core/licenses/nanobind.txt", "core/licenses/robin_map.txt")
"""Our own, that of the networks, and those of what is compiled into the core."""
ABOUT = ("METADATA", "RECORD", "WHEEL", "entry_points.txt", *(f"licenses/{name}" for name in LICENCES))
"""What a wheel says of itself."""
BUILD_FILES = ("CMakeLists.txt", "pyproject.toml", "tools/build_backend.py")
NEXT_TO_THE_PACKAGE = (*LICENCES, *BUILD_FILES, "README.md", "CHANGELOG.md", "CONTRIBUTING.md", "PKG-INFO")
"""What an sdist must hold next to the package, the sources of the core and the tests."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dist", type=Path, default=ROOT / "dist", help="the folder to build into")
    parser.add_argument("--python", action="append", help="try this interpreter instead of all that are found")
    parser.add_argument("--compare", action="append", default=[], help="measure this package too")
    chosen = parser.parse_args()
    sdist = build_sdist(chosen.dist)
    complain(problems_of_sdist(files_in_sdist(sdist)), sdist)
    print(f"{sdist.name} holds what it should", flush=True)
    pythons = chosen.python or list(found_pythons())
    wheels = {python: wheel_for(python, sdist) for python in pythons}
    run(sys.executable, "-m", "twine", "check", "--strict", str(sdist), *map(str, set(wheels.values())))
    for python, wheel in wheels.items():
        print(tried(python, wheel), flush=True)
    for package in chosen.compare:
        print(measured(pythons[0], package), flush=True)


def build_sdist(folder: Path) -> Path:
    shutil.rmtree(folder, ignore_errors=True)
    run(sys.executable, "-m", "build", "--sdist", "--outdir", str(folder), str(ROOT))
    (sdist,) = folder.glob("*.tar.gz")
    return sdist


def wheel_for(python: str, sdist: Path) -> Path:
    """The wheel that this Python takes; built with it from the sdist unless it is there."""
    tag = tag_of(python)
    if not (found := list(sdist.parent.glob(f"*-{tag}-*.whl"))):
        start = time.perf_counter()
        build_wheel(python, sdist)
        found = list(sdist.parent.glob(f"*-{tag}-*.whl"))
        if not found:
            raise SystemExit(f"{python} has not built a wheel for {tag}")
        complain(problems_of_wheel(files_in_wheel(found[0]), package_files()), found[0])
        print(f"{found[0].name}: built in {time.perf_counter() - start:.0f} s, holds what it should", flush=True)
    return found[0]


def tag_of(python: str) -> str:
    """The Python and the ABI of its wheel."""
    script = "import sys, sysconfig; print(*sys.version_info[:2], int(bool(sysconfig.get_config_var('Py_GIL_DISABLED'))))"
    major, minor, is_free_threaded = map(int, run(python, "-c", script).split())
    if is_free_threaded:
        return f"cp{major}{minor}-cp{major}{minor}t"
    return "cp312-abi3" if (major, minor) >= (3, 12) else f"cp{major}{minor}-cp{major}{minor}"


def build_wheel(python: str, sdist: Path) -> None:
    """Build a wheel next to the sdist, as pip does for those who find no wheel; then say on which systems it runs."""
    pins = str(ROOT / "constraints.txt")
    settings = {**os.environ, "PIP_CONSTRAINT": pins, "PIP_BUILD_CONSTRAINT": pins}
    if sys.platform == "linux":
        settings = {"CXX": "zig", "ZIG_GLOBAL_CACHE_DIR": str(ROOT / "build" / "zig" / "cache")} | settings
    with tempfile.TemporaryDirectory() as folder, new_environment(python) as own:
        run(own, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", folder, str(sdist), env=settings)
        (built,) = Path(folder).glob("*.whl")
        if sys.platform == "linux":
            repair(built, sdist.parent)
        else:
            shutil.copy(built, sdist.parent)


def repair(wheel: Path, target: Path) -> None:
    """Let auditwheel see which systems have what the wheel needs, and name them in its tag."""
    settings = {**os.environ, "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])}
    plat = f"manylinux_2_28_{platform.machine()}" if settings.get("CXX", "zig") == "zig" else "auto"
    run(
        sys.executable,
        "-m",
        "auditwheel",
        "repair",
        "--only-plat",
        "--plat",
        plat,
        "--wheel-dir",
        str(target),
        str(wheel),
        env=settings,
    )


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
    core = {name for name in inside if re.fullmatch(r"dconvex/_core\.[^/]*(so|pyd)", name)}
    if len(core) != 1:
        yield f"it should hold one core, not {len(core)}"
    about = {name for name in inside if name.partition("/")[0].endswith(".dist-info")}
    found = {name.partition("/")[2] for name in about}
    yield from (f"it lacks {name}" for name in sorted(package - inside))
    yield from (f"it should not hold {name}" for name in sorted(inside - package - about - core))
    yield from (f"it lacks {name}" for name in sorted(set(ABOUT) - found))
    yield from (f"it should not have {name}" for name in sorted(found - set(ABOUT)))
    networks = json.loads((PACKAGE / "repository" / "index.json").read_text(encoding="utf-8"))
    files = {name: f"dconvex/repository/networks/{name}.json.gz" for name in networks}
    yield from (f"it lacks the network {name}" for name, file in files.items() if file not in inside)
    for name in ("py.typed", "_core.pyi"):
        if f"dconvex/{name}" not in inside:
            yield f"it lacks {name}, so that its types do not count"


def problems_of_sdist(inside: set[str]) -> Iterator[str]:
    yield from (f"it lacks {name}" for name in NEXT_TO_THE_PACKAGE if name not in inside)
    if not any(name.startswith("tests/") for name in inside):
        yield "it lacks the tests"
    if not any(re.fullmatch(r"core/.*\.cpp", name) for name in inside):
        yield "it lacks the sources of the core"
    pattern = r"(^|/)(\.git/|\.venv|__pycache__|\..*cache)|^build/|\.(pyc|dcx|so|pyd)$"
    kept = "tests/storage/version1/"  # models as earlier versions wrote them
    strange = (name for name in sorted(inside) if re.search(pattern, name) and not name.startswith(kept))
    yield from (f"it should not hold {name}" for name in strange)


def complain(problems: Iterable[str], file: Path) -> None:
    found = list(problems)
    if found:
        raise SystemExit("\n".join(f"{file.name}: {problem}" for problem in found))


def found_pythons() -> Iterator[str]:
    """An interpreter of each version, on the PATH or among those of pyenv, which hides most of them."""
    hidden = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    for version in VERSIONS:
        number, t = version.removesuffix("t"), "t" if version.endswith("t") else ""
        others = sorted(hidden.glob(f"{number}.*[0-9]{t}/bin/python"), reverse=True)
        candidates = [f"python{version}", *map(str, others)]
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
    """How many there are, without the package itself, pip and setuptools."""
    size: int
    """Bytes that installing it added."""

    def __str__(self) -> str:
        return f"{self.packages} dependencies, {self.size / 1e6:.0f} MB installed"


@contextmanager
def environment_with(python: str, requirement: str) -> Iterator[Environment]:
    with new_environment(python) as own:
        folder = Path(own).parents[1]
        before = size_of(folder)
        run(own, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", requirement)
        run(own, "-m", "pip", "check", "--disable-pip-version-check")
        size = size_of(folder) - before
        listed = json.loads(run(own, "-m", "pip", "list", "--format=json", "--disable-pip-version-check"))
        others = [package for package in listed if package["name"] not in ("pip", "setuptools")]
        version = run(own, "-c", "import platform; print(platform.python_version())").strip()
        yield Environment(own, version, len(others) - 1, size)


@contextmanager
def new_environment(python: str) -> Iterator[str]:
    """The Python of a new virtual environment."""
    with tempfile.TemporaryDirectory() as folder:
        run(python, "-m", "venv", folder)
        yield str(
            next(path for path in (Path(folder, "bin", "python"), Path(folder, "Scripts", "python.exe")) if path.exists())
        )


def size_of(folder: Path) -> int:
    return sum(file.lstat().st_size for file in folder.rglob("*") if file.is_file())


def tried(python: str, wheel: Path) -> str:
    """Install the wheel, run what the README shows and ask on the command line."""
    with environment_with(python, str(wheel)) as made, tempfile.TemporaryDirectory() as folder:
        settings = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "PYTHONHOME")}
        run(made.python, "-c", example(), cwd=Path(folder), env=settings)
        script = str(Path(made.python).parent / "dconvex")
        version = run(script, "--version", cwd=Path(folder), env=settings).strip()
        if f"-{version}-" not in wheel.name:
            raise SystemExit(f"{wheel.name} calls itself {version}")
        run(script, "query", "alarm", "HR", "--given", "BP=LOW", cwd=Path(folder), env=settings)
        run(made.python, "-m", "pip", "install", "--quiet", "--dry-run", "--disable-pip-version-check", f"{wheel}[all]")
        return f"Python {made.version}: {wheel.name} installs and runs the README's example; {made}"


def example() -> str:
    """The code in the README, which is one session."""
    return "".join(re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL))


def measured(python: str, package: str) -> str:
    with environment_with(python, package) as made:
        script = f"import importlib.metadata as m; print(m.version({package!r}))"
        return f"{package} {run(made.python, '-c', script).strip()}: {made}"


def run(*command: str, cwd: Path | None = None, env: dict[str, str] | None = None) -> str:
    """What the command prints; if it fails, the error has what it printed."""
    result = subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, check=False)
    if result.returncode:
        raise SystemExit(f"{' '.join(command)[:200]} failed:\n{result.stdout}{result.stderr}")
    return result.stdout


if __name__ == "__main__":
    main()
