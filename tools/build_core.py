"""Build a variant of the core in build/NAME, and run a command with it: `python tools/build_core.py debug [COMMAND ...]`.

The module lies in a package of its own whose other files are links to the sources, and that PYTHONPATH names; so the normal
one is not touched, and only what has changed is compiled again.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

from build_backend import ROOT, choose_compiler

SOURCES = ROOT / "src" / "dconvex"
OPTIONS = {
    "debug": ["-DCMAKE_BUILD_TYPE=Debug"],
    "sanitized": ["-DCMAKE_BUILD_TYPE=Debug", "-DDCONVEX_SANITIZE=ON"],
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("variant", choices=OPTIONS)
    parser.add_argument("command", nargs=argparse.REMAINDER, help="what to run with it")
    chosen = parser.parse_args()
    folder = ROOT / "build" / chosen.variant
    build(folder, OPTIONS[chosen.variant])
    if chosen.command:
        settings = environment(folder / "package", is_sanitized=chosen.variant == "sanitized")
        raise SystemExit(subprocess.run(chosen.command, env=settings, check=False).returncode)


def build(folder: Path, options: list[str]) -> None:
    package = folder / "package" / "dconvex"
    link_sources(package)
    choose_compiler(folder / "zig", zig_flags="-O1 -g")
    given = os.environ.get("CMAKE_ARGS", "").split()
    where = [
        f"-DPython_EXECUTABLE={sys.executable}",
        f"-DCMAKE_MAKE_PROGRAM={program('ninja')}",
        f"-DDCONVEX_PACKAGE={package}",
    ]
    cmake = program("cmake")
    subprocess.run(
        [cmake, "-S", ROOT, "-B", folder, "-G", "Ninja", "--log-level=WARNING", *where, *options, *given], check=True
    )
    subprocess.run([cmake, "--build", folder], check=True)


def link_sources(package: Path) -> None:
    """Links to what the package has now; the built module stays."""
    package.mkdir(parents=True, exist_ok=True)
    for path in package.iterdir():
        if path.is_symlink():
            path.unlink()
    for path in SOURCES.iterdir():
        if path.suffix not in (".so", ".pyd") and path.name != "__pycache__":
            (package / path.name).symlink_to(path)


def environment(package: Path, *, is_sanitized: bool) -> dict[str, str]:
    """That of a process which imports this package."""
    settings = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, [str(package), os.environ.get("PYTHONPATH")]))}
    if is_sanitized:
        # Python itself is not sanitized, so the runtime comes first; the C++ library with it, or exceptions are not caught.
        # What Python holds at its end is no leak of ours, and an array that is too large must be a MemoryError.
        settings |= {
            "LD_PRELOAD": f"{library('libasan.so')} {library('libstdc++.so')}",
            "ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=1",
            "UBSAN_OPTIONS": "print_stacktrace=1",
            "PYTHONMALLOC": "malloc",
        }
    return settings


def library(name: str) -> str:
    """Where the compiler has this library."""
    found = subprocess.run(
        [os.environ["CXX"], f"-print-file-name={name}"], capture_output=True, text=True, check=True
    ).stdout.strip()
    if not Path(found).is_absolute():
        raise SystemExit(f"{os.environ['CXX']} has no {name}: sanitizers need g++ with its runtime libraries")
    return str(Path(found).resolve())


def program(name: str) -> str:
    """The one next to this Python, else that of the system."""
    found = shutil.which(name, path=os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")]))
    if found is None:
        raise SystemExit(f"{name} is missing: pip install {name}")
    return found


if __name__ == "__main__":
    main()
