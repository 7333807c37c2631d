"""`dconvex advise`: the same answers as in Python, as tables, as JSON and as pictures."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

import dconvex as dc
from dconvex.cli.app import app

GIVEN = ["--given", "smoke=no", "--given", "xray=yes"]
EVIDENCE = {"smoke": "no", "xray": "yes"}


def output(*words: str) -> str:
    result = CliRunner().invoke(app, ["advise", *words], catch_exceptions=False, env={"COLUMNS": "160"})
    assert result.exit_code == 0, result.output
    return result.stdout


@pytest.fixture(scope="module")
def asia():
    return dc.localize(dc.load_network("asia"))


def test_all_three_parts(asia):
    text = output("asia", "lung", *GIVEN, "--state", "yes")
    parts = [
        asia.influences("lung", EVIDENCE, state="yes").text(10),
        asia.most_informative("lung", EVIDENCE).text(10),
        asia.sensitivity("lung", "yes", EVIDENCE).text(10),
    ]
    assert text == "\n\n".join(parts) + "\n"


def test_what_setting_a_variable_does(asia):
    text = output("asia", "lung", "--treatment", "bronc", "--only", "effect")
    assert text == f"{asia.effect('bronc', 'lung')}\nadjust for: {{smoke}}\n"
    assert output("asia", "lung", "--treatment", "bronc").endswith(f"\n\n{text}")
    assert output("asia", "dysp", "--treatment", "smoke", "--only", "effect").endswith("\nnothing has to be adjusted for\n")
    assert output("asia", "smoke", "--treatment", "lung", "--only", "effect").endswith(
        "\nno set of variables to adjust for is right\n"
    )
    record = json.loads(output("asia", "lung", "--treatment", "bronc", "--given", "dysp=yes", "--only", "effect", "--json"))
    assert record["effect"]["after"] == ["dysp"]
    doing = {(row["setting"], row["state"]): row["doing"] for row in record["effect"]["rows"]}
    assert doing["no", "yes"] == asia.effect("bronc", "lung", {"dysp": "yes"})[1].doing["yes"]


def test_the_plans_in_place_of_the_parts(asia):
    known = {"xray": "yes"}
    plans = [
        asia.influences("lung", known, explain=True),
        asia.most_informative("lung", known, explain=True),
        asia.sensitivity("lung", "yes", known, explain=True),
        asia.effect("bronc", "lung", known, explain=True),
    ]
    words = ["asia", "lung", "--given", "xray=yes", "--treatment", "bronc", "--explain"]
    assert output(*words) == "\n\n".join(map(str, plans)) + "\n"
    record = json.loads(output(*words, "--json"))
    assert [record[part]["peak_bytes"] for part in ("influences", "next", "sensitivity", "effect")] == [
        plan.peak_bytes for plan in plans
    ]
    assert record["next"]["steps"][0] == {"what": "the target", "times": 1, "multiplications": 10, "peak_bytes": 120}


def test_without_findings_there_are_no_influences(asia):
    text = output("asia", "lung", "--rows", "2")
    assert text.startswith("most informative about P(lung)")
    assert "  … and 5 more" in text
    assert text.count("… and") == 2


def test_json_has_all_rows(asia):
    record = json.loads(output("asia", "lung", *GIVEN, "--json"))
    assert (record["network"], record["kind"], record["target"]) == ("asia", "discrete", "lung")
    assert [row["variable"] for row in record["next"]["rows"]] == [
        row.variable for row in asia.most_informative("lung", EVIDENCE)
    ]
    functions = asia.sensitivity("lung", "no", EVIDENCE)
    assert [row["derivative"] for row in record["sensitivity"]["rows"]] == [row.derivative for row in functions]
    assert record["sensitivity"]["rows"][0]["parents"] == dict(functions[0].parents)
    assert record["influences"]["disagreeing"] == ["smoke", "xray"]


def test_infinite_numbers_are_null():
    record = json.loads(output("asia", "either", "--given", "tub=yes", "--json", "--only", "influences"))
    assert record["influences"]["rows"][0]["shift"] is None


def test_costs_candidates_and_thresholds(asia):
    words = ["--candidate", "xray", "--candidate", "dysp", "--cost", "xray=100", "--only", "next"]
    assert (
        output("asia", "lung", *words) == asia.most_informative("lung", None, ["xray", "dysp"], {"xray": 100}).text(10) + "\n"
    )
    text = output("asia", "lung", "--given", "xray=yes", "--state", "yes", "--threshold", "0.4", "--only", "sensitivity")
    assert text.startswith(asia.sensitivity("lung", "yes", {"xray": "yes"}, threshold=0.4).text(1)[:80])


def test_a_gaussian_network_has_no_sensitivity():
    text = output("ecoli70", "lacA", "--given", "aceB=1.5", "--rows", "3")
    assert text.startswith("influences on p(lacA | aceB = 1.5)")
    assert "most informative about p(lacA | aceB = 1.5), standard deviation" in text
    assert "sensitivity" not in text


@pytest.mark.parametrize("part", ["influences", "next", "sensitivity"])
def test_a_picture_of_one_part(tmp_path, part):
    text = output("asia", "lung", *GIVEN, "--only", part, "--plot", str(tmp_path / "part.svg"))
    assert text.endswith(f"wrote {tmp_path / 'part.svg'}\n")
    assert (tmp_path / "part.svg").read_text(encoding="utf-8").endswith("</svg>\n")


def test_what_is_wrong_is_said(dconvex):
    def refused(*words):
        ended = dconvex("advise", *words)
        assert ended.code in (1, 2)
        return " ".join(ended.stderr.split())

    assert "unknown state 'yess' of 'lung'; did you mean 'yes'?" in refused("asia", "lung", "--state", "yess")
    assert "the cost of xray is a number above 0, not '-1'" in refused("asia", "lung", "--cost", "xray=-1")
    assert "the cost of xray is a number above 0, not 'much'" in refused("asia", "lung", "--cost", "xray=much")
    assert "say which with --only" in refused("asia", "lung", "--plot", "x.svg")
    assert "a Gaussian network has none" in refused("ecoli70", "lacA", "--only", "sensitivity")
    assert "unknown variable 'lun'" in refused("asia", "lun")
    assert "'lung' is observed" in refused("asia", "lung", "--given", "lung=yes")
    assert "the threshold is 2.0" in refused("asia", "lung", "--threshold", "2")
    assert "would take" in refused("asia", "lung", "--max-bytes", "8")
    assert "name it with --treatment" in refused("asia", "lung", "--only", "effect")
    assert "unknown variable 'brong'; did you mean 'bronc'?" in refused("asia", "lung", "--treatment", "brong")
    assert "nothing to plot" in refused("asia", "lung", "--only", "next", "--explain", "--plot", "x.svg")


def test_text_is_cut_where_it_is_said(asia):
    found = asia.most_informative("lung")
    assert found.text(
        0
    ) == "most informative about P(lung), 0.307266 bits unknown\n  … and 7 more" or "… and 7 more" in found.text(0)
    with pytest.raises(ValueError, match="cannot print -1 rows"):
        found.text(-1)
