"""The picture of EM: dots where the log-likelihoods are."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest
from display.elements import SVG, groups, root_of, texts, titles

import dconvex as dc
from dconvex.display.em_picture import DOTS, HIGH
from dconvex.inference.report import EmReport


@pytest.fixture(scope="module")
def asia_with_gaps():
    rows = dc.load_network("asia").sample(300, seed=1)
    rows.loc[::3, ["lung", "bronc"]] = None
    return rows


def heights(root):
    """The middles of the dots."""
    boxes = [group.find(f"{SVG}rect") for group in groups(root, "dot")]
    return [float(box.get("y")) + float(box.get("height")) / 2 for box in boxes]


def test_dots_are_where_the_log_likelihoods_are(asia_with_gaps):
    report = dc.fit(dc.load_network("asia"), asia_with_gaps, coherent=True, missing="em").report().em
    root = root_of(report._repr_html_())
    values, found = report.log_likelihood, heights(root)
    assert len(found) == len(values) > 2
    scale = HIGH / (1.04 * (values[-1] - values[0]))
    expected = [scale * (before - after) for before, after in pairwise(values)]
    assert [after - before for before, after in pairwise(found)] == pytest.approx(expected, abs=0.11)
    assert f"converged after {len(values)} iterations, 200 missing cells" in texts(root)
    assert titles(root, "dot")[-1].endswith(f"{len(values)}: {values[-1]:.10g}")


def test_the_objective_is_shown_where_there_is_a_prior(asia_with_gaps):
    em = dc.EM(restarts=2, seed=1)
    report = dc.fit(dc.load_network("asia"), asia_with_gaps, coherent=True, missing=em, prior=dc.BDeu(5)).report().em
    shown = texts(root_of(report._repr_html_()))
    assert f"start {report.best + 1} of 2 won" in shown
    assert any(text.startswith(f"objective, with the prior: {report.objective[0]:.8g} …") for text in shown)
    assert any(text.startswith("log-likelihood: ") for text in shown)


@pytest.mark.parametrize("values", [(-5.0,), (-5.0, -5.0), (-math.inf, -5.0, -4.0), (-math.inf,)])
def test_curves_without_a_gain_or_a_number(values):
    report = EmReport(values, values, converged=False, filled=1.0)
    root = root_of(report._repr_html_())
    assert len(groups(root, "dot")) == sum(map(math.isfinite, values))
    found = heights(root) or [0.0]
    assert max(found) - min(found) <= HIGH
    assert "stopped, not converged, after" in texts(root)[1]


def test_a_long_curve_has_no_dots():
    values = tuple(-1 / number for number in range(1, DOTS + 2))
    assert not groups(root_of(EmReport(values, values, converged=True, filled=1.0)._repr_html_()), "dot")
