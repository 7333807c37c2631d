"""One answer about one UAI instance, in a process of its own: prints a line of JSON with what came of it."""

from __future__ import annotations

import gzip
import json
import math
import resource
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import dconvex as dc
from dconvex.names import Label, Name

FOR_PYTHON = 3 << 29
"""Bytes of the address space that are left to the interpreter, its libraries and the stacks of threads."""


def main(folder: str, name: str, task: str, contender: str, limit: str) -> None:
    """Ask, and compare."""
    resource.setrlimit(resource.RLIMIT_AS, (int(limit), int(limit)))
    instance = Instance(Path(folder), name)
    ask = {"dconvex": ours, "pyAgrum": pyagrums}[contender]
    began = time.perf_counter()
    try:
        error = ask(instance, task, int(limit) - FOR_PYTHON)
    except dc.TooLargeError as refusal:
        print(json.dumps({"status": "refused", "note": str(refusal)}))
        return
    print(json.dumps({"status": "solved", "seconds": time.perf_counter() - began, "error": error}))


class Instance:
    """The files of an instance; each may end in .gz."""

    def __init__(self, folder: Path, name: str) -> None:
        self.folder, self.name = folder, name

    def path(self, suffix: str) -> Path | None:
        plain = self.folder / f"{self.name}.uai{suffix}"
        packed = plain.with_name(plain.name + ".gz")
        return plain if plain.exists() else packed if packed.exists() else None

    @property
    def network(self) -> Path:
        found = self.path("")
        assert found is not None
        return found

    def evidence(self) -> dict[Name, Label]:
        found = self.path(".evid")
        return {int(str(v)): int(str(x)) for v, x in dc.read_evidence(found).items()} if found else {}

    def words(self, suffix: str) -> list[str]:
        """The published answer, without what it begins with; empty where there is none."""
        found = self.path(suffix)
        return text_of(found).split()[1:] if found else []

    def marginals(self) -> list[list[float]]:
        words = self.words(".MAR")
        found: list[list[float]] = []
        at = 1
        while at < len(words):
            size = int(words[at])
            found.append([float(word) for word in words[at + 1 : at + 1 + size]])
            at += 1 + size
        return found


def text_of(path: Path) -> str:
    return gzip.open(path, "rt").read() if path.suffix == ".gz" else path.read_text()


def ours(instance: Instance, task: str, limit: int) -> float | None:
    """The error of our answer."""
    markov, evidence = dc.read_markov(instance.network), instance.evidence()
    if task == "PR":
        published = instance.words(".PR")
        found = markov.log_partition(evidence, max_bytes=limit) / math.log(10)
        return found - float(published[0]) if published else None
    if task == "MAR":
        answers = markov.marginals(evidence, max_bytes=limit)
        return largest_difference([answers[v].values for v in range(len(markov))], instance.marginals())
    states, _ = markov.most_probable(evidence, max_bytes=limit)
    best = [int(str(evidence.get(v, states.get(v)))) for v in range(len(markov))]
    theirs = [int(word) for word in instance.words(".MAP")[1:]]
    return log10_value(markov, best) - log10_value(markov, theirs) if theirs else None


def pyagrums(instance: Instance, task: str, limit: int) -> float | None:
    """The error of the marginals of pyAgrum, which takes no limit of its own."""
    import pyagrum as gum

    assert task == "MAR", limit
    markov, evidence = dc.read_markov(instance.network), instance.evidence()
    network = gum.MarkovRandomField()
    for v, size in enumerate(markov.sizes):
        network.add(gum.RangeVariable(str(v), str(v), 0, size - 1))
    for scope, table in merged_functions(markov).items():
        # its first variable moves on fastest, as our last one does
        network.addFactor([str(v) for v in reversed(scope)]).fillWith(table.ravel().tolist())
    engine = gum.ShaferShenoyMRFInference(network)
    engine.setEvidence({str(v): state for v, state in evidence.items()})
    engine.makeInference()
    return largest_difference([engine.posterior(str(v)).toarray() for v in range(len(markov))], instance.marginals())


def merged_functions(markov: dc.MarkovNetwork) -> dict[tuple[int, ...], NDArray[np.float64]]:
    """One function for each set of variables, as pyAgrum wants it."""
    merged: dict[tuple[int, ...], NDArray[np.float64]] = {}
    for scope, table in zip(markov.scopes, markov.tables, strict=True):
        if scope:
            axes = sorted(range(len(scope)), key=lambda axis: scope[axis])
            ordered, own = tuple(scope[axis] for axis in axes), table.transpose(axes)
            merged[ordered] = merged[ordered] * own if ordered in merged else own
    return merged


def largest_difference(found: Sequence[NDArray[np.float64]], published: Sequence[Sequence[float]]) -> float | None:
    if not published:
        return None
    return max(float(np.abs(np.subtract(mine, theirs)).max()) for mine, theirs in zip(found, published, strict=True))


def log10_value(markov: dc.MarkovNetwork, states: Sequence[int] | Mapping[int, int]) -> float:
    """The decimal logarithm of the product of all functions."""
    numbers = [float(t[tuple(states[v] for v in s)]) for s, t in zip(markov.scopes, markov.tables, strict=True)]
    return sum(math.log10(number) if number > 0 else -math.inf for number in numbers)


def check_peers() -> None:
    """Say at once that a peer is missing, not in each process."""
    import pyagrum  # noqa: F401


if __name__ == "__main__":
    main(*sys.argv[1:])
