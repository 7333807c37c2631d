"""The explorer from end to end: what is clicked, typed and shown in a real browser, against what the library computes."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from typing import Any
from xml.etree import ElementTree

import pytest
from explorer.questions import exploring
from explorer.serving import served

import dconvex as dc

pytestmark = pytest.mark.browser

EVIDENCE = {"BP": "LOW", "CVP": "HIGH"}


@pytest.fixture
def alarm(open_page):
    return open_page("alarm")


@pytest.fixture
def asia(open_page):
    return open_page("asia")


def asked_on(screen) -> dc.LocalModel:
    """Ask alarm for HR given EVIDENCE."""
    screen.ask("HR")
    for name, state in EVIDENCE.items():
        screen.observe(name, state)
    screen.is_answering("P(HR | BP = LOW, CVP = HIGH)")
    return screen.model


def executed(script: str) -> Any:
    found: dict[str, Any] = {}
    exec(script, found)
    return found["answer"]


def table(text: str) -> Iterator[dict[str, str]]:
    return csv.DictReader(io.StringIO(text, newline=""))


def test_evidence_moves_the_posterior_to_what_the_library_computes(alarm):
    model = asked_on(alarm)
    assert alarm.posterior("HR") == pytest.approx(model.query("HR", EVIDENCE).values, rel=1e-12)
    assert alarm.card("HR").locator(".number").first.text_content() == f"{model.query('HR', EVIDENCE)['LOW']:.6f}"
    for name, answer in model.marginals(EVIDENCE).items():
        assert alarm.bars(name) == pytest.approx(answer.values, abs=1e-9)
    alarm.observe("CVP", "HIGH")
    alarm.is_answering("P(HR | BP = LOW)")
    assert alarm.posterior("HR") == pytest.approx(model.query("HR", {"BP": "LOW"}).values, rel=1e-12)


def test_what_answers_is_lit_and_the_rest_keeps_its_colour(alarm):
    assert not alarm.marked("cluster", "lit")
    assert not alarm.marked("node", "lit")
    plan = asked_on(alarm).explain("HR", EVIDENCE)
    assert alarm.marked("cluster", "lit") == set(map(str, plan.kept))
    assert alarm.marked("node", "lit") == set(plan.variables_kept)
    assert alarm.marked("node", "target") == {"HR"}
    assert alarm.marked("node", "observed") == set(EVIDENCE)
    fill = "node => [...node.querySelectorAll('.bar, text.number')].map(each => getComputedStyle(each).fill).join()"
    lit, other = (plan.variables_kept[0], next(iter(set(alarm.model.dag.nodes) - set(plan.variables_kept))))
    kinds = [set(alarm.node(name).evaluate(fill).split(", ")) for name in (lit, other)]
    assert len(kinds[0] & kinds[1]) > 0
    said = alarm.tab("plan").inner_text()
    assert f"{len(plan.kept)} of {len(plan.tree)} clusters answered" in said
    assert f"{plan.multiplications:,}" in said
    assert re.search(r"time\s+[\d.]+ m?s", said)


def test_impossible_evidence_is_told_and_leaves_the_page_usable(asia):
    asia.ask("lung")
    asia.observe("either", "no")
    asia.observe("tub", "yes")
    message = asia.page.locator("#message")
    message.wait_for()
    assert "cannot happen together" in message.inner_text()
    assert asia.marked("node", "conflict") == {"either", "tub"}
    assert {number.inner_text() for number in asia.card("lung").locator(".number").all()} == {"–"}
    message.locator('[data-forget="tub"]').click()
    asia.is_answering("P(lung | either = no)")
    assert message.is_hidden()
    assert not asia.marked("node", "conflict")
    assert asia.posterior("lung") == pytest.approx(asia.model.query("lung", {"either": "no"}).values, abs=1e-15)
    asia.page.locator("#forget-all").click()
    asia.is_answering("P(lung)")
    assert asia.posterior("lung") == pytest.approx(asia.model.query("lung").values, rel=1e-12)


def test_several_variables_together(alarm):
    alarm.ask("HR")
    alarm.ask("CO", "Shift")
    alarm.is_answering("P(HR, CO)")
    expected = alarm.model.query(["HR", "CO"])
    rows = [row.locator("td").all_inner_texts() for row in alarm.page.locator("#joint tbody tr").all()]
    assert {(one, other): float(number) for one, other, number in rows} == {
        (one, other): pytest.approx(expected[one, other], abs=5e-7)
        for one in expected.labels[0]
        for other in expected.labels[1]
    }
    alarm.ask("BP")
    alarm.is_answering("P(BP)")
    alarm.ask("BP")
    alarm.is_answering("P(each variable)")


def test_one_of_several_states(alarm):
    alarm.ask("HR")
    alarm.observe("BP", "LOW")
    alarm.observe("BP", "NORMAL", "Shift")
    alarm.is_answering("P(HR | BP ∈ {LOW, NORMAL})")
    assert alarm.posterior("HR") == pytest.approx(alarm.model.query("HR", {"BP": {"LOW", "NORMAL"}}).values, rel=1e-12)


def test_soft_evidence(alarm):
    alarm.ask("BP")
    card = alarm.card("BP")
    card.locator("details.soft summary").click()
    for state, likelihood in {"LOW": "0.7", "NORMAL": "0.25", "HIGH": "0"}.items():
        box = card.get_by_label(f"likelihood of {state}, exactly")
        box.fill(likelihood)
        box.press("Tab")
    alarm.ask("HR")
    alarm.is_answering("P(HR | BP (soft))")
    soft = {"BP": {"LOW": 0.7, "NORMAL": 0.25}}
    assert alarm.posterior("HR") == pytest.approx(alarm.model.query("HR", soft=soft).values, rel=1e-12)
    assert alarm.marked("node", "soft") == {"BP"}


def test_a_slider_moves_the_posterior_while_it_is_dragged(alarm):
    alarm.ask("BP")
    alarm.card("BP").locator("details.soft summary").click()
    slider = alarm.card("BP").get_by_label("likelihood of LOW", exact=True)
    slider.focus()
    for _ in range(20):
        slider.press("ArrowLeft")
    alarm.is_answering("P(BP | BP (soft))")
    alarm.page.locator(".chip", has_text="LOW 0.8,").wait_for()
    expected = alarm.model.query("BP", soft={"BP": {"LOW": 0.8, "NORMAL": 1, "HIGH": 1}}).values
    alarm.page.wait_for_function(
        "value => Math.abs(document.querySelector('.variable [data-value]').dataset.value - value) < 1e-12",
        arg=float(expected[0]),
    )  # the bar on top follows at once, the answer a moment later
    assert alarm.posterior("BP") == pytest.approx(expected, rel=1e-12)


def test_the_most_probable_states(alarm):
    model = asked_on(alarm)
    alarm.ask("HR")
    alarm.is_answering("P(each variable | BP = LOW, CVP = HIGH)")
    alarm.page.locator("#most-probable").click()
    alarm.page.locator("#best table").wait_for()
    states, height = model.most_probable(None, EVIDENCE)
    rows = [row.locator("td").all_inner_texts() for row in alarm.page.locator("#best tbody tr").all()]
    assert dict(map(tuple, rows)) == states
    assert f"logarithm {float(f'{height:.4g}'):g}" in alarm.page.locator("#best").inner_text()
    for name, state in states.items():
        assert alarm.node(name).locator(".state.best").get_attribute("data-state") == state
    assert executed(alarm.exported("script")) == (states, height)
    assert {row["variable"]: row["state"] for row in table(alarm.exported("table"))} == states


def test_search_finds_asks_and_shows(alarm):
    box = alarm.page.locator("#search")
    alarm.page.keyboard.press("/")
    box.press_sequentially("cat")
    assert alarm.page.locator("#matches li").all_inner_texts() == ["CATECHOL"]
    box.press("Enter")
    alarm.is_answering("P(CATECHOL)")
    box.fill("vent")
    assert alarm.page.locator("#matches li").all_inner_texts() == ["VENTALV", "VENTLUNG", "VENTMACH", "VENTTUBE"]
    box.press("ArrowDown")
    box.press("Enter")
    alarm.is_answering("P(VENTLUNG)")
    box.fill("no such thing")
    assert alarm.page.locator("#matches").inner_text() == "no such variable"
    box.press("Escape")
    assert alarm.page.locator("#matches").is_hidden()


def test_exports_say_what_the_page_shows(alarm):
    model = asked_on(alarm)
    expected = model.query("HR", EVIDENCE)
    script = alarm.exported("script")
    assert script == alarm.page.locator("#python").text_content()
    assert executed(script).values.tolist() == expected.values.tolist()
    assert {row["HR"]: float(row["probability"]) for row in table(alarm.exported("table"))} == {
        state: expected[state] for state in expected.labels[0]
    }
    picture = ElementTree.fromstring(alarm.exported("picture"))
    texts = {element.text for element in picture.iter("{http://www.w3.org/2000/svg}text")}
    assert {"P(HR | BP = LOW, CVP = HIGH)", *model.dag.nodes, f"{100 * expected['HIGH']:.1f} %"} <= texts


def test_an_exported_picture_looks_the_same_without_the_page(alarm, open_page):
    asked_on(alarm)
    bare = open_page("asia").page
    bare.set_content(f"<body>{alarm.exported('picture')}</body>")
    colour = "element => getComputedStyle(element).fill"
    for variable in ("HR", "MINVOLSET"):
        here = alarm.node(variable).locator("rect.frame").evaluate(colour)
        assert bare.locator(f'[data-variable="{variable}"] > rect').first.evaluate(colour) == here


def test_a_gaussian_network(open_page):
    screen = open_page("ecoli70")
    screen.search("aceB")
    screen.is_answering("p(aceB)")
    box = screen.card("aceB").get_by_label("observe aceB at", exact=True)
    box.fill("1.5")
    box.press("Tab")
    screen.is_answering("p(aceB | aceB = 1.5)")
    screen.search("lacA")
    screen.is_answering("p(lacA | aceB = 1.5)")
    answer = screen.model.query("lacA", {"aceB": 1.5})
    assert screen.posterior("lacA") == pytest.approx([answer.mean[0], answer.standard_deviations[0]], rel=1e-12)
    assert (
        f"{answer.mean[0]:.4g} ± {answer.standard_deviations[0]:.4g}" == screen.node("lacA").locator(".number").text_content()
    )
    assert executed(screen.exported("script")).mean == pytest.approx(answer.mean)
    screen.tab("answer")
    screen.card("lacA").get_by_label("observe lacA at", exact=True).fill("2")
    screen.card("lacA").get_by_label("observe lacA at", exact=True).press("Tab")
    screen.is_answering("p(lacA | aceB = 1.5, lacA = 2)")
    screen.page.locator('.chip[data-variable="aceB"] .remove').click()
    screen.is_answering("p(lacA | lacA = 2)")


def test_munin_starts_folded_and_stays_quick(open_page):
    screen = open_page("munin")
    page, model = screen.page, screen.model
    assert page.locator(".node").count() == 0
    assert page.locator(".cluster").count() == len(model.tree)
    assert "1,041 variables" in page.locator("#network .empty").inner_text()
    name = "R_MEDD2_ALLAMP_WD"
    screen.search(name)
    screen.is_answering(f"P({name})")
    screen.node(name).locator(".bar").first.wait_for()
    assert sorted(screen.posterior(name)) == pytest.approx(sorted(model.query(name).values), rel=1e-9)
    assert screen.marked("cluster", "lit") == set(map(str, model.explain(name).kept))
    assert {name, *model.dag.parents(name), *model.dag.children(name)} <= {
        str(node.get_attribute("data-variable")) for node in page.locator(".node").all()
    }
    screen.card(name).locator(f'.state[data-state="{model.states[name][0]}"]').click()
    parent = model.dag.parents(name)[0]
    screen.ask(parent)
    screen.is_answering(f"P({parent} | {name} = {model.states[name][0]})")
    assert screen.posterior(parent) == pytest.approx(model.query(parent, {name: model.states[name][0]}).values, rel=1e-9)


def test_munin_unfolds_by_cluster_and_as_a_whole(open_page):
    screen = open_page("munin")
    page, model = screen.page, screen.model
    cluster = max(
        range(len(model.tree)), key=lambda index: (len(model.tree.clusters[index]) <= 20, len(model.tree.clusters[index]))
    )
    page.locator(f'.cluster[data-cluster="{cluster}"]').focus()
    page.keyboard.press("Enter")
    page.locator(".node").first.wait_for()
    shown = {str(node.get_attribute("data-variable")) for node in page.locator(".node").all()}
    assert shown == set(model.tree.clusters[cluster])
    page.locator("#fold").click()
    page.locator(".node").nth(len(model) - 1).wait_for(state="attached")
    assert page.locator(".node").count() == len(model)
    assert page.locator(".node .body").count() <= 200  # those on screen; nobody could read the others
    screen.search("L_MEDD2_ALLAMP_WD")
    screen.is_answering("P(L_MEDD2_ALLAMP_WD)")
    screen.node("L_MEDD2_ALLAMP_WD").locator(".bar").first.wait_for()
    assert 0 < page.locator(".node .body").count() <= 200
    page.locator("#fold").click()
    page.locator("#network .note", has_text=re.compile(r"^\d\d? of 1,041 variables$")).wait_for()


def test_the_keyboard_alone(asia):
    page = asia.page
    asia.node("asia").focus()
    page.keyboard.press("ArrowDown")
    focused = page.locator(".node:focus").get_attribute("data-variable")
    assert focused in {"tub", "lung", "bronc", "smoke"}
    page.keyboard.press("Enter")
    asia.is_answering(f"P({focused})")
    asia.node("smoke").focus()
    page.keyboard.press("2")
    asia.is_answering(f"P({focused} | smoke = no)")
    assert asia.posterior(focused) == pytest.approx(asia.model.query(focused, {"smoke": "no"}).values, rel=1e-12)
    page.keyboard.press("Backspace")
    asia.is_answering(f"P({focused})")
    assert "yes" in (asia.node("smoke").get_attribute("aria-label") or "")


def test_zooming_and_panning(alarm):
    content = alarm.page.locator("#network .content")
    fitted = content.get_attribute("transform")
    box = alarm.page.locator("#network .screen").bounding_box()
    alarm.page.mouse.move(box["x"] + 20, box["y"] + 300)
    alarm.page.mouse.wheel(0, -300)
    zoomed = content.get_attribute("transform")
    assert zoomed != fitted
    alarm.page.mouse.down()
    alarm.page.mouse.move(box["x"] + 120, box["y"] + 350, steps=5)
    alarm.page.mouse.up()
    assert content.get_attribute("transform") != zoomed
    assert alarm.page.locator("#question").inner_text() == "P(each variable)"  # a drag is no click
    alarm.page.locator("#network").get_by_role("button", name="Fit").click()
    assert content.get_attribute("transform") == fitted


def test_hovering_points_out_where_a_variable_lives(alarm):
    alarm.node("HR").locator(".title").hover()
    holders = {str(index) for index, cluster in enumerate(alarm.model.tree.clusters) if "HR" in cluster}
    assert alarm.marked("cluster", "highlighted") == holders
    alarm.page.locator("#tree").get_by_role("button", name="Fit").click()
    alarm.page.locator('.cluster[data-cluster="0"]').hover()
    assert alarm.marked("node", "highlighted") == set(alarm.model.tree.clusters[0])


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_both_schemes_and_the_button_between_them(open_page, scheme):
    page = open_page("asia", color_scheme=scheme).page
    brightness = "() => Math.max(...getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number))"
    assert (page.evaluate(brightness) > 128) == (scheme == "light")
    page.locator("#scheme").click()
    assert (page.evaluate(brightness) > 128) == (scheme == "dark")


def test_a_narrow_screen_is_not_overrun(open_page):
    screen = open_page("alarm", viewport={"width": 420, "height": 800})
    assert screen.page.evaluate("() => document.documentElement.scrollWidth") <= 420
    screen.search("HR")
    screen.is_answering("P(HR)")


def test_names_are_text_and_never_markup(chromium):
    from browser.screen import Screen

    from dconvex.explorer.explorer import Explorer

    name, states = "<img src=x onerror=alert(1)>", ["<b>", "'\"&;"]
    network = dc.BayesianNetwork.discrete(
        [(name, 1)], {name: [0.25, 0.75], 1: [[0.5, 0.5], [0.1, 0.9]]}, {name: states, 1: [0, 1]}
    )
    model = dc.localize(network)
    with served(Explorer(model, "<script>", "model")) as url:
        context = chromium.new_context()
        screen = Screen(context.new_page(), model)
        screen.open(url)
        assert screen.page.locator("#title").inner_text() == "<script>"
        screen.search("<img")
        screen.is_answering(f"P({name})")
        assert screen.posterior(name) == [0.25, 0.75]
        assert screen.page.locator("img:not(#home img), b").count() == 0
        context.close()
    assert screen.failures == []


def test_when_the_server_has_ended_the_page_says_so(chromium):
    from browser.screen import Screen

    explorer = exploring("asia")
    context = chromium.new_context()
    with served(explorer) as url:
        screen = Screen(context.new_page(), explorer.model)
        screen.open(url)
    screen.search("lung")
    message = screen.page.locator("#message")
    message.wait_for()
    assert "the explorer has ended" in message.inner_text()
    context.close()
