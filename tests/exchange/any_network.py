"""A network with every sort of name and label that a peer might lose, and rows to compare probabilities on."""

import numpy as np
import pandas as pd

import dconvex as dc


def mixed_network():
    """Names and labels of all types, a parent order that is not the canonical one, single states, isolated nodes."""
    dag = dc.Dag.from_parents({"rain": (), 3: ("rain",), "wet": (3, "rain", "1"), "1": (), 1: (), "sure": (), 7: ("wet", 1)})
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
    """Rows of labels drawn uniformly, regardless of their probability."""
    rng = np.random.default_rng(1)
    columns = {
        name: pd.Series([own[code] for code in rng.integers(len(own), size=n)], dtype=object)
        for name, own in network.states.items()
    }
    return pd.DataFrame(columns)
