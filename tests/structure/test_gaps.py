"""Missing cells, tables that lack columns, and data at the edge."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import dconvex as dc


def with_gaps(frame, part, seed=0):
    random = np.random.default_rng(seed)
    return frame.mask(random.random(frame.shape) < part)


@pytest.fixture(scope="module")
def asia():
    return dc.load_network("asia").sample(4000, seed=1)


def test_gaps_are_compared_by_averages_and_said(asia):
    gapped = with_gaps(asia, 0.1)
    found = dc.learn_structure(gapped)
    assert "average log-likelihood" in found.notes[0]
    assert "8 of 8 columns" in found.notes[0]
    assert {frozenset(edge) for edge in found.edges} <= {frozenset(edge) for edge in dc.load_network("asia").dag.edges} | {
        frozenset(("bronc", "smoke")),
        frozenset(("bronc", "lung")),
    }
    assert dc.learn_structure(gapped.iloc[::-1], n_jobs=1) == found


def test_complete_rows_alone(asia):
    gapped = with_gaps(asia, 0.02)
    found = dc.learn_structure(gapped, missing="complete", score="bdeu")
    whole = gapped.dropna()
    assert f"{4000 - len(whole):,} of 4,000 rows" in found.notes[0]
    assert found.score == pytest.approx(dc.statistics(found, whole).score("bdeu"))
    with pytest.raises(dc.DataError, match="no row is without a missing cell"):
        dc.learn_structure(gapped.assign(lung=pd.Series([None] * 4000, dtype=gapped["lung"].dtype)), missing="complete")


def test_scores_that_cannot_compare_gaps_say_so(asia):
    with pytest.raises(dc.DataError, match=r"score='bdeu' cannot compare"):
        dc.learn_structure(with_gaps(asia, 0.1), score="bdeu")
    empty = asia.assign(lung=pd.Series([None] * len(asia), dtype=asia["lung"].dtype))
    with pytest.raises(dc.DataError, match=r"'lung' has no values"):
        dc.learn_structure(empty)


def test_columns_of_different_tables(asia):
    one, two = asia[["smoke", "lung", "bronc"]].iloc[:2000], asia[["smoke", "bronc", "dysp"]].iloc[2000:]
    found = dc.learn_structure([one, two])
    assert "'dysp' and 'lung'" in found.notes[1]
    assert not {("dysp", "lung"), ("lung", "dysp")} & set(found.edges)
    assert {frozenset(edge) for edge in found.edges} >= {frozenset(("smoke", "lung")), frozenset(("bronc", "dysp"))}
    assert dc.learn_structure([two, one]) == found
    with pytest.raises(ValueError, match="is required, and not allowed"):
        dc.learn_structure([one, two], required=[("lung", "dysp")])


@pytest.fixture(scope="module")
def numbers():
    random = np.random.default_rng(1)
    a = random.normal(size=1500)
    b = 2 * a + random.normal(size=1500)
    return pd.DataFrame({"a": a, "b": b, "c": b - random.normal(size=1500), "d": random.normal(size=1500)})


def test_gaussian_gaps(numbers):
    gapped = with_gaps(numbers, 0.05)
    found = dc.learn_structure(gapped)
    assert {frozenset(edge) for edge in found.edges} == {frozenset("ab"), frozenset("bc")}
    assert "average log-likelihood" in found.notes[0]
    assert dc.learn_structure([gapped.iloc[900:], gapped.iloc[:900]]).edges == found.edges
    whole = dc.learn_structure(gapped, missing="complete", score="bge")
    assert whole.score == pytest.approx(dc.statistics(whole, gapped.dropna()).score("bge"))
    with pytest.raises(dc.DataError, match="bge"):
        dc.learn_structure(gapped, score="bge")
    with pytest.raises(dc.DataError, match="no row is without"):
        dc.learn_structure([numbers[["a", "b"]], numbers[["c"]]], missing="complete")


def test_gaussian_tables_with_different_columns(numbers):
    one, two = numbers[["a", "b"]].iloc[:700], numbers[["b", "c", "d"]].iloc[700:]
    found = dc.learn_structure([one, two])
    assert {frozenset(edge) for edge in found.edges} == {frozenset("ab"), frozenset("bc")}
    assert "'a' and 'c', 'a' and 'd'" in found.notes[1]


def test_one_row_no_rows_and_no_columns():
    one = dc.learn_structure(pd.DataFrame({"a": ["x"], "b": ["y"]}))
    assert one.edges == ()
    assert one.nodes == ("a", "b")
    with pytest.raises(dc.DataError, match="no rows"):
        dc.learn_structure(pd.DataFrame({"a": ["x"], "b": ["y"]}).iloc[:0])
    with pytest.raises(dc.DataError, match="no columns"):
        dc.learn_structure(pd.DataFrame(index=range(3)))
    with pytest.raises(dc.DataError, match="no rows"):
        dc.learn_structure([])
    with pytest.raises(dc.DataError, match="weigh nothing"):
        dc.learn_structure(pd.DataFrame({"a": ["x"], "n": [0]}), weights="n")
    single = dc.learn_structure(pd.DataFrame({"a": ["x", "y"]}))
    assert single.nodes == ("a",)


def test_two_variables(asia):
    assert dc.learn_structure(asia[["lung", "smoke"]]).edges == (("lung", "smoke"),)
    assert dc.learn_structure(asia[["asia", "smoke"]]).edges == ()


@pytest.mark.parametrize("method", ["greedy", "search"])
def test_constant_and_identical_columns(asia, method):
    frame = asia.assign(same=asia["lung"], constant="x")
    found = dc.learn_structure(frame, method=method)
    assert not {"constant"} & {name for edge in found.edges for name in edge}
    assert ("lung", "same") in found.edges or ("same", "lung") in found.edges
    assert found.score == pytest.approx(dc.statistics(found, frame).score())


def test_constant_and_identical_numbers(numbers):
    frame = numbers.assign(same=numbers["a"], constant=1.5)
    found = dc.learn_structure(frame, kind="gaussian")
    assert not {"constant"} & {name for edge in found.edges for name in edge}
    assert {("a", "same"), ("same", "a")} & set(found.edges)
    assert np.isfinite(found.score)


def test_many_columns_and_few_rows():
    random = np.random.default_rng(1)
    frame = pd.DataFrame(random.integers(0, 2, (50, 300)), columns=[f"v{k}" for k in range(300)])
    found = dc.learn_structure(frame, method="greedy")
    assert max(len(found.dag.parents(name)) for name in found.nodes) <= 6
    assert found.score == pytest.approx(dc.statistics(found, frame, coherent=True, tree=None).score())


def test_many_states():
    random = np.random.default_rng(1)
    a = random.integers(0, 1000, 20_000)
    frame = pd.DataFrame({"a": a, "b": a // 250, "c": random.integers(0, 1000, 20_000)})
    found = dc.learn_structure(frame)
    assert {frozenset(edge) for edge in found.edges} == {frozenset("ab")}
    assert found.score == pytest.approx(dc.statistics(found, frame).score())
    with pytest.raises(dc.DataError, match="more than 1,000 values"):
        dc.learn_structure(pd.DataFrame({"a": range(2000)}))


def test_mixed_columns_are_refused(numbers):
    with pytest.raises(dc.DataError, match="kind="):
        dc.learn_structure(numbers.assign(state=1))
    with pytest.raises(dc.DataError, match="fractions"):
        dc.learn_structure([numbers, pd.DataFrame({"a": [1, 2]})])


def test_what_is_too_large_is_refused(asia):
    with pytest.raises(dc.TooLargeError, match="rows of the data"):
        dc.learn_structure(asia, max_bytes=1000)


def test_labels_of_different_types_are_refused():
    with pytest.raises(dc.DataError, match="different types"):
        dc.learn_structure([pd.DataFrame({"a": ["x"]}), pd.DataFrame({"a": [1]})])


def test_cells_may_be_missing_in_other_words(asia, tmp_path):
    path = str(tmp_path / "rows.csv")
    with_gaps(asia, 0.02).to_csv(path, index=False, na_rep="?")
    found = dc.learn_structure(path, null_values=["?"], missing="complete")
    assert "rows have missing cells and were left out" in found.notes[0]
    assert len(dc.edge_strengths(path, 2, null_values=["?"], missing="complete")) > 0
    assert dc.learn_structure(path).notes == ()  # a state that is called ?
    with pytest.raises(TypeError, match="list of texts"):
        dc.learn_structure(path, null_values="?")


def test_declared_states_count(asia):
    found = dc.learn_structure(asia, states={"asia": ["yes", "no", "maybe"]})
    assert found.score == pytest.approx(dc.statistics(found, asia, states={"asia": ["yes", "no", "maybe"]}).score())


@pytest.mark.parametrize("score", ["bic", "bdeu"])
def test_structural_em_uses_rows_with_gaps(asia, score):
    gapped = with_gaps(asia, 0.1).iloc[:2000]
    found = dc.learn_structure(gapped, missing="em", score=score, method="greedy")
    assert "structural EM took" in found.notes[0]
    edges = {frozenset(edge) for edge in found.edges}
    assert edges >= {frozenset(("bronc", "dysp")), frozenset(("either", "lung")), frozenset(("either", "xray"))}
    again = dc.learn_structure(gapped.iloc[::-1][sorted(gapped, reverse=True)], missing="em", score=score, method="greedy")
    assert (again.edges, again.score) == (found.edges, found.score)
    with pytest.raises(dc.TooLargeError, match=r"posteriors of missing cells .*would take"):
        dc.learn_structure(gapped, missing="em", max_bytes=60_000)


def test_structural_em_of_numbers_finds_the_moments(numbers):
    """With the chain a → b → c, whose network the moments are of."""
    gapped = with_gaps(numbers, 0.1)
    found = dc.learn_structure(gapped, missing="em", score="bge", method="greedy")
    assert {frozenset(edge) for edge in found.edges} >= {frozenset("ab"), frozenset("bc")}
    assert "structural EM took" in found.notes[0]
    tables = dc.learn_structure([numbers[["a", "b"]].iloc[:900], numbers[["b", "c"]].iloc[600:]], missing="em")
    assert {frozenset(edge) for edge in tables.edges} == {frozenset("ab"), frozenset("bc")}
    assert "'a' and 'c'" in tables.notes[1]


def test_structural_em_without_gaps_is_learning(asia):
    assert dc.learn_structure(asia, missing="em", method="greedy") == dc.learn_structure(asia, method="greedy")
