"""Sites that share counts and never rows: the graph, the score and the way there are those of all rows together."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dconvex as dc
from dconvex import _core


def sites_of(data, states, bounds):
    return [dc.site_counts(data.iloc[first:last], states) for first, last in zip(bounds, [*bounds[1:], len(data)], strict=True)]


def check_like_pooled(data, states, bounds, **options):
    pooled = dc.learn_structure(data, states=states, **options)
    found = dc.learn_structure(dc.SharedCounts(states, sites_of(data, states, bounds)), **options)
    assert found == pooled
    assert found.history == pooled.history
    assert found.evaluations == pooled.evaluations
    assert found.explain() == pooled.explain()
    assert found.cpdag == pooled.cpdag
    assert found.rows == pooled.rows == len(data)
    assert found.notes[:-1] == pooled.notes
    return found


@pytest.fixture(scope="module")
def asia():
    network = dc.load_network("asia")
    return network.sample(2_000, seed=1), network.states


@pytest.mark.parametrize("score", ["bic", "aic", dc.BDeu(3)])
@pytest.mark.parametrize("method", ["greedy", "ges", "pc", "exact", "tree", "tan"])
def test_every_method_finds_the_pooled_graph(asia, method, score):
    data, states = asia
    options = {"target": "dysp"} if method == "tan" else {}
    check_like_pooled(data, states, [0, 100, 1_500], method=method, score=score, **options)


@pytest.mark.parametrize("name", ["sachs", "child"])
@pytest.mark.parametrize("method", ["greedy", "ges"])
def test_larger_networks(name, method):
    network = dc.load_network(name)
    check_like_pooled(network.sample(600, seed=2), network.states, [0, 250], method=method)


def test_the_default_search_too(asia):
    data, states = asia
    columns = ["asia", "bronc", "dysp", "either", "smoke"]
    check_like_pooled(data[columns], {name: states[name] for name in columns}, [0, 900])


def test_constraints_hold(asia):
    data, states = asia
    rules = {"required": [("asia", "xray")], "tiers": [["smoke"], ["lung", "bronc"]], "max_parents": 1}
    found = check_like_pooled(data, states, [0, 5], method="greedy", **rules)
    assert ("asia", "xray") in found.edges


@given(st.integers(0, 2**32), st.integers(0, 40))
def test_any_split_of_small_tables(seed, cut):
    random = np.random.default_rng(seed)
    sizes = {"a": 1, "b": 2, "c": 3, "d": 2}
    data = pd.DataFrame({name: random.integers(0, size, 40) for name, size in sizes.items()})
    states = {name: range(size + (name == "d")) for name, size in sizes.items()}
    check_like_pooled(data, states, [0, cut] if 0 < cut < 40 else [0], method="greedy", score="aic")


def test_scores_of_the_core_are_those_of_rows():
    random = np.random.default_rng(1)
    sizes = np.array([2, 3, 4, 2], np.int32)
    codes = np.array([random.integers(0, size, 300) for size in sizes], np.int8)

    def tables_of(sets):
        found = []
        for members in sets:
            table = np.zeros([sizes[own] for own in members], np.int64)
            np.add.at(table, tuple(codes[list(members)]), 1)
            found.append(table.ravel())
        return found

    for criterion in ("bic", "aic", "bdeu", "likelihood"):
        rows = _core.DiscreteScore(codes, sizes, None, criterion)
        counted = _core.CountedScore(sizes, 300, tables_of, criterion)
        given, others = np.array([1], np.int32), np.array([0, 2], np.int32)
        assert counted.size == 4
        assert counted.family(3, given) == rows.family(3, given)
        assert counted.parameters(3, given) == rows.parameters(3, given)
        assert counted.with_each(3, given, others).tolist() == rows.with_each(3, given, others).tolist()
    for wrong in (
        lambda sets: [],
        lambda sets: [np.zeros(1, np.int64)] * len(sets),
        lambda sets: [-t for t in tables_of(sets)],
    ):
        with pytest.raises(ValueError, match=r"table|count"):
            _core.CountedScore(sizes, 300, wrong, "bic")
    with pytest.raises(ValueError, match="equivalent sample size"):
        _core.CountedScore(sizes, 300, tables_of, "bdeu", 0.0)
    with pytest.raises(ValueError, match="no rows"):
        _core.CountedScore(sizes, -1, tables_of, "bic")


def test_notes_say_what_was_asked(asia):
    data, states = asia
    site = dc.site_counts(data, states)
    asked = []

    def watched(families):
        asked.append(families)
        return [table.tolist() for table in site(families)]

    found = dc.learn_structure(dc.SharedCounts(states, [watched]), method="tree")
    tables = [family for families in asked for family in families]
    assert found.notes[-1] == f"asked 1 site for {len(tables)} tables of counts in {len(asked)} rounds"
    assert asked[0] == [(name,) for name in sorted(states)]
    assert all(family == tuple(sorted(family)) for family in tables)
    assert len(set(tables)) == len(tables)


WRONG = {
    "an axis too few": (lambda tables: [table.sum(axis=0) for table in tables], "in the shape"),
    "fractions": (lambda tables: [table * 0.5 for table in tables], "float64"),
    "ragged lists": (lambda tables: [[[1], [2, 3]] for _ in tables], "in the shape"),
    "less than nothing": (lambda tables: [table - 10_000 for table in tables], "zero or more"),
    "other rows": (lambda tables: [table * 2 for table in tables], "add up to 4,000 rows"),
    "axes in another order": (lambda tables: [table.T for table in tables], "axes in the order"),
}


@pytest.mark.parametrize("name", WRONG)
def test_counts_that_do_not_fit_name_the_site_and_the_family(asia, name):
    data, states = asia
    site, (spoilt, message) = dc.site_counts(data, states), WRONG[name]

    def careless(families):
        tables = site(families)
        return tables if len(families[0]) == 1 else spoilt(tables)

    sites = {"north": dc.site_counts(data, states), "south": careless}
    with pytest.raises(dc.DataError, match=rf"site 'south': the counts of \('asia', '\w+'\) .*{message}"):
        dc.learn_structure(dc.SharedCounts(states, sites), method="greedy")


def test_answers_of_another_length(asia):
    data, states = asia
    site = dc.site_counts(data, states)
    for wrong in (lambda families: site(families)[:-1], lambda families: None, lambda families: site([*families, ("asia",)])):
        with pytest.raises(dc.DataError, match=r"site 1 answered 8 families with .* table"):
            dc.learn_structure(dc.SharedCounts(states, [wrong]))


def test_first_tables_must_be_of_the_same_rows(asia):
    data, states = asia
    site = dc.site_counts(data, states)

    def gaps(families):
        return [table - (family == ("bronc",)) for family, table in zip(families, site(families), strict=True)]

    with pytest.raises(dc.DataError, match=r"site 1: the counts of \('bronc'\) add up to 1,998 rows, .*missing cells"):
        dc.learn_structure(dc.SharedCounts(states, [gaps]))


@pytest.mark.parametrize("method", ["search", "greedy", "ges", "pc", "exact", "tree"])
def test_errors_of_a_site_come_through(asia, method):
    data, states = asia
    site = dc.site_counts(data, states)

    def refuses(families):
        tables = site(families)
        if any(table.ndim > 1 and table.min() < 20 for table in tables):
            raise PermissionError("a small count")
        return tables

    with pytest.raises(PermissionError, match="a small count"):
        dc.learn_structure(dc.SharedCounts(states, [refuses]), method=method)


def test_shared_counts_checks_what_it_is_given(asia):
    data, states = asia
    site = dc.site_counts(data, states)
    with pytest.raises(TypeError, match=r"site 1 must be a function of a round, not DataFrame; see dc.site_counts"):
        dc.SharedCounts(states, [data])
    for wrong in (({}, [site]), (states, [])):
        with pytest.raises(ValueError, match="at least"):
            dc.SharedCounts(*wrong)
    shared = dc.SharedCounts(states, [site])
    assert tuple(shared.states) == tuple(sorted(states))
    assert repr(shared) == "SharedCounts(8 variables, 1 site)"
    wrong_options = [{"kind": "gaussian"}, {"states": states}, {"weights": "n"}, {"missing": "complete"}, {"missing": "em"}]
    for options in wrong_options:
        with pytest.raises(ValueError, match="SharedCounts"):
            dc.learn_structure(shared, **options)
    with pytest.raises(ValueError, match="does not fit discrete data"):
        dc.learn_structure(shared, score="bge")
    nothing = dc.SharedCounts(states, [lambda families: [np.zeros([2] * len(family), int) for family in families]])
    with pytest.raises(dc.DataError, match="no rows"):
        dc.learn_structure(nothing)


def test_a_table_beyond_the_limit_is_not_asked_for():
    data = pd.DataFrame({"a": range(50), "b": range(50)})
    states = {"a": range(50), "b": range(50)}
    shared = dc.SharedCounts(states, [dc.site_counts(data, states)])
    with pytest.raises(dc.TooLargeError, match=r"the counts of \('a', 'b'\) would take .*Set max_parents"):
        dc.learn_structure(shared, method="tree", score="bdeu", max_bytes=50_000)


def test_site_counts_checks_the_table(asia):
    data, states = asia
    site = dc.site_counts(data, states)
    assert repr(site) == "TableSite(8 variables, 2,000 rows)"
    table = site([("smoke", "asia")])[0]
    crossed = pd.crosstab(data["smoke"], data["asia"]).reindex(index=states["smoke"], columns=states["asia"])
    assert (table == crossed.to_numpy()).all()
    with pytest.raises(dc.UnknownVariableError, match="smoke"):
        site([("smok",)])
    with pytest.raises(dc.DataError, match="no column 'asia', which has states"):
        dc.site_counts(data.drop(columns="asia"), states)
    with pytest.raises(dc.DataError, match="a column 'town' without states"):
        dc.site_counts(data.assign(town="x"), states)
    with pytest.raises(dc.DataError, match="maybe"):
        dc.site_counts(data.astype(str).replace({"smoke": {"yes": "maybe"}}), states)
    with pytest.raises(ValueError, match="missing='em' is unknown"):
        dc.site_counts(data, states, missing="em")


def test_site_counts_has_states_in_the_order_that_was_agreed_on(asia):
    data, states = asia
    turned = {name: tuple(reversed(labels)) for name, labels in states.items()}
    one, other = dc.site_counts(data, states), dc.site_counts(data, turned)
    family = [("smoke", "dysp")]
    assert (one(family)[0] == other(family)[0][::-1, ::-1]).all()


def test_missing_cells_of_a_site(asia):
    data, states = asia
    gaps = data.mask(np.random.default_rng(1).random(data.shape) < 0.02)
    with pytest.raises(dc.DataError, match='has missing cells; pass missing="complete"'):
        dc.site_counts(gaps, states)
    sites = [dc.site_counts(part, states, missing="complete") for part in (gaps.iloc[:300], gaps.iloc[300:])]
    found = dc.learn_structure(dc.SharedCounts(states, sites), method="greedy")
    assert found == dc.learn_structure(gaps, states=states, method="greedy", missing="complete")


def test_many_equal_rows_are_merged():
    random = np.random.default_rng(1)
    data = pd.DataFrame({"a": random.integers(0, 2, 150_000), "b": random.integers(0, 3, 150_000)})
    site = dc.site_counts(data, {"a": (0, 1), "b": (0, 1, 2)})
    assert site.rows.weights is not None
    assert (site([("b", "a")])[0] == pd.crosstab(data["b"], data["a"]).to_numpy()).all()
