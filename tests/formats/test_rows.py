"""Rows of tables that are slightly off, further off, or counts."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import dconvex as dc
from dconvex.network.probability_tables import RowRule, Tables

TEXT = """network unknown {{}}
variable rain {{ type discrete [2] {{ no, yes }}; }}
variable wet {{ type discrete [2] {{ no, yes }}; }}
probability ( rain ) {{ table {rain}; }}
probability ( wet | rain ) {{ (no) {dry}; (yes) 0.5, 0.5; }}
"""


def read(tmp_path, rain="0.8, 0.2", dry="0.9, 0.1", **options):
    path = tmp_path / "network.bif"
    path.write_text(TEXT.format(rain=rain, dry=dry))
    return dc.read(path, **options)


def test_rows_that_were_rounded_are_divided_with_a_warning_of_the_largest(tmp_path):
    with pytest.warns(
        UserWarning, match=r"network\.bif: .*largest correction: P\('wet' \| 'rain'='no'\) sums to 0\.998, not to 1$"
    ):
        network = read(tmp_path, "0.8, 0.2001", "0.9, 0.098")
    assert network.family("wet").values[0] == pytest.approx([0.9 / 0.998, 0.098 / 0.998], abs=1e-15)
    assert network.family("rain").values.sum() == pytest.approx(1, abs=1e-15)


def test_negative_entries_of_rounding_count_as_zeros(tmp_path):
    with pytest.warns(UserWarning, match=r"largest correction: P\('rain'\) gives 'no' the probability -1\.2e-07"):
        network = read(tmp_path, "-1.2e-7, 1")
    assert network.family("rain").values.tolist() == [0.0, 1.0]


def test_within_the_tolerance_of_tables_nobody_is_warned(tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert read(tmp_path, "0.8, 0.200009").family("rain").values.sum() == pytest.approx(1, abs=1e-15)


@pytest.mark.parametrize(("rain", "said"), [("0.8, 0.3", "sums to 1.1"), ("30, 10", "sums to 40")])
def test_rows_further_off_name_the_way_out(tmp_path, rain, said):
    with pytest.raises(dc.FormatError, match=rf"{said}, not to 1 .*dc\.read\(path, normalize=True\)"):
        read(tmp_path, rain)
    with pytest.warns(UserWarning, match=f"largest correction: .*{said}"):
        network = read(tmp_path, rain, normalize=True)
    counts = np.array([float(word) for word in rain.split(",")])
    assert network.family("rain").values == pytest.approx(counts / counts.sum(), abs=1e-15)


@pytest.mark.parametrize("rain", ["0, 0", "-0.1, 1.1", "nan, 1", "1e308, 1e308", "inf, 1"])
def test_what_no_division_makes_a_distribution(tmp_path, rain):
    with pytest.raises(dc.FormatError, match=r"P\('rain'\)"):
        read(tmp_path, rain, normalize=True)


def test_json_too(tmp_path):
    path = tmp_path / "network.json"
    dc.write(dc.load_network("cancer"), path)
    path.write_text(path.read_text().replace("[0.9,0.1]", "[0.9,0.098]"))
    with pytest.warns(UserWarning, match="sums to 0.998"):
        assert dc.read(path).family("Pollution").values.sum() == pytest.approx(1, abs=1e-15)


def test_a_network_built_by_hand_is_as_strict_as_before():
    with pytest.raises(dc.NetworkError, match=r"sums to 0\.998, not to 1 \(rows within 1e-05 of 1 are normalised\)"):
        dc.BayesianNetwork.discrete([], {"rain": [0.9, 0.098]}, {"rain": ["no", "yes"]})
    with pytest.raises(dc.NetworkError, match="gives 'no' the probability -1e-07"):
        dc.BayesianNetwork.discrete([], {"rain": [-1e-7, 1 + 1e-7]}, {"rain": ["no", "yes"]})


def test_nothing_to_correct():
    assert Tables.corrected(dc.Dag([]), (), [], RowRule())[1] is None
