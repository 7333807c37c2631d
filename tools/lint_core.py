"""clang-format and clang-tidy on core/, where they are installed: `python tools/lint_core.py [--fix] BUILD`.

BUILD is a folder that CMake has configured: it knows how each file is compiled. `--fix` formats the files and stops there.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

CORE = Path(__file__).resolve().parents[1] / "core"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=Path)
    parser.add_argument("--fix", action="store_true", help="format the files")
    chosen = parser.parse_args()
    is_formatted = run_format(fix=chosen.fix)
    is_tidy = chosen.fix or run_tidy(chosen.build)
    raise SystemExit(not (is_formatted and is_tidy))


def run_format(*, fix: bool) -> bool:
    program = installed("clang-format")
    if program is None:
        return True
    mode = ["-i"] if fix else ["--dry-run", "-Werror"]
    files = sorted(map(str, CORE.rglob("*.?pp")))
    return subprocess.run([program, *mode, *files], check=False).returncode == 0


def run_tidy(build: Path) -> bool:
    program = installed("clang-tidy")
    if program is None:
        return True
    if is_built_by_zig(build):
        print("clang-tidy: NOT RUN (it needs the C++ headers of a system)")
        return True
    sources = sorted(map(str, CORE.rglob("*.cpp")))
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(lambda source: tidy(program, build, source), sources))
    for result in results:
        if result.returncode:
            print(result.stdout, end="")
    return not any(result.returncode for result in results)


def tidy(program: str, build: Path, source: str) -> subprocess.CompletedProcess[str]:
    command = [program, "--quiet", "-p", str(build), source]
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)


def is_built_by_zig(build: Path) -> bool:
    commands = json.loads((build / "compile_commands.json").read_text(encoding="utf-8"))
    return "/zig/" in commands[0]["command"].split()[0]


def installed(name: str) -> str | None:
    """Where the program is: next to this Python, else on the PATH."""
    found = shutil.which(name, path=os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")]))
    print(f"{name}: NOT RUN (not installed)" if found is None else f"{name} on core/", flush=True)
    return found


if __name__ == "__main__":
    main()
