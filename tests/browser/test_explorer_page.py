"""How the page looks and stays usable: readable text, nothing on top of anything else, panes that move, light and dark."""

from __future__ import annotations

import itertools

import pytest

pytestmark = pytest.mark.browser

SMALLEST_TEXT = """
() => [...document.querySelectorAll('.screen text')].filter(text => {
    const box = text.getBoundingClientRect(), stage = text.ownerSVGElement.getBoundingClientRect();
    return text.textContent && box.width && box.right > stage.left && box.left < stage.right && box.bottom > stage.top;
}).map(text => parseFloat(getComputedStyle(text).fontSize) * text.getScreenCTM().d).concat(
    [...document.querySelectorAll('body *')].filter(each => each.checkVisibility() && !each.closest('svg') && each.innerText)
    .map(each => parseFloat(getComputedStyle(each).fontSize)))
"""
BOXES = """
selectors => selectors.flatMap(selector => [...document.querySelectorAll(selector)]).filter(each => each.checkVisibility())
    .map(each => { const {left, top, right, bottom} = each.getBoundingClientRect(); return [left, top, right, bottom]; })
"""
CONTRAST = """
([inks, grounds]) => {
    const probe = document.body.appendChild(document.createElement('i'));
    const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
    const luminance = name => {
        probe.style.color = `var(--${name})`;
        canvas.fillStyle = getComputedStyle(probe).color;
        canvas.fillRect(0, 0, 1, 1);
        const [r, g, b] = [...canvas.getImageData(0, 0, 1, 1).data].map(each => each / 255)
            .map(each => each <= 0.04045 ? each / 12.92 : ((each + 0.055) / 1.055) ** 2.4);
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    return inks.flatMap(ink => grounds.map(ground => {
        const [dark, light] = [luminance(ink), luminance(ground)].sort((one, other) => one - other);
        return [ink, ground, (light + 0.05) / (dark + 0.05)];
    })).filter(([, , ratio]) => ratio < 4.5);
}
"""
FAINT_TEXT = """
() => {
    const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
    const rgba = colour => {
        canvas.clearRect(0, 0, 1, 1);
        canvas.fillStyle = colour;
        canvas.fillRect(0, 0, 1, 1);
        return [...canvas.getImageData(0, 0, 1, 1).data];
    };
    const luminance = channels => {
        const [r, g, b] = channels.slice(0, 3).map(each => each / 255)
            .map(each => each <= 0.04045 ? each / 12.92 : ((each + 0.055) / 1.055) ** 2.4);
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const ratio = (one, other) => {
        const [dark, light] = [luminance(rgba(one)), luminance(rgba(other))].sort((a, b) => a - b);
        return (light + 0.05) / (dark + 0.05);
    };
    const isSolid = colour => colour !== 'none' && rgba(colour)[3] > 200;
    const found = [];
    const check = (element, ink, ground) => {
        if (ground && ratio(ink, ground) < 4.5) found.push([element.textContent.slice(0, 40), ratio(ink, ground)]);
    };
    for (const element of document.querySelectorAll('body *')) {
        if (element.closest('svg') || !element.checkVisibility() || element.disabled) continue;
        if (![...element.childNodes].some(node => node.nodeType === 3 && node.textContent.trim())) continue;
        let below = element;
        while (!isSolid(getComputedStyle(below).backgroundColor)) below = below.parentElement;
        check(element, getComputedStyle(element).color, getComputedStyle(below).backgroundColor);
    }
    for (const text of document.querySelectorAll('.screen text')) {
        const own = text.getBoundingClientRect();
        const x = own.left + own.width / 2, y = own.top + own.height / 2;
        const fills = [...text.closest('.node, .cluster, .joint').querySelectorAll('rect, path')].filter(shape => {
            const box = shape.getBoundingClientRect();
            return box.left <= x && box.right >= x && box.top <= y && box.bottom >= y;
        }).map(shape => getComputedStyle(shape).fill);
        if (!fills.some(fill => fill.startsWith('url'))) check(text, getComputedStyle(text).fill, fills.filter(isSolid).at(-1));
    }
    return found;
}
"""


@pytest.mark.parametrize("source", ["asia", "alarm", "pathfinder", "ecoli70", "munin"])
def test_all_text_can_be_read_when_it_opens(open_page, source):
    screen = open_page(source, fit=False, viewport={"width": 1400, "height": 900})
    screen.answered()
    if source == "munin":
        screen.page.locator("#network .empty").get_by_role("button", name="DIFFN_PATHO").click()
        screen.is_answering("P(DIFFN_PATHO)")
        screen.node("DIFFN_PATHO").locator(".bar").first.wait_for()
    sizes = screen.page.evaluate(SMALLEST_TEXT)
    assert len(sizes) > 20
    assert min(sizes) >= 11
    if source == "pathfinder":
        assert screen.page.locator(".minimap:not([hidden])").count() >= 1


def test_contrast(open_page):
    page = open_page("asia").page
    grounds = ["ground", "surface", "raised"]
    filled = ["bar", "title", "moved", "gain", "observed-bar", "set-bar"]
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        assert page.evaluate(CONTRAST, [["ink", "faint", "target", "observed", "set", "alert", "best", "loss"], grounds]) == []
        assert page.evaluate(CONTRAST, [["ink"], filled]) == []
        assert page.evaluate(CONTRAST, [["alert"], ["alert-ground"]]) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_all_text_stands_out_from_what_is_below_it(open_page, scheme):
    question = "#ask=HR&see=BP:LOW&see=CVP:HIGH&do=SAO2:LOW&soft=PCWP:1,0.5,0.2&best=1"
    screen = open_page("alarm", address=question, color_scheme=scheme)
    screen.is_answering("P(HR | BP = LOW, CVP = HIGH, PCWP (soft), do(SAO2 = LOW))")
    screen.page.evaluate("() => document.querySelectorAll('.variable details').forEach(each => { each.open = true; })")
    screen.card("HR").locator(".heat td").first.wait_for()
    assert screen.page.evaluate(FAINT_TEXT) == []
    screen.tab("moved").locator("li").first.wait_for()
    assert screen.page.evaluate(FAINT_TEXT) == []
    screen.page.locator("#colours").click()
    assert screen.page.evaluate(FAINT_TEXT) == []


def test_nothing_lies_on_top_of_anything_else(open_page):
    page = open_page("munin", fit=False).page
    for width in (390, 721, 1101, 1200, 1450, 1700, 2500):
        page.set_viewport_size({"width": width, "height": 900})
        page.wait_for_function("width => innerWidth === width", arg=width)
        for selectors in (
            [".top > *", "#evidence > *", ".pane .head", ".stage", ".panel-head", ".tab"],
            [".pane .head > h2", ".pane .note", ".pane .tools > *"],
            [".tabs > button"],
        ):
            boxes = page.evaluate(BOXES, selectors)
            assert len(boxes) >= 5
            for one, other in itertools.combinations(boxes, 2):
                apart = one[2] <= other[0] + 1 or other[2] <= one[0] + 1 or one[3] <= other[1] + 1 or other[3] <= one[1] + 1
                assert apart or min(one[2] - one[0], other[2] - other[0]) <= 1, (width, one, other)
            assert max(box[2] for box in boxes) <= width + 1 or selectors == [".tabs > button"]
        assert page.evaluate("() => document.documentElement.scrollWidth") <= width


def test_the_tree_is_a_drawer_and_panes_can_be_resized(open_page):
    screen = open_page("alarm")
    page, tree, panel = screen.page, screen.page.locator("#tree"), screen.page.locator("#panel")
    page.locator("#drawer").click()
    tree.wait_for(state="hidden")
    page.reload()
    screen.is_ready()
    assert tree.is_hidden()
    page.locator("#drawer").click()
    tree.wait_for()
    tree.get_by_role("button", name="close the tree").click()
    tree.wait_for(state="hidden")
    before = panel.bounding_box()["width"]
    page.locator("#split-panel").focus()
    page.keyboard.press("ArrowLeft")
    wider = panel.bounding_box()["width"]
    assert wider > before + 10
    handle = page.locator("#split-panel").bounding_box()
    page.mouse.move(handle["x"] + 3, 500)
    page.mouse.down()
    page.mouse.move(handle["x"] + 3 - 80, 500, steps=4)
    page.mouse.up()
    assert panel.bounding_box()["width"] == pytest.approx(wider + 80, abs=3)
    page.reload()
    screen.is_ready()
    assert panel.bounding_box()["width"] == pytest.approx(wider + 80, abs=3)


def test_the_small_map_goes_where_it_is_clicked(open_page):
    screen = open_page("pathfinder", fit=False)
    content = screen.page.locator("#network .content")
    before = content.get_attribute("transform")
    box = screen.page.locator("#network .minimap").bounding_box()
    screen.page.mouse.click(box["x"] + 5, box["y"] + box["height"] - 5)
    assert content.get_attribute("transform") != before
    assert screen.page.locator("#question").inner_text() == "P(each variable)"


def test_colours_show_change_and_clusters_on_demand(open_page):
    screen = open_page("asia")
    fill = "node => getComputedStyle(node.querySelector('.title')).fill"
    plain = screen.node("lung").evaluate(fill)
    assert screen.node("smoke").evaluate(fill) == plain
    screen.observe("xray", "yes")
    screen.node("lung").locator(".state.gained").wait_for()
    assert screen.node("lung").evaluate(fill) != plain
    assert screen.node("asia").evaluate(fill) != screen.node("lung").evaluate(fill)
    screen.page.locator("#colours").click()
    assert screen.node("xray").evaluate(fill) != screen.node("smoke").evaluate(fill)
    assert screen.page.locator("#colours").get_attribute("aria-pressed") == "true"


def test_the_choice_of_light_or_dark_stays(open_page):
    screen = open_page("asia", color_scheme="light")
    scheme = "() => document.documentElement.style.colorScheme"
    screen.page.locator("#scheme").click()
    assert screen.page.evaluate(scheme) == "dark"
    screen.page.reload()
    screen.is_ready()
    assert screen.page.evaluate(scheme) == "dark"


def test_on_a_phone_the_answer_is_where_the_finger_is(open_page):
    screen = open_page("alarm", fit=False, viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    page = screen.page
    page.locator("#network").get_by_role("button", name="Fit").tap()
    page.locator("#search").fill("CATECHOL")
    page.locator("#search").press("Enter")
    screen.is_answering("P(CATECHOL)")
    page.locator('#panel[data-height="half"]').wait_for()
    answer = screen.card("CATECHOL").locator(".state").first
    answer.wait_for()
    page.wait_for_function(
        """() => {
            const card = document.querySelector('.variable .state').getBoundingClientRect();
            const node = document.querySelector('.node.target').getBoundingClientRect();
            const sheet = document.querySelector('#panel').getBoundingClientRect();
            return card.bottom <= innerHeight && node.top > 0 && node.top < sheet.top && sheet.height > 380;
        }"""
    )
    answer.tap()
    screen.is_answering("P(CATECHOL | CATECHOL = NORMAL)")
    page.locator('#evidence .chip[data-variable="CATECHOL"]').wait_for()
    page.locator("#sheet").tap()
    page.locator('#panel[data-height="full"]').wait_for()
    page.locator("#sheet").tap()
    page.locator('#panel[data-height="peek"]').wait_for()
