"""A headless Chromium, and pages of explorers in it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cache
from typing import Any

import pytest
from browser.screen import Screen
from explorer.questions import exploring
from explorer.serving import served

NAMES = ("chromium", "chromium-browser", "google-chrome")


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    path = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
    if path is None:
        pytest.fail("no Chromium found: run these tests with make test-browser")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def home() -> Iterator[Callable[[str], str]]:
    """The address of the page about a built-in network."""
    with ExitStack() as stack:
        yield cache(lambda source: stack.enter_context(served(exploring(source))))


@pytest.fixture
def open_page(chromium, home) -> Iterator[Callable[..., Screen]]:
    """Opens the page about a built-in network; in the end no script may have failed, and nothing come from elsewhere."""
    opened: list[Screen] = []

    def open_page(source: str, *, fit: bool = True, address: str = "", **options: Any) -> Screen:
        context = chromium.new_context(**{"viewport": {"width": 1750, "height": 950}, **options})
        context.set_default_timeout(float(os.environ.get("BROWSER_TIMEOUT", 60_000)))
        screen = Screen(context.new_page(), exploring(source).model)
        opened.append(screen)
        screen.open(home(source), address, fit=fit)
        return screen

    yield open_page
    for screen in opened:
        screen.page.context.close()
        assert screen.failures == []
        assert screen.foreign == []
