"""What is wrong with the links of a built site: targets that are not there, and things that would be loaded from elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

LOADED_BY = {"script": "src", "img": "src", "iframe": "src", "link": "href"}
"""Elements that load what they name, as opposed to links that a reader may follow."""


def problems_in(site: Path) -> Iterator[str]:
    """One line for each problem."""
    for path in sorted(site.rglob("*.html")):
        if path.name == "404.html":  # its links begin at the root of whatever serves it
            continue
        page = read_page(path)
        name = path.relative_to(site)
        yield from (f"{name}: loads {address}" for address in page.loads if urlsplit(address).netloc)
        for address in dict.fromkeys([*page.loads, *page.links]):
            parts = urlsplit(address)
            if not parts.netloc and parts.scheme in ("", "file") and not _leads_somewhere(path, parts.path, parts.fragment):
                yield f"{name}: there is no {address}"


@dataclass
class Page:
    """The addresses on a page and the anchors on it."""

    loads: list[str] = field(default_factory=list)
    links: list[str] = field(default_factory=list)
    anchors: set[str] = field(default_factory=set)


@cache
def read_page(path: Path) -> Page:
    reader = _Reader()
    reader.feed(path.read_text(encoding="utf-8"))
    return reader.page


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.page = Page()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        self.page.anchors.update(value for value in (found.get("id"), found.get("name")) if value)
        if (address := found.get(LOADED_BY.get(tag, ""))) and found.get("rel") != "canonical":
            self.page.loads.append(address)
        elif tag == "a" and (address := found.get("href")):
            self.page.links.append(address)


def _leads_somewhere(origin: Path, target: str, anchor: str) -> bool:
    path = (origin.parent / unquote(target)).resolve() if target else origin
    if path.is_dir():
        path = path / "index.html"
    is_page = path.suffix == ".html" and path.exists()
    return path.exists() and (not anchor or not is_page or unquote(anchor) in read_page(path).anchors)
