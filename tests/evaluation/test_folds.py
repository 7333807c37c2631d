"""Folds: balanced, seeded, and a function of what the rows hold."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from dconvex.evaluation.folds import canonical_order, dealt


@given(st.lists(st.integers(-1, 3), min_size=1, max_size=60), st.integers(2, 7), st.integers(0, 99))
def test_folds_are_balanced_in_all_and_in_each_stratum(strata, folds, seed):
    strata = np.array(strata)
    found = dealt(strata, folds, seed)
    for rows in [found, *(found[strata == stratum] for stratum in set(strata.tolist()))]:
        sizes = np.bincount(rows, minlength=folds)
        assert sizes.max() - sizes.min() <= 1
    np.testing.assert_array_equal(found, dealt(strata, folds, seed))


def test_another_seed_gives_other_folds():
    strata = np.zeros(50, int)
    assert (dealt(strata, 5, 0) != dealt(strata, 5, 1)).any()


@given(st.lists(st.tuples(st.integers(0, 2), st.sampled_from([0.5, 1.5, np.nan])), min_size=1, max_size=20), st.randoms())
def test_the_canonical_order_does_not_depend_on_the_order_given(rows, random):
    def ordered(own):
        keys = [np.array([row[0] for row in own]), np.array([row[1] for row in own])]
        return [key[canonical_order(keys, len(own))] for key in keys]

    shuffled = list(rows)
    random.shuffle(shuffled)
    for one, other in zip(ordered(rows), ordered(shuffled), strict=True):
        np.testing.assert_array_equal(one, other)


def test_without_keys_rows_stay():
    assert canonical_order([], 3).tolist() == [0, 1, 2]
