"""Draw the explorer into docs/pictures, light and dark: `CHROMIUM=… python tools/draw_explorer.py [FOLDER]`."""

from __future__ import annotations

import os
import sys
import threading
from pathlib import Path
from typing import Literal

from playwright.sync_api import sync_playwright

import dconvex as dc
from dconvex.explorer.explorer import Explorer
from dconvex.explorer.serving import address, listen, server
from dconvex.explorer.shelf import Shelf

FOLDER = Path(__file__).parent.parent / "docs" / "pictures"
FILES: dict[str, Literal["light", "dark"]] = {"explorer.png": "light", "explorer-dark.png": "dark"}
QUESTION = "#ask=HR&see=BP:LOW&see=CVP:HIGH"


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER
    explorer = Explorer(dc.localize(dc.load_network("alarm")), "alarm", "dc.localize(dc.load_network('alarm'))")
    with listen("127.0.0.1", 0) as listener:
        serving = server(Shelf(explorer), "127.0.0.1")
        thread = threading.Thread(target=serving.run, kwargs={"sockets": [listener]})
        thread.start()
        try:
            for name, scheme in FILES.items():
                draw(address(listener), folder / name, scheme)
        finally:
            serving.should_exit = True
            thread.join()


def draw(home: str, file: Path, scheme: Literal["light", "dark"]) -> None:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=os.environ.get("CHROMIUM"))
        page = browser.new_page(viewport={"width": 1500, "height": 900}, color_scheme=scheme)
        page.add_init_script("localStorage.setItem('dconvex.tree', 'true')")
        page.goto(home + QUESTION)
        page.locator("#question", has_text="P(HR | BP = LOW, CVP = HIGH)").wait_for()
        for part in ("#network", "#tree"):
            page.locator(part).get_by_role("button", name="Fit").click()
        page.locator(".variable details.family summary").click()
        page.locator(".heat td").first.wait_for()
        page.mouse.move(5, 5)
        page.screenshot(path=file, animations="disabled")
        browser.close()


if __name__ == "__main__":
    main()
