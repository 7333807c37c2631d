"""Everything on the pages of the documentation and in the README runs as printed, and prints what is shown."""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest
from docs.pages import blocks_on, run_page, steps_on

import dconvex as dc
from tools.notebook_pages import executed, outputs_as_text
from tools.site_links import problems_in

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
WITH_CODE = [page for page in PAGES if any(steps_on(page.read_text(encoding="utf-8")))]
NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))


@pytest.fixture(autouse=True)
def _a_reader_at_work(tmp_path, monkeypatch):
    """In an empty folder, with a terminal of 80 columns and no screen to draw on."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("MPLBACKEND", "agg")


@pytest.mark.parametrize("page", WITH_CODE, ids=lambda page: str(page.relative_to(ROOT)))
@pytest.mark.filterwarnings("ignore::FutureWarning:pgmpy")
def test_a_page_runs_as_printed(page):
    run_page(page.read_text(encoding="utf-8"), page.relative_to(ROOT))


def test_only_shell_and_r_are_for_reading_only():
    languages = {block.language for page in PAGES for block in blocks_on(page.read_text(encoding="utf-8"))}
    assert languages == {"console", "python", "r", "sh", "text"}


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_gives_the_outputs_that_it_was_committed_with(path, tmp_path):
    assert outputs_as_text(executed(path, tmp_path)) == outputs_as_text(nbformat.read(path, as_version=4))


def test_the_reference_has_every_public_name():
    pages = "".join(page.read_text(encoding="utf-8") for page in (ROOT / "docs" / "reference").glob("*.md"))
    assert sorted(line.removeprefix("::: dconvex.") for line in pages.splitlines() if line.startswith(":::")) == sorted(
        [*dc.__all__, "sklearn.BayesianNetworkClassifier"]
    )


def test_a_wrong_output_is_noticed():
    page = "```python\nx = 1\nprint(x)\n```\n\n```text\n{}\n```\n"
    run_page(page.format(1), Path("page.md"))
    with pytest.raises(AssertionError, match=r"page\.md:2: the page shows\n2"):
        run_page(page.format(2), Path("page.md"))


def test_a_wrong_output_of_a_command_is_noticed():
    page = "```console\n$ dconvex convert asia asia.bif\nwrote asia.bif: {}...\n```\n"
    run_page(page.format("BayesianNetwork"), Path("page.md"))
    with pytest.raises(AssertionError, match="the page shows"):
        run_page(page.format("Something"), Path("page.md"))


def test_a_command_that_fails_unexpectedly_is_noticed():
    with pytest.raises(AssertionError, match="failed"):
        run_page("```console\n$ dconvex show nothing\n```\n", Path("page.md"))
    run_page("```console\n$ dconvex show nothing\nerror: unknown network 'nothing'...\n```\n", Path("page.md"))


def test_an_error_names_the_line_of_the_page():
    with pytest.raises(ZeroDivisionError) as raised:
        run_page("Some words.\n\n```python\n1 / 0\n```\n", Path("page.md"))
    assert (str(raised.traceback[-1].path), raised.traceback[-1].lineno + 1) == ("page.md", 4)


def test_examples_in_docstrings_become_blocks_of_code():
    fenced = pytest.importorskip("tools.doctest_fences").fenced
    docstring = "Adds.\n\n>>> 1 + 1\n2\n\n>>> 2 + 2\n4\n\nThat is all."
    assert fenced(docstring) == "Adds.\n\n```pycon\n>>> 1 + 1\n2\n\n>>> 2 + 2\n4\n```\n\nThat is all."


def test_links_that_lead_nowhere_or_load_from_elsewhere_are_found(tmp_path):
    there = '<a href="two.html#part">good</a> <a href="https://example.org">also good</a>'
    (tmp_path / "one.html").write_text(there + '<a href="three.html">bad</a><img src="//example.org/x.png">', encoding="utf-8")
    (tmp_path / "two.html").write_text('<h2 id="part">Part</h2><a href="#parts">bad</a>', encoding="utf-8")
    assert list(problems_in(tmp_path)) == [
        "one.html: loads //example.org/x.png",
        "one.html: there is no three.html",
        "two.html: there is no #parts",
    ]


def test_printed_text_counts_as_one_however_the_kernel_cut_it():
    def notebook(*texts):
        outputs = [nbformat.v4.new_output("stream", text=text) for text in texts]
        return nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("print()", outputs=outputs)])

    assert outputs_as_text(notebook("one\n", "two\n")) == outputs_as_text(notebook("one\ntwo\n")) == ["one\ntwo\n"]
