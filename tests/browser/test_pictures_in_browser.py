"""Pictures in a real browser: pages that are moved and zoomed, and text that stays within its box in any font."""

from __future__ import annotations

import pytest

import dconvex as dc

pytestmark = pytest.mark.browser


@pytest.fixture
def shown(chromium, tmp_path):
    """Opens a page; in the end no script may have failed."""
    failures: list[str] = []
    contexts = []

    def shown(html: str, **options):
        (tmp_path / "page.html").write_text(html, encoding="utf-8")
        contexts.append(chromium.new_context(viewport={"width": 1200, "height": 800}, **options))
        page = contexts[-1].new_page()
        page.on("pageerror", lambda error: failures.append(str(error)))
        page.goto((tmp_path / "page.html").as_uri())
        return page

    yield shown
    for context in contexts:
        context.close()
    assert failures == []


def saved(subject, folder):
    subject.save_picture(folder / "picture.html")
    return (folder / "picture.html").read_text(encoding="utf-8")


def position(page, name):
    """Where a node is on the screen, and how wide."""
    box = page.locator("g.dcx-node", has_text=name).first.bounding_box()
    return box["x"], box["y"], box["width"]


def drag(page, dx, dy):
    page.mouse.move(600, 400)
    page.mouse.down()
    page.mouse.move(600 + dx, 400 + dy, steps=3)
    page.mouse.up()


def test_a_saved_page_is_moved_and_zoomed(shown, tmp_path):
    page = shown(saved(dc.load_network("hepar2").dag, tmp_path))
    start = position(page, "Cirrhosis")
    drag(page, 50, -30)
    assert position(page, "Cirrhosis") == pytest.approx((start[0] + 50, start[1] - 30, start[2]), abs=1)
    page.mouse.wheel(0, -100)
    assert position(page, "Cirrhosis")[2] > 1.15 * start[2]
    page.mouse.move(100, 100)  # nothing is held any more
    page.mouse.dblclick(100, 100)
    assert position(page, "Cirrhosis") == pytest.approx(start, abs=1)


FINGERS = """
(kinds) => {
    const svg = document.querySelector("svg");
    svg.setPointerCapture = () => {};  // these fingers are not real
    for (const [kind, pointerId, clientX, clientY] of kinds)
        svg.dispatchEvent(new PointerEvent(kind, { pointerId, clientX, clientY, bubbles: true }));
}
"""


def test_two_fingers_zoom_a_saved_page(shown, tmp_path):
    page = shown(saved(dc.load_network("hepar2").dag, tmp_path))
    start = position(page, "Cirrhosis")
    apart = [("pointermove", 1, 500, 400), ("pointermove", 2, 700, 400)]
    page.evaluate(FINGERS, [("pointerdown", 1, 550, 400), ("pointerdown", 2, 650, 400), *apart])
    wide = position(page, "Cirrhosis")
    assert wide[2] == pytest.approx(2 * start[2], rel=0.02)
    assert wide[0] - 600 == pytest.approx(2 * (start[0] - 600), abs=2)
    page.evaluate(FINGERS, [("pointerup", 2, 700, 400), ("pointermove", 1, 510, 380), ("pointercancel", 1, 510, 380)])
    moved = position(page, "Cirrhosis")
    assert moved == pytest.approx((wide[0] + 10, wide[1] - 20, wide[2]), abs=1)
    page.evaluate(FINGERS, [("pointermove", 1, 900, 500)])
    assert position(page, "Cirrhosis") == pytest.approx(moved)


def test_a_name_is_found_in_a_large_picture(shown, tmp_path):
    dag = dc.load_network("pathfinder").dag
    page, count = shown(saved(dag, tmp_path)), sum("F4" in name for name in dag.nodes)
    search = page.get_by_placeholder("Find a name")
    search.fill("F4")
    page.get_by_text(f"1 of {count}", exact=True).wait_for()  # F4 itself first
    box = page.locator("g.dcx-node", has_text="F4").filter(has=page.get_by_text("F4", exact=True)).first.bounding_box()
    assert 500 < box["x"] + box["width"] / 2 < 700
    assert box["width"] > 15
    search.press("Enter")
    page.get_by_text(f"2 of {count}", exact=True).wait_for()
    search.fill("nothing")
    page.get_by_text("0 of 0", exact=True).wait_for()


def test_in_a_notebook_the_wheel_scrolls_and_each_picture_moves_alone(shown):
    part = dc.load_network("hepar2").dag._repr_html_()
    page = shown(f"<!DOCTYPE html><meta charset='utf-8'>{part}{part}")
    second = page.locator("svg").nth(1)
    before = second.get_attribute("viewBox")
    start = position(page, "Cirrhosis")
    page.mouse.move(600, 300)
    page.mouse.wheel(0, 40)
    page.wait_for_function("window.scrollY > 0")
    assert position(page, "Cirrhosis")[2] == pytest.approx(start[2])
    page.keyboard.down("Control")
    page.mouse.wheel(0, -40)
    page.keyboard.up("Control")
    assert position(page, "Cirrhosis")[2] > 1.15 * start[2]
    assert second.get_attribute("viewBox") == before


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_titles_have_the_colour_of_the_page(shown, scheme, tmp_path):
    plan = dc.localize(dc.load_network("asia")).explain("lung", {"smoke": "yes"})
    page = shown(saved(plan, tmp_path), color_scheme=scheme)
    colour = page.locator("svg > text").first.evaluate("text => getComputedStyle(text).fill")
    assert colour == ("rgb(0, 0, 0)" if scheme == "light" else "rgb(255, 255, 255)")


@pytest.mark.parametrize("font", ["Helvetica", "DejaVu Sans", "monospace", "serif"])
def test_text_stays_in_its_box_in_any_font(shown, font):
    tree = dc.decompose(dc.load_network("alarm"))._repr_html_()
    page = shown(f"<!DOCTYPE html><meta charset='utf-8'><style>svg text {{ font-family: {font} }}</style>{tree}")
    outside = page.evaluate(
        """() => [...document.querySelectorAll("g.dcx-cluster text, g.dcx-separator text")].filter(text => {
            const own = text.getBBox(), box = text.parentElement.querySelector("rect").getBBox();
            return own.x < box.x || own.x + own.width > box.x + box.width;
        }).map(text => text.textContent)"""
    )
    assert outside == []
