"""Pictures of answers: lengths, colours and curves are those of the numbers."""

from __future__ import annotations

import math
import string

import numpy as np
import pytest
from display.elements import SVG, groups, root_of, texts, titles
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import dconvex as dc
from dconvex.display.axis import Axis, ticks
from dconvex.display.charts import WIDTH
from dconvex.display.colours import shade
from dconvex.display.distribution_picture import ROWS, full_length

PROBABILITIES = st.lists(st.floats(0, 1), min_size=1, max_size=ROWS).filter(lambda numbers: sum(numbers) > 1e-3)


def distribution(values, errors=None):
    values = np.array(values, float)
    labels = tuple(tuple(f"{axis}{state}" for state in range(size)) for axis, size in enumerate(values.shape))
    return dc.Distribution(tuple(string.ascii_lowercase[: values.ndim]), labels, values, errors)


def normal(mean, covariance):
    return dc.GaussianDistribution(
        tuple(string.ascii_lowercase[: len(mean)]), np.array(mean, float), np.array(covariance, float)
    )


def widths(root):
    """Of the bars, in points."""
    return [float(group.find(f"{SVG}rect").get("width")) for group in groups(root, "bar")]


@given(PROBABILITIES)
def test_bars_are_as_long_as_the_states_are_probable(numbers):
    values = np.array(numbers) / sum(numbers)
    root = root_of(distribution(values)._repr_html_())
    assert widths(root) == pytest.approx(WIDTH * values / full_length(values.max()), abs=0.051)
    assert max(widths(root)) <= WIDTH


def test_numbers_and_states_stand_beside_the_bars():
    answer = dc.localize(dc.load_network("asia")).query("lung", {"smoke": "yes", "xray": "yes"})
    shown = texts(root_of(answer._repr_html_()))
    assert shown == ["P(lung | smoke = yes, xray = yes)", "yes", "0.6460", "no", "0.3540"]


def test_the_most_probable_of_many_states_come_first():
    values = np.random.default_rng(1).dirichlet(np.full(200, 0.2))
    root = root_of(distribution(values)._repr_html_())
    best = sorted(range(200), key=lambda state: -values[state])[:ROWS]
    assert [title.split(":")[0] for title in titles(root, "row")] == [f"0{state}" for state in best]
    assert f"170 more states have {1 - values[best].sum():.4f} together" in texts(root)[-1]


def test_equal_probabilities_keep_their_order():
    rows = titles(root_of(distribution(np.full((4, 4, 4), 1 / 64))._repr_html_()), "row")
    assert rows[:5] == [f"00, 10, 2{state}: 0.0156" for state in range(4)] + ["00, 11, 20: 0.0156"]


def test_standard_errors_are_written():
    root = root_of(distribution([0.25, 0.75], np.array([0.01, 0.02]))._repr_html_())
    assert {"0.2500 ± 0.01", "0.7500 ± 0.02"} <= set(texts(root))
    whiskers = [path.get("d") for path in root.iter(f"{SVG}path")]
    assert len(whiskers) == 2


def test_two_variables_make_a_map():
    values = np.array([[0.1, 0.2, 0.0], [0.3, 0.15, 0.25]])
    cells = groups(root_of(distribution(values)._repr_html_()), "cell")
    assert [cell.find(f"{SVG}rect").get("fill") for cell in cells] == [shade(value / 0.3) for value in values.reshape(-1)]
    assert [cell.find(f"{SVG}text").text for cell in cells] == [f"{value:.4f}" for value in values.reshape(-1)]
    assert cells[5].findtext(f"{SVG}title") == "a 01, b 12: 0.2500"


def test_a_map_of_many_columns_is_not_written_out():
    root = root_of(distribution(np.full((3, 30), 1 / 90))._repr_html_())
    assert len(groups(root, "cell")) == 90
    assert not any(cell.findall(f"{SVG}text") for cell in groups(root, "cell"))
    assert texts(root)[-1] == "the darkest is 0.0111"


def test_large_tables_of_two_and_tables_of_many_variables_list_rows():
    for shape in ((100, 2), (2,) * 20):
        values = np.random.default_rng(2).dirichlet(np.ones(math.prod(shape))).reshape(shape)
        assert len(groups(root_of(distribution(values)._repr_html_()), "row")) == ROWS


def test_a_map_that_would_be_a_strip_becomes_bars():
    for shape, is_map in (((63, 2), False), ((2, 63), False), ((30, 2), True), ((40, 8), True)):
        values = np.random.default_rng(3).dirichlet(np.ones(math.prod(shape))).reshape(shape)
        root = root_of(distribution(values)._repr_html_())
        assert bool(groups(root, "cell")) == is_map
        assert len(groups(root, "row")) == (0 if is_map else ROWS)


def test_a_distribution_of_nothing():
    assert texts(root_of(distribution(np.array(1.0))._repr_html_())) == ["Nothing was asked for"]
    assert texts(root_of(normal([], np.zeros((0, 0)))._repr_html_())) == ["Nothing was asked for"]


def points(path):
    numbers = [float(number) for number in path.get("d").replace("M", "").replace("L", " ").replace("Z", "").split()]
    return np.array(numbers).reshape(-1, 2)


def test_the_density_is_the_normal_one():
    root = root_of(normal([2.0], [[9.0]])._repr_html_())
    curve = points(groups(root, "density")[0].find(f"{SVG}path"))[:-2]
    bottom, axis = curve[:, 1].max(), Axis(2 - 3.5 * 3, 2 + 3.5 * 3, 0.0, 240.0)
    heights = bottom - curve[:, 1]
    expected = [stats.norm.pdf(2 - 10.5 + 21 * x / 240, 2, 3) for x in curve[:, 0]]
    assert heights / heights.max() == pytest.approx(np.array(expected) / max(expected), abs=0.01)
    inner = points(groups(root, "density")[1].find(f"{SVG}path"))
    low, high = stats.norm.interval(0.95, 2, 3)
    assert (inner[:, 0].min(), inner[:, 0].max()) == pytest.approx((axis.position(low), axis.position(high)), abs=0.06)


def test_the_ellipses_hold_what_they_say():
    covariance = np.array([[4.0, 1.5], [1.5, 1.0]])
    root = root_of(normal([1.0, -2.0], covariance)._repr_html_())
    wide, high = 240 / (2 * 2.9 * 2.0), 192 / (2 * 2.9 * 1.0)  # points for each unit, across and up
    for group in groups(root, "ellipse"):
        share = float(group.findtext(f"{SVG}title").rstrip("%")) / 100
        rim = points(group.find(f"{SVG}path"))
        offsets = (rim - (rim.max(axis=0) + rim.min(axis=0)) / 2) / [wide, -high]
        distances = np.einsum("ni,ij,nj->n", offsets, np.linalg.inv(covariance), offsets)
        assert distances == pytest.approx(np.full(len(rim), stats.chi2(2).ppf(share)), abs=0.1)
        middle = (rim[:, 0].max() + rim[:, 0].min()) / 2
        assert middle == pytest.approx(40 + 240 / 2, abs=0.2)  # the mean is in the middle of the axis


def test_many_normal_variables_have_intervals():
    root = root_of(normal([0.0, 10.0, -3.0], np.diag([1.0, 4.0, 0.0]))._repr_html_())
    assert titles(root, "row") == ["a: 0 ± 1", "b: 10 ± 2", "c: -3 ± 0"]
    thick = [float(group.findall(f"{SVG}rect")[1].get("width")) for group in groups(root, "row")]
    assert thick[1] == pytest.approx(2 * thick[0], abs=0.11)
    assert thick[2] == 0
    correlations = [cell.find(f"{SVG}text").text for cell in groups(root, "cell")]
    assert correlations == ["1.00", "0.00", "–", "0.00", "1.00", "–", "–", "–", "–"]


def test_variables_without_variance_are_certain():
    assert "certainly 3" in texts(root_of(normal([3.0], [[0.0]])._repr_html_()))
    assert "correlation 0.000" in " ".join(texts(root_of(normal([3.0, 1.0], [[0.0, 0.0], [0.0, 1.0]])._repr_html_())))
    root_of(normal([1e20, 1e20, 0], np.diag([1e-9, 0.0, 0.0]))._repr_html_())


@given(st.floats(-1e6, 1e6), st.floats(1e-3, 1e6))
def test_ticks_are_round_few_and_in_between(low, spread):
    found = ticks(low, low + spread)
    assert 1 <= len(found) <= 9
    assert all(low - 1e-9 * spread <= value <= low + (1 + 1e-9) * spread for value, _ in found)
    assert len({text for _, text in found}) == len(found)
    assert all(float(text) == pytest.approx(value, abs=1e-3 * spread) for value, text in found)
