"""Builds the package with scikit-build-core, and with Zig's compiler from PyPI where the system has none.

pip and build call the functions of PEP 517 here. `python tools/build_backend.py` prints what a build needs; `make` installs it.
"""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
import sysconfig
import tomllib
from importlib.util import find_spec
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
ZIG = "ziglang>=0.15"
OLDEST_GLIBC = (2, 28)
"""What Zig builds for, that of manylinux_2_28; an older one where Python runs on an older one."""
OLDEST_MACOS = "11.0"
COMPILERS = ("c++", "g++", "clang++")
CPP20 = """
#include <bit>
#include <compare>
#include <span>
struct Pair { int left, right; bool operator==(const Pair&) const = default; };
"""

Settings = dict[str, Any] | None


def get_requires_for_build_wheel(config_settings: Settings = None) -> list[str]:
    return [*_scikit_build().get_requires_for_build_wheel(config_settings), *compiler_requirements()]


def get_requires_for_build_editable(config_settings: Settings = None) -> list[str]:
    return [*_scikit_build().get_requires_for_build_editable(config_settings), *compiler_requirements()]


def get_requires_for_build_sdist(config_settings: Settings = None) -> list[str]:
    return list(_scikit_build().get_requires_for_build_sdist(config_settings))


def prepare_metadata_for_build_wheel(metadata_directory: str, config_settings: Settings = None) -> str:
    return str(_scikit_build().prepare_metadata_for_build_wheel(metadata_directory, config_settings))


def prepare_metadata_for_build_editable(metadata_directory: str, config_settings: Settings = None) -> str:
    return str(_scikit_build().prepare_metadata_for_build_editable(metadata_directory, config_settings))


def build_wheel(wheel_directory: str, config_settings: Settings = None, metadata_directory: str | None = None) -> str:
    choose_compiler()
    return str(_scikit_build().build_wheel(wheel_directory, config_settings, metadata_directory))


def build_editable(wheel_directory: str, config_settings: Settings = None, metadata_directory: str | None = None) -> str:
    choose_compiler()
    return str(_scikit_build().build_editable(wheel_directory, config_settings, metadata_directory))


def build_sdist(sdist_directory: str, config_settings: Settings = None) -> str:
    return str(_scikit_build().build_sdist(sdist_directory, config_settings))


def compiler_requirements() -> list[str]:
    """Zig, unless the system has a compiler."""
    if os.name == "nt" or find_compiler():  # on Windows, CMake finds Visual Studio
        return []
    reason = "CXX=zig" if os.environ.get("CXX") == "zig" else f"No C++20 compiler found ({', '.join(COMPILERS)})"
    print(f"{reason}: the core is built with Zig from PyPI", file=sys.stderr)
    return [ZIG]


def choose_compiler(scripts: Path = ROOT / "build" / "zig", zig_flags: str = "-O2 -s") -> None:
    """Set the environment by which CMake finds its compiler, and check that Python's headers are there.

    Zig compiles its C++ library once for each combination of optimisation and stripping, also for CMake's first test program;
    so the scripts name those of the build to come.
    """
    check_headers()
    if sys.platform == "darwin":
        os.environ.setdefault("MACOSX_DEPLOYMENT_TARGET", OLDEST_MACOS)
    if os.name == "nt":
        return
    if found := find_compiler():
        os.environ["CXX"] = found
        return
    write_zig_scripts(scripts, zig_flags)
    os.environ["CXX"] = f"{scripts}/c++"
    options = [f"-DCMAKE_AR={scripts}/ar", f"-DCMAKE_RANLIB={scripts}/ranlib", "-DCMAKE_TRY_COMPILE_TARGET_TYPE=STATIC_LIBRARY"]
    os.environ["CMAKE_ARGS"] = " ".join([os.environ.get("CMAKE_ARGS", ""), *options]).strip()


def find_compiler() -> str | None:
    """What $CXX names, else the first compiler on the PATH that knows C++20; None for CXX=zig, the one from PyPI."""
    if named := os.environ.get("CXX"):
        return named if named != "zig" else None
    found = filter(None, map(shutil.which, COMPILERS))
    return next((path for path in found if compiles(path)), None)


def compiles(compiler: str) -> bool:
    """Whether it runs and knows C++20; on a Mac without its developer tools, c++ is there and does not run."""
    command = [compiler, "-std=c++20", "-fsyntax-only", "-x", "c++", "-"]
    try:
        return subprocess.run(command, input=CPP20.encode(), capture_output=True, check=False, timeout=60).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False


def write_zig_scripts(folder: Path, flags: str) -> None:
    """The compiler and the archiver as scripts in this folder: CMake takes programs, not subcommands."""
    zig = zig_program()
    folder.mkdir(parents=True, exist_ok=True)
    # Debian's Python.h includes a header of its own by its path from here; nothing else comes from there.
    last = f'-idirafter "{Path(sysconfig.get_path("include")).parent}"'
    subcommands = {"c++": f"c++ {zig_target()} {flags} {last}", "ar": "ar", "ranlib": "ranlib"}
    for name, subcommand in subcommands.items():
        script = folder / name
        script.write_text(
            f'#!/bin/sh\nZIG_GLOBAL_CACHE_DIR="${{ZIG_GLOBAL_CACHE_DIR:-{folder}/cache}}" exec "{zig}" {subcommand} "$@"\n',
            encoding="utf-8",
        )
        script.chmod(0o755)


def zig_program() -> Path:
    """The program inside the installed package; a build's isolation hides `python -m ziglang` from CMake."""
    package = find_spec("ziglang")
    if package is None or package.origin is None:
        raise SystemExit(f"no C++20 compiler found: install one, or '{ZIG}' from PyPI")
    return Path(package.origin).parent / "zig"


def zig_target() -> str:
    """Any processor of this kind and, on Linux, the oldest C library that will do."""
    kind, _, machine = sysconfig.get_platform().partition("-")
    library, version = platform.libc_ver()
    if kind == "linux" and library == "glibc":
        oldest = min(OLDEST_GLIBC, tuple(map(int, version.split(".")[:2])))
        return f"-target {machine}-linux-gnu.{oldest[0]}.{oldest[1]}"
    return "-mcpu=baseline"


def check_headers() -> None:
    """Some systems package the headers of Python apart from it."""
    header = Path(sysconfig.get_path("include"), "Python.h")
    if not header.exists():
        raise SystemExit(f"{header} is missing: install it ('apt-get install python3-dev' on Debian or Ubuntu)")


def build_requirements() -> list[str]:
    """All that a build without isolation needs."""
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["build-system"]["requires"]
    return [*declared, "cmake", "ninja", *compiler_requirements()]


def _scikit_build() -> Any:
    from scikit_build_core import build  # not there yet when the requirements are printed

    return build


if __name__ == "__main__":
    check_headers()
    print("\n".join(build_requirements()))
