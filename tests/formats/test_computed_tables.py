"""Noisy-MAX nodes: every table against the sum over what each cause alone brings about."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from formats.example_files import DSL, XDSL, parsed
from hypothesis import given
from hypothesis import strategies as st

import dconvex as dc
from dconvex.formats.computed_tables import noisy_max
from dconvex.formats.scanner import Scanner


def excerpt(text: str):
    return Scanner(text, "network.xdsl").excerpt(0, len(text))


def by_brute_force(causes: list[np.ndarray], leak: np.ndarray) -> np.ndarray:
    """Sum over the states that the causes and the leak bring about alone; the first state of all is the strongest."""
    sizes = [len(cause) for cause in causes]
    table = np.zeros((*sizes, len(leak)))
    for given_states in itertools.product(*map(range, sizes)):
        rows = [cause[state] for cause, state in zip(causes, given_states, strict=True)] + [leak]
        for brought in itertools.product(range(len(leak)), repeat=len(rows)):
            table[(*given_states, min(brought))] += np.prod([row[state] for row, state in zip(rows, brought, strict=True)])
    return table


@given(st.lists(st.integers(1, 4), max_size=3), st.integers(1, 4), st.integers(0, 10**6))
def test_a_noisy_max_node_is_the_strongest_of_what_its_causes_bring(sizes, width, seed):
    rng = np.random.default_rng(seed)
    causes = [rng.dirichlet(np.ones(width), size) for size in sizes]
    leak = rng.dirichlet(np.ones(width))
    orders = [rng.permutation(size).tolist() for size in sizes]
    strengths = " ".join(str(state) for order in orders for state in order)
    listed = [cause[order] for cause, order in zip(causes, orders, strict=True)]
    parameters = " ".join(map(repr, np.concatenate([*listed, leak[None]]).reshape(-1).tolist()))
    table = noisy_max(excerpt(strengths), excerpt(parameters))([*sizes, width])
    assert table == pytest.approx(by_brute_force(causes, leak), abs=1e-14)


NOISY = """<noisymax id="wet"><state id="yes" /><state id="no" /><parents>season rain</parents>
<strengths>0 1 2 0 1</strengths><parameters>0.6 0.4 0.3 0.7 0 1 0.5 0.5 0 1 0.1 0.9</parameters></noisymax>"""


def xdsl(node: str) -> str:
    return XDSL[: XDSL.index('<cpt id="wet">')] + node + XDSL[XDSL.index("  </nodes>") :]


def test_a_noisy_max_node_of_genie():
    values = parsed(xdsl(NOISY), ".xdsl").family("wet").values
    assert values[2, 1] == pytest.approx([0.1, 0.9])
    assert values[0, 0] == pytest.approx([1 - 0.4 * 0.5 * 0.9, 0.4 * 0.5 * 0.9])


def test_one_of_the_older_format():
    definition = """TYPE = NOISY_MAX; PARENTS = (season, rain); DEFINITION = { NAMESTATES = (yes, no);
      STRENGTHS = (0, 1, 2, 0, 1); PROBABILITIES = (0.6, 0.4, 0.3, 0.7, 0, 1, 0.5, 0.5, 0, 1, 0.1, 0.9); };"""
    text = f"{DSL[: DSL.index('node wet')]}node wet {{ {definition} }};\n}};"
    assert (parsed(text, ".dsl").family("wet").values == parsed(xdsl(NOISY), ".xdsl").family("wet").values).all()


def test_the_order_of_strengths_lists_the_states():
    """Distributions in this order: of state 1, of state 2, and of state 0, which is the distinguished one."""
    values = parsed(xdsl(NOISY.replace("0 1 2 0 1<", "1 2 0 0 1<")), ".xdsl").family("wet").values
    unmoved = parsed(xdsl(NOISY), ".xdsl").family("wet").values
    assert (values[[1, 2, 0]] == unmoved).all()
    assert values[0, 1] == pytest.approx([0.1, 0.9])


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("0 1 2 0 1<", "0 1 0 1<", "expected the strengths of 5 states, found 4"),
        ("0 1 2 0 1<", "0 1 1 0 1<", "expected an order of the numbers 0 to 2, found 0 1 1"),
        ("0.1 0.9<", "0.1<", "expected 12 numbers, found 11"),
    ],
)
def test_what_is_wrong_with_a_noisy_max_node(old, new, said):
    with pytest.raises(dc.FormatError, match=said):
        parsed(xdsl(NOISY.replace(old, new)), ".xdsl")
    assert old in NOISY


def test_a_noisy_max_node_with_too_many_parents_is_refused_before_its_table_is_made():
    causes = "".join(
        f'<cpt id="c{k}"><state id="a" /><state id="b" /><probabilities>0.5 0.5</probabilities></cpt>' for k in range(40)
    )
    parents = " ".join(f"c{k}" for k in range(40))
    node = f"""{causes}<noisymax id="wet"><state id="yes" /><state id="no" /><parents>{parents}</parents>
      <strengths>{"0 1 " * 40}</strengths><parameters>{"0.5 0.5 " * 81}</parameters></noisymax>"""
    with pytest.raises(dc.FormatError, match=r"the table of 'wet' would have .* cells"):
        parsed(xdsl(node), ".xdsl")
