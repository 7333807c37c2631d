import pandas as pd
import pytest

from experiments.__main__ import NAMES, main
from experiments.common import SMOKE, Result, Row
from experiments.page import write_page

OURS = [name for name in NAMES if name != "table2"]


def check(name, folder):
    rows = pd.read_csv(folder / f"{name}.csv")
    assert list(rows.columns) == ["item", "paper", "ours", "verdict"]
    assert rows["ours"].notna().all()
    assert (folder / f"{name}.png").stat().st_size > 5_000
    section = (folder / f"{name}.md").read_text(encoding="utf-8")
    assert "seed 1" in section
    assert f"]({name}.png)" in section
    assert section in (folder / "reproduction.md").read_text(encoding="utf-8").replace("](./", "](")


@pytest.mark.parametrize("name", OURS)
def test_runs_in_the_smallest_setting(name, tmp_path):
    main([name], smoke=True, folder=tmp_path)
    check(name, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("name", OURS)
def test_runs_quickly(name, tmp_path):
    main([name], quick=True, folder=tmp_path)
    check(name, tmp_path)


def test_an_unknown_name_is_told(tmp_path):
    with pytest.raises(Exception, match="no experiment is called 'figure9'"):
        main(["figure9"], smoke=True, folder=tmp_path)


def test_random_numbers_depend_on_nothing_but_seed_and_work():
    one, again, other = (SMOKE.rng("asia", size).random() for size in (1, 1, 2))
    assert one == again != other


def test_the_page_finds_the_pictures(tmp_path):
    result = Result("figure1", "A title", SMOKE, [Row("a|b", "1", "2")], "So it is.", ["figure1.png"])
    result.write(tmp_path)
    write_page(["figure1", "absent"], tmp_path, tmp_path / "docs" / "page.md")
    page = (tmp_path / "docs" / "page.md").read_text(encoding="utf-8")
    assert "![A title](../figure1.png)" in page
    assert r"| a\|b | 1 | 2 |  |" in page
