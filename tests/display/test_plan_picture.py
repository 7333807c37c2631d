"""The picture of a question says what its plan says."""

from __future__ import annotations

import itertools

import pytest
from display.elements import SVG, groups, root_of, texts, words

import dconvex as dc
from dconvex.display.drawing import PAGE, STRENGTH
from dconvex.display.plan_picture import NOT_REQUISITE, OBSERVED, SOFT, TARGET, UNUSED

QUESTIONS = [
    ("asia", "lung", {"smoke": "yes", "xray": "yes"}, None),
    ("asia", ["asia", "dysp"], {}, None),
    ("alarm", ["HR", "CO"], {"BP": "LOW", "FIO2": "LOW"}, None),
    ("alarm", "PRESS", {"MINVOL": "LOW"}, {"KINKEDTUBE": [0.5, 0.2]}),
    ("hepar2", ["age", "ESR"], {"sex": "male", "urea": "a50"}, None),
]


def plan_of(name, variables, evidence, soft):
    states = dc.load_network(name).states
    known = {variable: label if label in states[variable] else states[variable][0] for variable, label in evidence.items()}
    return dc.localize(dc.load_network(name)).explain(variables, known, soft=soft)


def marked(root, look):
    """Words on a ground of this look, in any cluster."""
    found = set()
    for group in groups(root, "cluster"):
        parts = list(group)
        for ground, text in itertools.pairwise(parts):
            is_mark = ground.tag == f"{SVG}rect" and (ground.get("fill"), ground.get("stroke", "none")) == (
                look.fill,
                look.line,
            )
            if is_mark and bool(ground.get("stroke-dasharray")) == look.is_dashed and text.tag == f"{SVG}text":
                found.add(text.text)
    return found


@pytest.mark.parametrize("question", QUESTIONS)
def test_the_clusters_that_answer_are_lit(question):
    plan = plan_of(*question)
    clusters = groups(root_of(plan._repr_html_()), "cluster")
    lit = [index for index, group in enumerate(clusters) if "dcx-lit" in group.get("class").split()]
    grey = [index for index, group in enumerate(clusters) if "dcx-grey" in group.get("class").split()]
    assert tuple(lit) == plan.kept
    assert tuple(grey) == plan.dropped
    assert [sorted(words(group)) for group in clusters] == [sorted(cluster) for cluster in plan.tree.clusters]
    for index in grey:
        assert next(clusters[index].iter(f"{SVG}rect")).get("fill") == "none"
        looks = {(text.get("fill"), text.get("fill-opacity")) for text in clusters[index].iter(f"{SVG}text")}
        assert looks == {(PAGE, str(STRENGTH))}


@pytest.mark.parametrize("question", QUESTIONS)
def test_what_is_asked_and_known_is_marked(question):
    plan = plan_of(*question)
    root = root_of(plan._repr_html_())
    kept = set().union(*(plan.tree.clusters[index] for index in plan.kept))
    assert marked(root, TARGET) == set(plan.variables)
    assert marked(root, OBSERVED) == set(plan.evidence) & set(plan.requisite) & kept
    assert marked(root, SOFT) == set(plan.likelihoods) & set(plan.requisite)
    assert marked(root, NOT_REQUISITE) == {*plan.evidence, *plan.likelihoods} - set(plan.requisite)


def test_variables_of_lit_clusters_that_play_no_part_are_faint():
    plan = plan_of("alarm", "PRESS", {"MINVOL": "LOW", "SAO2": "LOW"}, None)
    lit = groups(root_of(plan._repr_html_()), "lit")
    faint_texts = [text.text for group in lit for text in group.iter(f"{SVG}text") if text.get("fill") == UNUSED]
    faint = {word.strip(",") for text in faint_texts for word in text.split()}
    assert faint == {name for index in plan.kept for name in plan.tree.clusters[index]} - set(plan.variables_kept)


def test_the_caption_has_the_question_and_its_cost():
    plan = plan_of(*QUESTIONS[2])
    shown = texts(root_of(plan._repr_html_()))
    assert shown[0] == plan.question == "P(HR, CO | BP, FIO2)"
    assert f"{len(plan.kept)} of {len(plan.tree)} clusters answer" in shown[1]
    assert f"{plan.multiplications:,} multiplications" in shown[2]
    assert {"answers", "plays no part", "asked for", "observed"} <= set(shown)
    assert "likelihood" not in shown


def test_branches_of_a_large_tree_are_folded():
    chain = dc.random_network(dc.Dag([(node, node + 1) for node in range(900)]), seed=1)
    plan = dc.localize(chain).explain(400, {405: 0})
    root = root_of(plan._repr_html_())
    clusters = groups(root, "cluster")
    assert len(clusters) == len(groups(root, "lit")) == len(plan.kept)
    assert texts(root).count("+ 1 branch") == 2
    numbers = [int(group.findtext(f"{SVG}title").split(":")[0].removeprefix("cluster ")) for group in clusters]
    assert tuple(numbers) == plan.kept


def test_a_large_part_of_a_large_tree_is_summarised():
    chain = dc.random_network(dc.Dag([(node, node + 1) for node in range(900)]), seed=1)
    plan = dc.localize(chain).explain(0, {900: 0})
    root = root_of(plan._repr_html_())
    assert len(plan.kept) == 900
    assert not groups(root, "cluster")
    assert "900 of 900 clusters answer, with 901 variables" in texts(root)


def test_a_question_without_unknowns():
    network = dc.load_network("asia")
    plan = dc.localize(network).explain([], {})
    assert len(groups(root_of(plan._repr_html_()), "cluster")) == 4
