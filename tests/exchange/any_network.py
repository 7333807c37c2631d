"""Networks with every sort of name and label that a peer might lose, and rows to compare probabilities on."""

import numpy as np
import pandas as pd
from hypothesis import strategies as st

import dconvex as dc

text = st.text(st.characters(exclude_categories=["Cs"]), max_size=3)
small = st.integers(-3, 3)
labels = st.lists(
    text | small | st.sampled_from(["0", "1", "True", "1_"]) | st.booleans(), min_size=1, max_size=4, unique=True
)
integers = st.lists(small | st.integers(-(2**40), 2**40), min_size=1, max_size=4, unique=True)


@st.composite
def dags(draw):
    """DAGs with names of both types, also alike in print, whose parents stand in any order."""
    names = draw(st.lists(text | small | st.sampled_from(["0", "1", "1_"]), max_size=6, unique=True))
    return dc.Dag.from_parents(
        {
            name: draw(st.lists(st.sampled_from(names[:place]), unique=True, max_size=3)) if place else ()
            for place, name in enumerate(names)
        }
    )


@st.composite
def discrete_networks(draw):
    dag = draw(dags())
    states = {node: draw(labels | integers) for node in dag.nodes}
    return dc.random_network(dag, states, seed=draw(st.integers(0, 2**32)))


def mixed_network():
    """Names and labels of all types, a parent order that is not the canonical one, single states, isolated nodes."""
    dag = dc.Dag.from_parents(
        {"rain": (), 3: ("rain",), "wet": (3, "rain", "1"), "1": (), 1: (), "sure": (), 7: ("wet", 1)}
    )
    states = {
        "rain": [True, False],
        3: [10, 20, 30],
        "wet": ["dry", "wet"],
        "1": ["1", 1, "1_"],
        1: [2, 0, 1],
        "sure": ["so"],
        7: [False, "False", 2**40],
    }
    network = dc.random_network(dag, states, seed=5)
    assert network.dag.parents("wet") == (3, "rain", "1")
    return network


def rows_over(network, n=60):
    """Rows of labels drawn alike, whatever their probability."""
    rng = np.random.default_rng(1)
    columns = {
        name: pd.Series([own[code] for code in rng.integers(len(own), size=n)], dtype=object)
        for name, own in network.states.items()
    }
    return pd.DataFrame(columns)
