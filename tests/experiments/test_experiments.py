import tempfile

import numpy as np
import pandas as pd
import pytest

import dconvex as dc
from experiments import figure2, refinement
from experiments.__main__ import NAMES, main
from experiments.common import SMOKE, Result, Row, random_binary
from experiments.page import write_page

WITHOUT_TABLE2 = [name for name in NAMES if name != "table2"]
"""The smallest run of table2 has a test module of its own."""


def check(name, folder):
    rows = pd.read_csv(folder / f"{name}.csv")
    assert list(rows.columns) == ["item", "paper", "ours", "verdict"]
    assert rows["ours"].notna().all()
    assert (folder / f"{name}.png").stat().st_size > 5_000
    assert rows["verdict"].notna().all()
    section = (folder / f"{name}.md").read_text(encoding="utf-8")
    assert "seed 1" in section
    assert f"]({name}.png)" in section
    assert section in (folder / "reproduction.md").read_text(encoding="utf-8").replace("](./", "](")


@pytest.mark.parametrize("name", WITHOUT_TABLE2)
def test_runs_in_the_smallest_setting(name, tmp_path):
    main([name], smoke=True, folder=tmp_path)
    check(name, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_runs_quickly(name, tmp_path):
    main([name], quick=True, folder=tmp_path)
    check(name, tmp_path)


def test_an_unknown_name_is_told(tmp_path):
    with pytest.raises(Exception, match="no experiment is called 'figure9'"):
        main(["figure9"], smoke=True, folder=tmp_path)


def test_random_numbers_depend_on_nothing_but_seed_and_work():
    one, again, other = (SMOKE.rng("asia", size).random() for size in (1, 1, 2))
    assert one == again != other


def test_the_page_tells_verdicts_first_and_finds_the_pictures(tmp_path):
    result = Result("figure1", "A title", SMOKE, [Row("a|b", "1", "2")], "So |it| is.", "Since it\nwas seen.\n\nAnd more.")
    result.write(tmp_path)
    write_page(["figure1", "absent"], tmp_path, tmp_path / "docs" / "page.md")
    page = (tmp_path / "docs" / "page.md").read_text(encoding="utf-8")
    assert r"| A title | So \|it\| is. |" in page
    assert "**So |it| is.**" in page
    assert "- Since it was seen.\n- And more.\n" in page
    assert "![A title](../figure1.png)" in page
    assert r"| a\|b | 1 | 2 |  |" in page


@pytest.mark.parametrize("setting", ["quick", "smoke"])
def test_only_the_full_setting_replaces_results(setting, monkeypatch, tmp_path):
    written = []
    monkeypatch.setattr(Result, "write", lambda self, folder: written.append(folder))
    monkeypatch.setattr(tempfile, "mkdtemp", lambda prefix: str(tmp_path / prefix))
    main(["figure1"], **{setting: True})
    assert written == [tmp_path / "experiments-"]


def test_the_busiest_process_of_the_paper_has_one_of_its_clusters_at_least():
    """Figure 2's count: clusters of more than ten variables are in one process, with at least the largest of them."""
    for name, busiest in figure2.BUSIEST.items():
        _, largest = refinement.PUBLISHED[name]
        assert largest <= busiest < len(dc.load_network(name).dag)


def test_random_binary_networks_are_pgmpys():
    """Two uniform numbers over their sum: P(p < 1/4) = 1/6, where a uniform p has 1/4."""
    network = random_binary(dc.Dag([("a", "c"), ("b", "c")], nodes=map(str, range(3_000))), np.random.default_rng(1))
    assert network.family("c").values.shape == (2, 2, 2)
    chances = np.array([network.family(str(node)).values[0] for node in range(3_000)])
    assert abs(np.mean(chances < 0.25) - 1 / 6) < 0.03
