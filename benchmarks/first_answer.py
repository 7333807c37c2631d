"""The first answer of a new process: Python starts, imports the library, loads *asia* and asks for P(lung | smoke = yes).

Each call is a process of its own. dconvex loads its built-in network, the peers read the same network from a BIF file. What
Python alone and `import numpy` take is part of every other time. The commands of dconvex have no peer; they should take at most
0.5 s (`query`) and 0.35 s (`--help`) on a quiet machine with two cores.

Processes may write byte code, as an installation does, also where `PYTHONDONTWRITEBYTECODE` is set: compiling Python's sources
is part of the first call only, which is listed separately.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import dconvex as dc
from benchmarks.harness import Case

TRUE = (0.1, 0.9)
"""The answer."""
OURS = """
import dconvex as dc
model = dc.localize(dc.load_network("asia"))
print(*model.query("lung", {"smoke": "yes"}).values)
"""
PYAGRUM = """
import sys, pyagrum
engine = pyagrum.%s(pyagrum.loadBN(sys.argv[1]))
engine.setEvidence({"smoke": "yes"})
engine.addTarget("lung")
engine.makeInference()
print(*engine.posterior("lung").tolist())
"""
PGMPY = """
import sys
from pgmpy.inference import VariableElimination
from pgmpy.readwrite import BIFReader
engine = VariableElimination(BIFReader(sys.argv[1]).get_model())
print(*engine.query(["lung"], {"smoke": "yes"}, show_progress=False).values)
"""
IMPORTS = {"dconvex": "import dconvex", "Python alone": "pass", "import numpy": "import numpy"}
IMPORTS |= {"pyAgrum": "import pyagrum", "pgmpy": "import pgmpy.inference, pgmpy.readwrite"}
COMMANDS = ("query alarm HR --given BP=LOW", "query alarm", "--help", "query --help", "networks")


def cases(quick: bool) -> Iterator[Case]:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "asia.bif"
        dc.write(dc.load_network("asia"), path)
        yield first_answer(path)
    yield Case("import alone", {name: partial(printed, ["-c", code]) for name, code in IMPORTS.items()})
    for command in COMMANDS[:1] if quick else COMMANDS:
        work = partial(printed, ["-m", "dconvex", *command.split()])
        yield Case(f"dconvex {command}", {"dconvex": work}, describe=first_line)


def first_answer(path: Path) -> Case:
    """The same question to all, in processes that take turns; each must come to the same answer."""
    scripts = {
        "dconvex": OURS,
        "pyAgrum LazyPropagation": PYAGRUM % "LazyPropagation",
        "pyAgrum VariableElimination": PYAGRUM % "VariableElimination",
        "pgmpy": PGMPY,
    }
    contenders = {name: partial(printed, ["-c", script, str(path)]) for name, script in scripts.items()}
    return Case("first answer", contenders, describe=checked_answer)


def printed(arguments: Sequence[str]) -> str:
    """What a new interpreter prints."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    run = subprocess.run([sys.executable, *arguments], capture_output=True, env=environment, check=False)
    if run.returncode:
        lines = run.stderr.decode(errors="replace").strip().splitlines()
        raise RuntimeError(lines[-1] if lines else f"exit code {run.returncode}")
    return run.stdout.decode(errors="replace")


def checked_answer(text: str) -> str:
    """The numbers, if they are the true ones; pyAgrum reads a BIF file in single precision."""
    values = [float(word) for word in text.split()]
    if len(values) != len(TRUE) or any(abs(value - true) > 1e-6 for value, true in zip(values, TRUE, strict=True)):
        raise ValueError(f"answers {values}, not {TRUE}")
    return "the same"


def first_line(text: str) -> str:
    return next((line.strip() for line in text.splitlines() if line.strip()), "")
