"""Which compiler builds the core: the system's where there is one, else Zig's from PyPI."""

from __future__ import annotations

import os
import platform
import subprocess
import sysconfig
from pathlib import Path

import pytest

from tools import build_backend
from tools.build_backend import ZIG, build_requirements, check_headers, choose_compiler, compiler_requirements, find_compiler

pytestmark = pytest.mark.skipif(os.name == "nt", reason="on Windows, CMake finds the compiler")


def write_script(path: Path, body: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{body}\n", encoding="utf-8")
    path.chmod(0o755)
    return path


@pytest.fixture
def programs(tmp_path, monkeypatch):
    """A folder that is all of the PATH."""
    for name in ("CXX", "CMAKE_ARGS", "ZIG_GLOBAL_CACHE_DIR", "MACOSX_DEPLOYMENT_TARGET"):
        monkeypatch.setenv(name, "")  # so that what is set here is taken back at the end
        monkeypatch.delenv(name)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    return tmp_path / "bin"


@pytest.fixture
def zig(tmp_path, monkeypatch):
    """A package ziglang whose program prints what it is called with."""
    (tmp_path / "packages" / "ziglang").mkdir(parents=True)
    (tmp_path / "packages" / "ziglang" / "__init__.py").touch()
    monkeypatch.syspath_prepend(tmp_path / "packages")
    return write_script(tmp_path / "packages" / "ziglang" / "zig", 'echo "$ZIG_GLOBAL_CACHE_DIR" "$@"')


def test_the_first_compiler_that_works_is_taken(programs):
    write_script(programs / "c++", "exit 1")  # as on a Mac without its developer tools
    works = write_script(programs / "g++", "exit 0")
    write_script(programs / "clang++", "exit 0")
    assert find_compiler() == str(works)
    assert compiler_requirements() == []
    choose_compiler()
    assert os.environ["CXX"] == str(works)
    assert "CMAKE_ARGS" not in os.environ


def test_a_compiler_must_know_cpp20(programs):
    write_script(programs / "c++", 'case "$*" in *-std=c++20*) exit 1;; esac')
    assert find_compiler() is None


def test_a_named_compiler_is_taken_as_it_is(programs, monkeypatch):
    monkeypatch.setenv("CXX", "my-compiler --fast")
    assert find_compiler() == "my-compiler --fast"
    assert compiler_requirements() == []


def test_without_a_compiler_zig_is_required_and_a_line_says_so(programs, capsys):
    assert compiler_requirements() == [ZIG]
    assert capsys.readouterr().err == "No C++20 compiler found (c++, g++, clang++): the core is built with Zig from PyPI\n"


def test_zig_can_be_asked_for(programs, monkeypatch, capsys):
    write_script(programs / "c++", "exit 0")
    monkeypatch.setenv("CXX", "zig")
    assert compiler_requirements() == [ZIG]
    assert capsys.readouterr().err == "CXX=zig: the core is built with Zig from PyPI\n"


def test_zig_is_called_through_scripts(programs, zig, tmp_path, monkeypatch):
    monkeypatch.setattr(sysconfig, "get_platform", lambda: "linux-aarch64")
    monkeypatch.setattr(platform, "libc_ver", lambda: ("glibc", "2.36"))
    choose_compiler(tmp_path / "zig")
    said = subprocess.run([os.environ["CXX"], "-c", "a b.cpp"], capture_output=True, text=True, check=True).stdout
    last = f"-idirafter {Path(sysconfig.get_path('include')).parent}"
    assert said == f"{tmp_path}/zig/cache c++ -target aarch64-linux-gnu.2.28 -O2 -s {last} -c a b.cpp\n"
    assert f"-DCMAKE_AR={tmp_path}/zig/ar" in os.environ["CMAKE_ARGS"].split()
    said = subprocess.run([tmp_path / "zig" / "ar", "qc"], capture_output=True, text=True, check=True).stdout
    assert said == f"{tmp_path}/zig/cache ar qc\n"


@pytest.mark.parametrize(
    ("name", "library", "target"),
    [
        ("linux-x86_64", ("glibc", "2.41"), "-target x86_64-linux-gnu.2.28"),
        ("linux-x86_64", ("glibc", "2.17"), "-target x86_64-linux-gnu.2.17"),
        ("linux-x86_64", ("", ""), "-mcpu=baseline"),  # musl
        ("macosx-11.0-arm64", ("", ""), "-mcpu=baseline"),
    ],
)
def test_zig_builds_for_old_systems_and_any_processor(monkeypatch, name, library, target):
    monkeypatch.setattr(sysconfig, "get_platform", lambda: name)
    monkeypatch.setattr(platform, "libc_ver", lambda: library)
    assert build_backend.zig_target() == target


def test_a_build_without_isolation_needs_what_is_declared_and_cmake(programs):
    write_script(programs / "c++", "exit 0")
    names = {requirement.partition(">")[0] for requirement in build_requirements()}
    assert names == {"nanobind", "scikit-build-core", "cmake", "ninja"}


def test_missing_headers_of_python_are_told(monkeypatch, tmp_path):
    monkeypatch.setattr(sysconfig, "get_path", lambda name: str(tmp_path))
    with pytest.raises(SystemExit, match=r"Python\.h is missing: install it"):
        check_headers()


def test_missing_zig_is_told(programs, monkeypatch, tmp_path):
    monkeypatch.setattr(build_backend, "find_spec", lambda name: None)
    with pytest.raises(SystemExit, match="no C\\+\\+20 compiler found: install one, or 'ziglang"):
        choose_compiler(tmp_path / "zig")
