"""What a person asks with the explorer: its history, cards, comparisons, interventions, what-if questions, files."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import numpy as np
import pytest
from explorer.questions import exploring
from explorer.serving import served

import dconvex as dc

pytestmark = pytest.mark.browser

DROP = """
([name, text]) => {
    const data = new DataTransfer();
    data.items.add(new File([text], name));
    for (const kind of ["dragover", "drop"])
        document.body.dispatchEvent(new DragEvent(kind, { dataTransfer: data, bubbles: true, cancelable: true }));
}
"""


@pytest.fixture
def asia(open_page):
    return open_page("asia")


def notice(screen, text):
    screen.page.locator("#notice", has_text=text).wait_for(state="attached")  # it fades soon


def test_the_question_is_in_the_address(open_page):
    screen = open_page("asia", address="#ask=lung&see=xray:yes&soft=dysp:0.9,0.1&do=smoke:no&see=nothing:yes&ask=nobody")
    question = "P(lung | xray = yes, dysp (soft), do(smoke = no))"
    screen.is_answering(question)
    model = screen.model.do({"smoke": "no"})
    expected = model.query("lung", {"xray": "yes"}, soft={"dysp": {"yes": 0.9, "no": 0.1}}).values
    assert screen.posterior("lung") == pytest.approx(expected, rel=1e-12)
    screen.page.locator('.chip[data-variable="xray"] .remove').click()
    screen.is_answering("P(lung | dysp (soft), do(smoke = no))")
    screen.page.reload()
    screen.is_answering("P(lung | dysp (soft), do(smoke = no))")
    assert "xray" not in screen.page.url


def test_an_address_that_someone_has_typed(open_page):
    pinned = "with=see%3Dtub:yes%26see%3Deither:no"
    screen = open_page(
        "asia", address=f"#ask=lung&ask=lung&see=bronc:no&do=bronc:yes&{pinned}&soft=xray:1&see=:&table=dysp:x&%%"
    )
    screen.is_answering("P(lung | do(bronc = yes))")
    assert screen.posterior("lung") == pytest.approx(screen.model.query("lung").values, rel=1e-12)
    screen.page.locator("#joint", has_text="The pinned case has no answer").wait_for()
    screen.page.locator("#pin").click()
    screen.page.locator("#joint", has_text="The pinned case").wait_for(state="detached")


def test_back_undo_and_redo(asia):
    page = asia.page
    asia.ask("lung")
    asia.observe("smoke", "yes")
    asia.is_answering("P(lung | smoke = yes)")
    page.keyboard.press("Control+z")
    asia.is_answering("P(lung)")
    page.keyboard.press("Control+Shift+z")
    asia.is_answering("P(lung | smoke = yes)")
    page.go_back()
    asia.is_answering("P(lung)")
    page.locator("#redo").click()
    asia.is_answering("P(lung | smoke = yes)")
    page.locator("#undo").click()
    asia.is_answering("P(lung)")
    page.locator("#undo").click()
    asia.is_answering("P(each variable)")
    assert page.locator("#undo").is_disabled()
    asia.observe("smoke", "no")
    asia.is_answering("P(each variable | smoke = no)")
    assert page.locator("#redo").is_disabled()
    page.locator("#search").fill("x")
    page.keyboard.press("Control+z")  # belongs to what is typed
    assert page.locator("#question").inner_text() == "P(each variable | smoke = no)"


def test_copying_is_confirmed(open_page):
    screen = open_page("asia", permissions=["clipboard-read", "clipboard-write"])
    screen.ask("lung")
    screen.is_answering("P(lung)")
    screen.page.locator("#share").click()
    notice(screen, "Link copied")
    assert screen.page.evaluate("() => navigator.clipboard.readText()") == screen.page.url
    screen.tab("plan")
    screen.page.locator('[data-export="copy"]').click()
    notice(screen, "Python copied")
    assert "model.query(['lung'])" in screen.page.evaluate("() => navigator.clipboard.readText()")


def test_the_card_of_a_variable(open_page):
    screen = open_page("pathfinder", address="#ask=Fault")
    screen.is_answering("P(Fault)")
    card, model = screen.card("Fault"), screen.model
    shown = """card => [...card.querySelectorAll('.state-row')].sort((one, other) => one.style.order - other.style.order)
        .map(row => [row.querySelector('.label').innerText, Number(row.querySelector('.number').dataset.value)])"""
    values = [value for _, value in card.evaluate(shown)]
    assert values == sorted(values, reverse=True)
    assert sorted(values) == pytest.approx(sorted(model.query("Fault").values), rel=1e-9)
    card.locator(".sort").click()
    assert [name for name, _ in card.evaluate(shown)] == list(model.states["Fault"])
    card.locator("details.neighbours summary").click()
    children = card.locator("[data-neighbour]")
    assert set(children.evaluate_all("all => all.map(each => each.dataset.neighbour)")) == set(model.dag.children("Fault"))
    card.locator('[data-neighbour="F41"]').click()
    screen.is_answering("P(F41)")
    family = screen.card("F41").locator("details.family")
    family.locator("summary").click()
    family.locator("td").first.wait_for()
    table = model.network().family("F41")
    assert family.locator("tbody tr").count() == table.values[..., 0].size
    first = family.locator("tbody tr").first.locator("td")
    assert [float(cell.get_attribute("title")) for cell in first.all()] == table.values.reshape(-1, table.values.shape[-1])[
        0
    ].tolist()


def test_what_if_a_probability_were_another(asia):
    model, page = asia.model, asia.page
    asia.ask("lung")
    asia.is_answering("P(lung)")
    family = asia.card("lung").locator("details.family")
    family.locator("summary").click()
    family.locator('[data-cell="0:0"]').click()
    family.get_by_label("new number").fill("1.5")
    page.keyboard.press("Enter")
    family.locator(".refusal", has_text="a number from 0 to 1").wait_for()
    family.locator('[data-cell="0:0"]').click()
    family.get_by_label("new number").fill("0.75")
    page.keyboard.press("Enter")
    family.locator("tr.rewritten").wait_for()
    network = model.network()
    tables = {name: np.array(network.family(name).values) for name in network.dag.nodes}
    tables["lung"][0] = [0.75, 0.25]
    changed = dc.localize(dc.BayesianNetwork.discrete(network.dag, tables, network.states))
    page.locator(".chip.rewritten").wait_for()
    page.wait_for_function(
        "value => Math.abs(document.querySelector('.variable .number').dataset.value - value) < 1e-12",
        arg=changed.query("lung")["yes"],
    )
    assert page.locator('#network .node[data-variable="lung"].rewritten').count() == 1
    with page.expect_download() as download:
        family.locator('[data-act="network"]').click()
    path = Path(download.value.path()).rename(Path(download.value.path()).with_suffix(".bif"))
    assert dc.read(path).family("lung").values[0].tolist() == [0.75, 0.25]
    family.locator('[data-act="restore"]').click()
    page.locator(".chip.rewritten").wait_for(state="detached")


def test_what_moved_most_and_a_pinned_case(asia):
    model, page = asia.model, asia.page
    asia.observe("xray", "yes")
    moved = asia.tab("moved")
    moved.locator("li").first.wait_for()
    before, now = model.marginals(), model.marginals({"xray": "yes"})
    distance = {name: abs(now[name].values - before[name].values).sum() / 2 for name in model.dag.nodes if name != "xray"}
    expected = [name for name in sorted(distance, key=lambda name: -distance[name]) if distance[name] > 5e-7]
    assert moved.locator("li").evaluate_all("all => all.map(each => each.dataset.variable)") == expected
    page.locator("#pin").click()
    moved.get_by_text("Nothing to compare yet").wait_for()
    moved.get_by_text("Compared with the pinned case: xray = yes.").wait_for()
    asia.ask("lung")
    asia.observe("smoke", "no")
    asia.is_answering("P(lung | xray = yes, smoke = no)")
    sides = asia.tab("moved").locator("table.sides")
    sides.wait_for()
    cells = [row.locator("td").all_inner_texts() for row in sides.locator("tbody tr").all()]
    pair = (model.query("lung", {"xray": "yes"})["yes"], model.query("lung", {"xray": "yes", "smoke": "no"})["yes"])
    assert cells[0] == ["yes", *(f"{100 * each:.1f} %" for each in pair)]
    page.reload()
    asia.is_ready()
    assert page.locator("#pin").get_attribute("aria-pressed") == "true"
    page.locator("#pin").click()
    assert asia.tab("moved").get_by_text("before any evidence").is_visible()


def test_interventions_by_mouse_card_and_keyboard(asia):
    model, page = asia.model, asia.page
    asia.ask("bronc")
    asia.observe("lung", "yes", "Alt")
    asia.is_answering("P(bronc | do(lung = yes))")
    assert asia.posterior("bronc") == pytest.approx(model.query("bronc").values, rel=1e-12)
    assert asia.marked("node", "set") == {"lung"}
    asia.observe("lung", "yes")
    asia.is_answering("P(bronc | lung = yes)")
    assert asia.posterior("bronc") == pytest.approx(model.query("bronc", {"lung": "yes"}).values, rel=1e-12)
    asia.node("smoke").focus()
    page.keyboard.press("Alt+2")
    asia.is_answering("P(bronc | lung = yes, do(smoke = no))")
    page.keyboard.press("Backspace")
    asia.is_answering("P(bronc | lung = yes)")
    asia.card("bronc").get_by_label("set to no").click()
    asia.is_answering("P(bronc | lung = yes, do(bronc = no))")


def test_numbers_out_of_range_say_so(open_page):
    screen = open_page("ecoli70", address="#ask=lacA")
    screen.is_answering("p(lacA)")
    box = screen.card("lacA").get_by_label("observe lacA at", exact=True)
    for wrong in ("1e400", "three"):
        box.fill(wrong)
        box.press("Tab")
        screen.card("lacA").locator(".refusal", has_text=wrong).wait_for()
    assert screen.page.locator("#question").inner_text() == "p(lacA)"
    box.fill("1,5")
    box.press("Tab")
    screen.is_answering("p(lacA | lacA = 1.5)")
    screen.page.goto(screen.page.url.split("#")[0] + "#ask=lacA&ask=aceB&see=aceB:2")
    screen.is_answering("p(lacA, aceB | aceB = 2)")
    rows = [row.locator("td").all_inner_texts() for row in screen.page.locator("#joint tbody tr").all()]
    assert rows == [["lacA", "1.000", "–"], ["aceB", "–", "–"]]


def test_a_negative_likelihood_says_so(asia):
    asia.ask("xray")
    asia.is_answering("P(xray)")
    card = asia.card("xray")
    card.locator("details.soft summary").click()
    box = card.get_by_label("likelihood of yes, exactly")
    for wrong in ("-1", "1e400"):
        box.fill(wrong)
        box.press("Tab")
        card.locator(".refusal", has_text=f"{wrong} is no likelihood").wait_for()
    assert asia.page.locator(".chip").count() == 0


def test_files_are_right_with_impossible_evidence(open_page):
    screen = open_page("asia", address="#ask=lung&see=tub:yes&see=either:no")
    screen.page.locator("#message", has_text="cannot happen together").wait_for()
    assert "evidence = {'tub': 'yes', 'either': 'no'}" in screen.exported("script")
    assert "P(lung | tub = yes, either = no)" in screen.exported("picture")
    with screen.page.expect_download() as download:
        screen.page.locator('[data-export="pixels"]').click()
    assert Path(download.value.path()).read_bytes().startswith(b"\x89PNG")
    screen.page.locator("#message .remove").click()
    screen.page.locator('[data-export="table"]').click()
    screen.page.locator("#message", has_text="cannot happen together").wait_for()  # and no empty file


def test_a_dropped_row_becomes_evidence(asia):
    asia.page.evaluate(DROP, ["case.csv", "smoke,xray,patient\nyes,no,7\n"])
    asia.is_answering("P(each variable | smoke = yes, xray = no)")
    notice(asia, "2 observations taken")
    asia.page.locator("#message", has_text="patient").wait_for()
    table = {
        (row["variable"], row["state"]): float(row["probability"])
        for row in csv.DictReader(io.StringIO(asia.exported("table")))
    }
    assert table["lung", "yes"] == asia.model.marginals({"smoke": "yes", "xray": "no"})["lung"]["yes"]
    asia.page.evaluate(DROP, ["cases.csv", "smoke,xray\nyes,no\nno,yes\n"])
    asia.page.get_by_text("case 1 of 2").wait_for()
    asia.page.get_by_label("next case").click()
    asia.is_answering("P(each variable | smoke = no, xray = yes)")
    assert asia.page.get_by_label("next case").is_disabled()


def test_the_start_page(chromium, tmp_path):
    dc.write(dc.load_network("cancer"), tmp_path / "mine.bif")
    with served(None) as url:
        context = chromium.new_context(viewport={"width": 1200, "height": 800})
        page = context.new_page()
        failures = []
        page.on("pageerror", lambda error: failures.append(str(error)))
        page.goto(url)
        page.locator("#networks li").first.wait_for()
        assert page.locator("#networks li").count() == len(dc.network_names())
        assert page.locator("#recent").is_hidden()
        page.locator("#filter").fill("asia")
        page.locator("#networks li:visible").click()
        page.locator("#question", has_text="P(each variable)").wait_for()
        page.locator("#home").click()
        page.locator('#recent a[href="network/asia/"]').wait_for()
        page.evaluate(DROP, ["case.csv", "smoke\nyes\n"])
        page.locator("#problem", has_text="open its network now").wait_for()
        page.locator("#recent a").click()
        page.locator("#question", has_text="P(each variable | smoke = yes)").wait_for()
        page.locator("#home").click()
        page.locator("#networks li").first.wait_for()
        page.locator("#file").set_input_files(tmp_path / "mine.bif")
        page.locator("#title", has_text="mine.bif").wait_for()
        page.locator("#question", has_text="P(each variable)").wait_for()
        page.locator("#home").click()
        page.locator("#networks li").first.wait_for()
        page.evaluate(DROP, ["broken.bif", "network {"])
        page.locator("#problem", has_text="broken.bif").wait_for()
        context.close()
    assert failures == []


def test_several_without_shift_and_what_is_asked_for_is_in_sight(open_page):
    screen = open_page("alarm", fit=False, address="#ask=BP", viewport={"width": 1200, "height": 700})
    screen.is_answering("P(BP)")
    in_sight = """() => {
        const node = document.querySelector('.node.target')?.getBoundingClientRect();
        const stage = document.querySelector('#network .stage').getBoundingClientRect();
        return node && node.top >= stage.top && node.bottom <= stage.bottom && node.left >= stage.left;
    }"""
    screen.page.wait_for_function(in_sight)
    screen.page.locator("#several").click()
    screen.card("BP").locator('[data-neighbour="CO"]').click()
    screen.is_answering("P(BP, CO)")


def test_everything_with_the_keyboard(asia):
    page = asia.page
    asia.ask("lung")
    asia.is_answering("P(lung)")
    page.locator('[data-tab="answer"]').focus()
    page.keyboard.press("ArrowRight")
    assert page.locator("#tab-moved").is_visible()
    page.keyboard.press("ArrowLeft")
    asia.card("lung").locator(".state").first.focus()
    page.keyboard.press("Enter")
    asia.is_answering("P(lung | lung = yes)")
    reachable = page.evaluate(
        """() => [...document.querySelectorAll('button, [role=button], input, a, summary, [role=separator]')]
        .filter(each => each.checkVisibility() && each.tabIndex < 0 && !each.closest('.content, .tabs')).length"""
    )
    assert reachable == 0


def test_a_learned_model(chromium):
    from browser.screen import Screen

    from dconvex.explorer.explorer import Explorer

    network = dc.load_network("asia")
    model = dc.fit(network, network.sample(3_000, seed=4), prior=dc.BDeu(1))
    with served(Explorer(model, "learned", "model")) as url:
        context = chromium.new_context(viewport={"width": 1750, "height": 950})
        screen = Screen(context.new_page(), model)
        screen.open(url, "#ask=lung&see=smoke:yes")
        screen.is_answering("P(lung | smoke = yes)")
        assert screen.posterior("lung") == pytest.approx(model.query("lung", {"smoke": "yes"}).values, rel=1e-12)
        assert "learned on their own" in screen.page.locator("#facts").inner_text()
        context.close()
    assert screen.failures == []
    assert exploring("asia").model.coherent


def test_what_to_observe_next_and_why(open_page):
    screen = open_page("asia", address="#ask=lung&see=smoke:no&see=dysp:yes")
    screen.is_answering("P(lung | smoke = no, dysp = yes)")
    model, given = screen.model, {"smoke": "no", "dysp": "yes"}
    rows = screen.tab("next").locator("#next li")
    rows.first.wait_for()
    expected = [row.variable for row in model.most_informative("lung", given) if row.gain > 1e-9]
    assert rows.evaluate_all("all => all.map(each => each.dataset.variable)") == expected
    why = screen.tab("why")
    why.locator("#influences tbody tr").first.wait_for()
    findings = [row.locator("td").first.inner_text() for row in why.locator("#influences tbody tr").all()]
    assert findings == [row.title for row in model.influences("lung", given)]
    screen.page.locator("#conflict").get_by_text("times").wait_for()
    screen.page.locator('.chip[data-variable="smoke"] .remove').click()
    screen.is_answering("P(lung | dysp = yes)")
    why.locator("#treatment").select_option(label="smoke")
    why.locator("#effect tbody tr").first.wait_for()
    cells = [row.locator("td").all_inner_texts() for row in why.locator("#effect tbody tr").all()]
    effect = model.effect("smoke", "lung", {"dysp": "yes"})
    assert cells == [[row.value, f"{100 * row.doing['no']:.1f} %", f"{100 * row.seeing['no']:.1f} %"] for row in effect]
    screen.tab("next").locator('li[data-variable="xray"] [data-observe="yes"]').click()
    screen.is_answering("P(lung | dysp = yes, xray = yes)")


def test_how_sure_an_answer_is(open_page):
    screen = open_page("asia", address="#ask=lung&see=smoke:yes&see=xray:yes")
    screen.tab("why")
    expected = screen.model.sensitivity("lung", "yes", {"smoke": "yes", "xray": "yes"})
    rows = screen.page.locator("#tornado li")
    rows.first.wait_for()
    assert [row.get_attribute("data-parameter") for row in rows.all()] == [row.title for row in expected]
    assert screen.page.locator("#tornado").get_by_text(f"P(lung = yes) is {100 * expected.probability:.1f} %").is_visible()

    def reached(row, kind):
        """The ends of a bar as shares of the track; all tracks go from 0 to 1 here."""
        track, bar = row.locator(".track").bounding_box(), row.locator(f".{kind}").bounding_box()
        return [(bar["x"] - track["x"] + wide) / track["width"] for wide in (0.0, bar["width"])]

    for found, row in zip(rows.all()[:8], expected, strict=False):
        lower, higher = row.at(max(row.value - 0.1, 0.0)), row.at(min(row.value + 0.1, 1.0))
        assert reached(found, "higher") == pytest.approx(sorted((expected.probability, higher)), abs=0.02)
        assert reached(found, "lower") == pytest.approx(sorted((expected.probability, lower)), abs=0.02)
    first = expected.rows[0]
    assert rows.first.inner_text().endswith(f"lung = yes stays most probable up to {first.admissible[1]:.4g}")
    screen.page.locator("#judged").select_option("P(lung = no)")
    screen.page.locator("#tornado", has_text=f"P(lung = no) is {100 * (1 - expected.probability):.1f} %").wait_for()
    rows.first.get_by_role("button").click()  # shows the variable; the question stays
    screen.is_answering("P(lung | smoke = yes, xray = yes)")
    screen.search("bronc")
    screen.is_answering("P(bronc | smoke = yes, xray = yes)")
    screen.tab("why")
    screen.page.locator("#tornado", has_text="P(bronc = yes) is 60.0 %").wait_for()


def test_numbers_have_no_tornado(open_page):
    screen = open_page("ecoli70", address="#ask=lacA")
    screen.tab("why")
    screen.page.locator("#tornado", has_text="This is about probabilities of states").wait_for()
    assert screen.page.locator("#judged").is_hidden()
