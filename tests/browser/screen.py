"""The page as a user sees it: variables by name, numbers as they are shown."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import dconvex as dc

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page


class Screen:
    """A page about a model."""

    def __init__(self, page: Page, model: dc.LocalModel) -> None:
        self.page, self.model = page, model
        self.failures: list[str] = []
        """Errors of scripts, and what the browser refused to load or to run."""
        self.foreign: list[str] = []
        """Requests to other addresses than our own."""
        page.on("pageerror", lambda error: self.failures.append(str(error)))
        page.on("console", lambda message: self._heard(message.text) if message.type == "error" else None)

    def _heard(self, text: str) -> None:
        if "status of 422" not in text:  # impossible evidence, which the browser notes too
            self.failures.append(text)

    def open(self, home: str, address: str = "", *, fit: bool = True) -> None:
        self.page.on("request", lambda request: None if self._is_ours(request.url, home) else self.foreign.append(request.url))
        self.page.goto(home + address)
        if fit:
            self.is_ready()
        else:
            self.answered()

    def _is_ours(self, url: str, home: str) -> bool:
        return url.startswith((home, "data:image/svg+xml", f"blob:{home}"))

    def answered(self) -> None:
        """Wait for the first answer."""
        self.page.locator("#question", has_text=re.compile(".")).wait_for()

    def is_ready(self) -> None:
        """Wait for the first answer; then show the whole network, so that all of it can be clicked."""
        self.answered()
        if self.page.locator(".node").count():
            self.page.locator("#network").get_by_role("button", name="Fit").click()

    def tab(self, name: str) -> Locator:
        """Open a tab of the panel."""
        self.page.locator(f'[data-tab="{name}"]').click()
        return self.page.locator(f"#tab-{name}")

    def node(self, name: str) -> Locator:
        return self.page.locator(f'.node[data-variable="{name}"]')

    def ask(self, name: str, *modifiers: Any) -> None:
        self.node(name).locator(".title").click(modifiers=modifiers)

    def observe(self, name: str, state: str, *modifiers: Any) -> None:
        self.node(name).locator(f'.state[data-state="{state}"]').click(modifiers=modifiers)

    def search(self, name: str) -> None:
        self.page.locator("#search").fill(name)
        self.page.locator("#search").press("Enter")

    def card(self, name: str) -> Locator:
        """A variable that is asked for, in the panel."""
        return self.page.locator(f'.variable[data-variable="{name}"]')

    def is_answering(self, question: str) -> None:
        """Wait until the panel shows the answer to this question."""
        self.page.locator("#question", has_text=re.compile(rf"^{re.escape(question)}$")).wait_for()

    def posterior(self, name: str) -> list[float]:
        """The numbers of a variable that is asked for."""
        return [float(number.get_attribute("data-value") or "nan") for number in self.card(name).locator("[data-value]").all()]

    def bars(self, name: str) -> list[float]:
        """How long the bars in the network are, from 0 to 1."""
        room = float(self.node(name).locator(".ground").first.get_attribute("width") or "nan")
        return [float(bar.get_attribute("width") or "nan") / room for bar in self.node(name).locator(".bar").all()]

    def marked(self, kind: str, mark: str) -> set[str]:
        """The names (or numbers) of nodes (or clusters) that carry a mark."""
        key = {"node": "data-variable", "cluster": "data-cluster"}[kind]
        return {str(each.get_attribute(key)) for each in self.page.locator(f".{kind}.{mark}").all()}

    def exported(self, what: str) -> str:
        """The file behind a button."""
        self.tab("plan")
        with self.page.expect_download() as download:
            self.page.locator(f'[data-export="{what}"]').click()
        return Path(download.value.path()).read_text(encoding="utf-8")
