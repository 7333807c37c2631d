"""Families of small DAGs for the comparison with the definitions; the large ones are marked slow."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from itertools import islice

import pytest
from graph.brute_force import Definitions, all_dags
from graph.examples import CROSSING, NOT_MINIMAL, SATELLITE

import dconvex as dc

Family = Callable[[], Iterator[Definitions]]


def every(size: int, share: int = 0, shares: int = 1) -> Family:
    """Every DAG of this size, or one of equal shares of them."""
    return lambda: map(Definitions, islice(all_dags(size), share, None, shares))


def drawn(seed: int, count: int) -> Family:
    """Random DAGs of 7 to 9 nodes, sparse and dense; the nodes' numbers say nothing of their order."""

    def family() -> Iterator[Definitions]:
        rng = random.Random(seed)
        for _ in range(count):
            size = rng.choice([7, 7, 8, 8, 9])
            order = rng.sample(range(size), size)
            density = rng.choice([1.5, 2, 2.5, 3, 4]) / size
            pairs = [(a, b) for index, b in enumerate(order) for a in order[:index]]
            yield Definitions(dc.Dag([pair for pair in pairs if rng.random() < density], nodes=order))

    return family


def grown(seed: int, count: int) -> Family:
    """The counterexamples with random nodes added, 7 to 10 in all: here Algorithm 2 often leaves clusters to split."""

    def family() -> Iterator[Definitions]:
        rng = random.Random(seed)
        for _ in range(count):
            edges = list(rng.choice([CROSSING, SATELLITE, SATELLITE, NOT_MINIMAL]))
            order: list[str | int] = list(dc.Dag(edges).topological_order())
            size = rng.choice([7, 8, 8, 9, 9, 10])
            while len(order) < size:
                index = rng.randrange(len(order) + 1)
                near = rng.sample(range(len(order)), rng.choice([1, 2, 2, 3]))
                edges += [(order[i], len(order)) if i < index else (len(order), order[i]) for i in near]
                order.insert(index, len(order))
            number = dict(zip(order, rng.sample(range(size), size), strict=True))
            yield Definitions(dc.Dag([(number[a], number[b]) for a, b in edges], nodes=range(size)))

    return family


def _slow(family: Family, name: str) -> object:
    return pytest.param(family, id=name, marks=pytest.mark.slow)


UP_TO_5 = [pytest.param(every(size), id=f"{size} nodes") for size in range(5)]
UP_TO_5 += [pytest.param(every(5, share, 4), id=f"5 nodes, share {share}") for share in range(4)]
WITH_6 = [_slow(every(6, share, 64), f"6 nodes, share {share}") for share in range(64)]
RANDOM = [pytest.param(drawn(seed, 75), id=f"7-9 nodes, seed {seed}") for seed in range(4)]
RANDOM += [pytest.param(grown(seed, 75), id=f"grown from counterexamples, seed {seed}") for seed in range(2)]
RANDOM += [_slow(drawn(seed, 150), f"7-9 nodes, seed {seed}") for seed in range(100, 120)]
RANDOM += [_slow(grown(seed, 150), f"grown from counterexamples, seed {seed}") for seed in range(100, 120)]

on_every_small_dag = pytest.mark.parametrize("family", UP_TO_5 + WITH_6)
on_small_and_random_dags = pytest.mark.parametrize("family", UP_TO_5 + WITH_6 + RANDOM)
on_a_sample_too = pytest.mark.parametrize("family", UP_TO_5 + WITH_6[::8] + RANDOM)
