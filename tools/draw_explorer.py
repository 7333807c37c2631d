"""Draw the picture of the explorer, docs/pictures/explorer.png: `CHROMIUM=… python tools/draw_explorer.py [FILE]`."""

from __future__ import annotations

import os
import sys
import threading
from pathlib import Path

from playwright.sync_api import sync_playwright

import dconvex as dc
from dconvex.explorer.explorer import Explorer
from dconvex.explorer.serving import address, listen, server
from dconvex.explorer.shelf import Shelf

FILE = Path(__file__).parent.parent / "docs" / "pictures" / "explorer.png"
QUESTION = "#ask=HR&see=BP:LOW&see=CVP:HIGH"


def main() -> None:
    file = Path(sys.argv[1]) if len(sys.argv) > 1 else FILE
    explorer = Explorer(dc.localize(dc.load_network("alarm")), "alarm", "dc.localize(dc.load_network('alarm'))")
    with listen("127.0.0.1", 0) as listener:
        serving = server(Shelf(explorer), "127.0.0.1")
        thread = threading.Thread(target=serving.run, kwargs={"sockets": [listener]})
        thread.start()
        try:
            draw(address(listener), file)
        finally:
            serving.should_exit = True
            thread.join()


def draw(home: str, file: Path) -> None:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=os.environ.get("CHROMIUM"))
        page = browser.new_page(viewport={"width": 1500, "height": 900}, color_scheme="light")
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
