"""Counts of families: right, additive, and the same for every way of cutting and counting."""

from __future__ import annotations

import pickle
from collections import Counter
from functools import reduce
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from learning.oracles import counted, counts_in, families_of
from learning.samples import cuts, samples

import dconvex as dc

MODES = ["minimal", "any", "complete"]
FORK = [("a", "b"), ("a", "c")]


def made(sample, rows=None, **options):
    return dc.statistics(sample.dag, sample.rows if rows is None else rows, states=sample.states, n_jobs=1, **options)


def plain(*rows):
    return pd.DataFrame(rows, columns=["a", "b", "c"])


def agree(one, other):
    assert one.states == other.states
    assert one.rows == other.rows
    assert counts_in(one) == counts_in(other)


# --- against counting by hand


@given(samples(missing=True), st.sampled_from(MODES))
def test_every_family_of_every_cluster_is_counted_once(sample, mode):
    tree = dc.decompose(sample.dag, separators=mode)
    statistics = made(sample, tree=tree)
    assert counts_in(statistics) == counted(sample.dag, tree, sample.rows)
    assert statistics.rows == len(sample.rows)
    assert statistics.states == sample.states


@given(samples(missing=True))
def test_coherent_statistics_are_those_of_the_network_alone(sample):
    own = {(v, sample.dag.parents(v)) for v in sample.dag.nodes}
    everything = counted(sample.dag, made(sample).tree, sample.rows)
    assert counts_in(made(sample, coherent=True)) == {family: everything[family] for family in own}


def test_states_are_the_sorted_values():
    statistics = dc.statistics(FORK, plain((3, "y", True), (-1, "x", True), (3, "z", False)))
    assert statistics.states == {"a": (-1, 3), "b": ("x", "y", "z"), "c": (False, True)}
    assert statistics.kind == "discrete"


def test_statistics_print_in_a_line():
    assert repr(dc.statistics(FORK, plain((0, 0, 0)))) == "Statistics(discrete, 3 variables, 3 families, 1 row)"


def test_statistics_are_frozen():
    statistics = dc.statistics(FORK, plain((0, 0, 0)))
    with pytest.raises(AttributeError, match="frozen"):
        statistics.rows = 7
    with pytest.raises(AttributeError, match="frozen"):
        statistics.part = None


# --- the law


@given(samples(min_rows=2, missing=True), st.data())
def test_statistics_add_up(sample, data):
    one, two = (sample.rows[part] for part in data.draw(cuts(len(sample.rows), 2)))
    total = made(sample, one) + made(sample, two)
    assert total == made(sample)
    agree(total, made(sample))


@given(st.lists(st.tuples(*[st.integers(0, 6)] * 3), min_size=2, max_size=40), st.data())
def test_parts_that_saw_different_states_add_up(rows, data):
    whole = plain(*rows)
    parts = [whole[part] for part in data.draw(cuts(len(rows), 3)) if part.start < part.stop]
    total = sum(dc.statistics(FORK, part) for part in parts)
    assert total == dc.statistics(FORK, whole)
    agree(total, dc.statistics(FORK, whole))


@given(samples(min_rows=3, missing=True), st.data())
def test_addition_is_associative_and_commutative(sample, data):
    one, two, three = (made(sample, sample.rows[part]) for part in data.draw(cuts(len(sample.rows), 3)))
    assert (one + two) + three == one + (two + three)
    agree(one + two, two + one)


def test_declared_categories_keep_their_order_in_sums():
    def column(values, categories):
        return pd.DataFrame({"v": pd.Categorical(values, categories=categories)})

    low, high = column(["low"], ["low", "mid", "high"]), column(["high"], ["low", "mid", "high"])
    other = column(["none"], ["none", "low"])
    statistics = [dc.statistics(dc.Dag([], ["v"]), table) for table in (low, high, other, pd.DataFrame({"v": ["mid", "mid"]}))]
    first, second, stranger, text = statistics
    assert (first + second).states["v"] == ("low", "mid", "high")
    assert (first + text).states["v"] == (text + first).states["v"] == ("low", "mid", "high")
    assert (first + stranger).states["v"] == (stranger + first).states["v"] == ("high", "low", "mid", "none")
    sums = [reduce(lambda x, y: x + y, order) for order in (statistics, statistics[::-1])]
    assert (
        counts_in(sums[0]) == counts_in(sums[1]) == {("v", ()): Counter({("low",): 1, ("high",): 1, ("none",): 1, ("mid",): 2})}
    )
    assert sums[0].states == sums[1].states


def test_sum_takes_any_number():
    parts = [dc.statistics(FORK, plain((k, 0, k % 2))) for k in range(4)]
    assert sum(parts) == dc.statistics(FORK, plain(*[(k, 0, k % 2) for k in range(4)]))


def test_statistics_of_other_graphs_or_trees_or_kinds_do_not_add_up():
    one = dc.statistics(FORK, plain((0, 0, 0)))
    with pytest.raises(ValueError, match="different families"):
        one + dc.statistics([("a", "b"), ("b", "c")], plain((0, 0, 0)))
    with pytest.raises(dc.DataError, match="discrete and gaussian"):
        one + dc.statistics(FORK, plain((0, 0, 0)), kind="gaussian")
    with pytest.raises(TypeError):
        one + 3


# --- cutting, threads, copies


@given(samples(min_rows=2, missing=True), st.data())
def test_a_list_of_slices_is_the_whole(sample, data):
    slices = [sample.rows[part] for part in data.draw(cuts(len(sample.rows), 4))]
    for tables in (slices, iter(slices), tuple(slices), [slices[:2], slices[2:]]):
        assert made(sample, tables) == made(sample)


@given(samples(max_rows=60, missing=True))
def test_two_threads_count_as_one_does(sample):
    one = made(sample)
    two = dc.statistics(sample.dag, sample.rows, states=sample.states, n_jobs=2)
    assert one == two
    assert pickle.dumps(one.part.tallies.counts) == pickle.dumps(two.part.tallies.counts)


def test_a_long_table_is_read_part_by_part():
    """States and missing cells that turn up late, after more rows than are read at a time."""
    rng = np.random.default_rng(0)
    count = 300_000
    rows = pd.DataFrame({"a": rng.integers(0, 3, count), "b": rng.choice(["no", "yes"], count), "c": rng.random(count) < 0.1})
    rows.loc[count - 5 :, "a"] = 200 + np.arange(5)
    rows["b"] = rows["b"].astype(object)
    rows.loc[count - 3, "b"] = None
    rows.loc[count - 2, "b"] = "maybe"
    statistics = dc.statistics(FORK, rows)
    expected = rows.dropna().groupby(["a", "b"]).size()
    assert counts_in(statistics)["b", ("a",)] == Counter(expected.to_dict())
    assert counts_in(statistics)["c", ("a",)] == Counter(rows.groupby(["a", "c"]).size().to_dict())
    assert statistics.states["b"] == ("maybe", "no", "yes")
    assert statistics == dc.statistics(FORK, rows, n_jobs=2)
    assert statistics == dc.statistics(FORK, [rows[:1000], rows[1000:]])


def test_many_states_are_counted():
    """More than fit into a byte, and up to the limit of one thousand."""
    for count in (127, 128, 129, 300, 1000):
        rows = plain(*[(k, k % 7, (k + 1) % count) for k in range(count)])
        assert counts_in(dc.statistics(FORK, rows))["c", ("a",)] == Counter({(k, (k + 1) % count): 1 for k in range(count)})


@given(samples(missing=True))
def test_statistics_can_be_pickled(sample):
    statistics = made(sample)
    again = pickle.loads(pickle.dumps(statistics))
    assert again == statistics
    assert again + statistics == statistics + statistics
    assert again.tree == statistics.tree


def test_rows_do_not_depend_on_the_order_of_the_index():
    rows = plain((0, 0, 1), (1, 0, 1), (1, 1, 0))
    shuffled = rows.iloc[[2, 0, 1]]
    assert dc.statistics(FORK, rows) == dc.statistics(FORK, shuffled)
    assert dc.statistics(FORK, shuffled.set_index(pd.Index([9, 9, 9]))) == dc.statistics(FORK, rows)


def test_columns_beyond_the_graph_are_ignored():
    rows = plain((0, 0, 1), (1, 0, 1))
    assert dc.statistics(FORK, rows.assign(other=[[1], object()], date=pd.Timestamp(0))) == dc.statistics(FORK, rows)


def test_families_of_a_chain_overlap_in_their_separators():
    nodes = list("abcdef")
    dag = dc.Dag(list(pairwise(nodes)))
    tree = dc.decompose(dag)
    assert families_of(dag, tree) == {("a", ()), *((v, (u,)) for u, v in pairwise(nodes)), *((v, ()) for v in "bcde")}
    rows = pd.DataFrame(np.arange(24).reshape(4, 6) % 5, columns=nodes)
    assert counts_in(dc.statistics(dag, rows)) == counted(dag, tree, rows)
