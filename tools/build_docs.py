"""Build the documentation into `site/`: `python tools/build_docs.py`.

The pages are gathered in `build/docs` first: those of `docs/`, the notebooks as pages, and what other parts of the project
write (the benchmarks, the reproduced figures, the changelog, the picture of the layers). Zensical makes a site of them, without
anything from elsewhere.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

from draw_layers import picture
from notebook_pages import as_page
from site_links import problems_in

ROOT = Path(__file__).parents[1]
DOCS, STAGE, SITE = ROOT / "docs", ROOT / "build" / "docs", ROOT / "site"

RESULTS = {
    "benchmarks.md": (ROOT / "benchmarks" / "RESULTS.md", "results/"),
    "reproduction.md": (DOCS / "reproduction.md", "../experiments/results/"),
    "changelog.md": (ROOT / "CHANGELOG.md", None),
}
"""Pages made elsewhere, and where the pictures on them lie, as they say it."""

LONG = 84
"""Longer lines of output do not fit into the column."""
OUTPUT = re.compile(r"^```text\n(?P<lines>.*?)^```$", re.MULTILINE | re.DOTALL)
IN_COLUMNS = re.compile(r"\S {2,}\S|[│┃─━]")

FOLDED_ABOVE = 20
"""Longer tables of measurements are folded."""
TABLE = re.compile(r"^\|.*\n\|[-:| ]+\n(?P<rows>(?:\|.*\n)+)", re.MULTILINE)

SVG_PICTURE = re.compile(r"!\[[^\]]*\]\((?P<path>[^)]+\.svg)\)")


def main() -> None:
    gather()
    shutil.rmtree(SITE, ignore_errors=True)
    built = subprocess.run([sys.executable, "-m", "zensical", "build", "--clean", "--strict"], cwd=ROOT, check=False)
    if built.returncode:
        raise SystemExit(built.returncode)
    if problems := list(problems_in(SITE)):
        raise SystemExit("\n".join(problems))
    print(f"the documentation is in {SITE.relative_to(ROOT)}/index.html")
    print(f"its search needs a server: `python -m http.server --directory {SITE.relative_to(ROOT)}`, then 127.0.0.1:8000")


def gather() -> None:
    """All pages in one folder, as Zensical wants them."""
    shutil.rmtree(STAGE, ignore_errors=True)
    shutil.copytree(DOCS, STAGE)
    (STAGE / "pictures" / "layers.svg").write_text(picture(), encoding="utf-8")
    for name, (source, pictures) in RESULTS.items():
        page = source.read_text(encoding="utf-8")
        page = with_pictures(page, source, pictures) if pictures else page
        (STAGE / name).write_text(with_long_tables_folded(page), encoding="utf-8")
    for notebook in STAGE.glob("notebooks/*.ipynb"):
        notebook.with_suffix(".md").write_text(as_page(notebook), encoding="utf-8")
    for path in STAGE.rglob("*.md"):
        page = with_long_messages_wrapped(path.read_text(encoding="utf-8"))
        path.write_text(with_svg_inside(page, path.parent), encoding="utf-8")


def with_pictures(page: str, source: Path, folder: str) -> str:
    """The page with its pictures from another folder, which are copied."""
    (STAGE / "pictures").mkdir(exist_ok=True)
    for name in re.findall(rf"\]\({re.escape(folder)}([^)]+)\)", page):
        shutil.copy(source.parent / folder / name, STAGE / "pictures" / name)
    return page.replace(f"]({folder}", "](pictures/").replace("](../docs/pictures/", "](pictures/")


def with_long_tables_folded(page: str) -> str:
    """The page with long tables closed, so that a reader sees what there is before all of the numbers."""

    def folded(found: re.Match[str]) -> str:
        count = len(found["rows"].splitlines())
        if count <= FOLDED_ABOVE:
            return found[0]
        return f"<details markdown>\n<summary>{count} rows of measurements</summary>\n\n{found[0]}\n</details>\n"

    return TABLE.sub(folded, page)


def with_long_messages_wrapped(page: str) -> str:
    """The page with outputs marked whose long lines are sentences, not rows of a table, so that none of it is cut off."""

    def marked(found: re.Match[str]) -> str:
        lines = found["lines"].splitlines()
        is_long = max(map(len, lines), default=0) > LONG
        is_message = is_long and not any(len(line) > LONG and IN_COLUMNS.search(line) for line in lines)
        return f"``` {{ .text .wrapped }}\n{found['lines']}```" if is_message else found[0]

    return OUTPUT.sub(marked, page)


def with_svg_inside(page: str, folder: Path) -> str:
    """The page with drawings inside it, so that they take their colour of text from it, light or dark."""

    def drawing(found: re.Match[str]) -> str:
        path = folder / found["path"]
        if not path.exists():
            return found[0]  # the check of links reports it
        return f"<figure>{path.read_text(encoding='utf-8').partition('?>')[2].strip()}</figure>"

    return SVG_PICTURE.sub(drawing, page)


if __name__ == "__main__":
    main()
