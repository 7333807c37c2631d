"""`dconvex query`: answers for people and for programs, evidence as it is typed, and what it says when something is wrong."""

from __future__ import annotations

import io
import json
import re

import numpy as np
import pytest
import typer
from hypothesis import example, given
from hypothesis import strategies as st
from rich.console import Console
from typer.testing import CliRunner

import dconvex as dc
from dconvex.cli.answer_view import IN_ORDER, SHOWN, print_distribution, print_gaussian, print_marginals
from dconvex.cli.app import app
from dconvex.cli.complaints import problem_of
from dconvex.cli.evidence import labels_by_spelling, read_given
from dconvex.cli.sizes import read_bytes

WIDE = {"COLUMNS": "160"}


def output(*words: str) -> str:
    result = CliRunner().invoke(app, ["query", *words], catch_exceptions=False, env=WIDE)
    assert result.exit_code == 0, result.output
    return result.stdout


def answers(*words: str) -> list[dict]:
    return json.loads(output(*words, "--json"))["answers"]


def printed(answer: dc.Distribution, *, full: bool = False, width: int = 100) -> list[str]:
    console = Console(width=width, color_system=None)
    with console.capture() as capture:
        print_distribution(console, answer, full=full)
    return capture.get().splitlines()


def distribution(*sizes: int, seed: int = 1) -> dc.Distribution:
    values = np.random.default_rng(seed).dirichlet(np.ones(int(np.prod(sizes)))).reshape(sizes)
    labels = tuple(tuple(f"s{state}" for state in range(size)) for size in sizes)
    return dc.Distribution(tuple(f"v{index}" for index in range(len(sizes))), labels, values)


@pytest.fixture(scope="module")
def alarm() -> dc.LocalModel:
    return dc.localize(dc.load_network("alarm"))


@pytest.fixture(scope="module")
def odd() -> dc.BayesianNetwork:
    """Names and labels that are integers, booleans, or hold the signs that evidence is written with."""
    states = {"a=b": ["x,y", "x", "y:1"], 7: [1, 2], "flag": [True, False]}
    tables = {"a=b": [0.2, 0.3, 0.5], 7: [[0.1, 0.9], [0.4, 0.6], [0.7, 0.3]], "flag": [[0.5, 0.5], [0.2, 0.8]]}
    return dc.BayesianNetwork.discrete([("a=b", 7), (7, "flag")], tables, states)


def test_a_joint_answer_most_probable_first(alarm):
    lines = output("alarm", "HR", "CO", "--given", "BP=LOW").splitlines()
    answer = alarm.query(["HR", "CO"], {"BP": "LOW"})
    assert lines[0] == "P(HR, CO | BP = LOW)"
    assert lines[1].split() == ["HR", "CO", "probability"]
    rows = [line.split() for line in lines[3:12]]
    assert {(one, other): float(number) for one, other, number, _ in rows} == {
        (one, other): pytest.approx(answer[one, other], abs=1e-6) for one in answer.labels[0] for other in answer.labels[1]
    }
    numbers = [float(row[2]) for row in rows]
    assert numbers == sorted(numbers, reverse=True)
    assert rows[0][3] == "█" * 40
    assert re.fullmatch(r"from \d+ of 21 clusters; dconvex explain shows the plan", lines[-1])


def test_one_variable_in_the_order_of_its_states():
    lines = output("alarm", "HR").splitlines()
    assert [line.split()[0] for line in lines[3:6]] == ["LOW", "NORMAL", "HIGH"]
    assert lines[0] == "P(HR)"


def test_without_variables_all_marginals(alarm):
    text = output("alarm", "--given", "BP=LOW")
    marginals = alarm.marginals({"BP": "LOW"})
    assert text.splitlines()[0] == "P(each variable | BP = LOW)"
    for name, answer in marginals.items():
        best = answer.labels[0][int(answer.values.argmax())]
        assert re.search(rf"^ {name} +{best} +{answer.values.max():.6f} ", text, re.MULTILINE)


def test_each_of_some_variables(alarm):
    text = output("alarm", "HR", "CO", "--each", "--given", "BP=LOW")
    assert "P(HR | BP = LOW)" in text
    assert "P(CO | BP = LOW)" in text
    for answer, name in zip(answers("alarm", "HR", "CO", "--each", "--given", "BP=LOW"), ["HR", "CO"], strict=True):
        assert answer["variables"] == [name]
        assert answer["values"] == pytest.approx(alarm.query(name, {"BP": "LOW"}).values)


@pytest.mark.parametrize(
    ("words", "evidence", "soft"),
    [
        ([], {}, {}),
        (["--given", "BP=LOW"], {"BP": "LOW"}, {}),
        (["--given", "BP=LOW,NORMAL", "--given", "CVP=HIGH"], {"BP": {"LOW", "NORMAL"}, "CVP": "HIGH"}, {}),
        (["--soft", "BP=LOW:0.7,NORMAL:0.2"], {}, {"BP": {"LOW": 0.7, "NORMAL": 0.2}}),
        (["--given", "CVP=HIGH", "--soft", "BP=HIGH:1e-3,LOW:2"], {"CVP": "HIGH"}, {"BP": {"HIGH": 1e-3, "LOW": 2}}),
    ],
)
def test_as_json_it_is_what_the_model_answers(alarm, words, evidence, soft):
    (answer,) = answers("alarm", "HR", "CO", *words)
    expected = alarm.query(["HR", "CO"], evidence, soft=soft)
    assert answer["variables"] == ["HR", "CO"]
    assert answer["states"] == [list(labels) for labels in expected.labels]
    np.testing.assert_array_equal(answer["values"], expected.values)


def test_all_marginals_as_json(alarm):
    found = {answer["variables"][0]: answer["values"] for answer in answers("alarm", "--given", "BP=LOW")}
    expected = alarm.marginals({"BP": "LOW"})
    assert list(found) == list(expected)
    assert all(found[name] == expected[name].values.tolist() for name in found)


def test_the_most_probable_state(alarm):
    evidence = {"BP": "LOW"}
    for words, variables in ([[], None], [["HR", "CO"], ["HR", "CO"]]):
        record = json.loads(output("alarm", *words, "--most-probable", "--given", "BP=LOW", "--json"))
        assignment, height = alarm.most_probable(variables, evidence)
        assert {state["variable"]: state["state"] for state in record["states"]} == assignment
        assert record["log_probability"] == pytest.approx(height)
    text = output("alarm", "HR", "CO", "--most-probable", "--given", "BP=LOW")
    assert text.startswith("most probable given BP = LOW\n")
    assert f"probability {np.exp(height):.6g}, logarithm {height:.6g}" in text


def test_sampling_with_a_seed(alarm):
    words = ["alarm", "HR", "--given", "BP=LOW", "--sampling", "500", "--seed", "3"]
    (answer,) = answers(*words)
    expected = alarm.query("HR", {"BP": "LOW"}, method="sampling", samples=500, seed=3)
    np.testing.assert_array_equal(answer["values"], expected.values)
    np.testing.assert_array_equal(answer["standard_errors"], expected.standard_errors)
    assert f"{expected.values[2]:.6f} ± {expected.standard_errors[2]:.2g}" in output(*words)
    assert "clusters" not in output(*words)
    assert len(answers("asia", "--sampling", "100")) == 8


def test_a_gaussian_network():
    model = dc.localize(dc.load_network("ecoli70"))
    expected = model.query(["lacA", "b1191"], {"aceB": 1.5})
    (answer,) = answers("ecoli70", "lacA", "b1191", "--given", "aceB=1.5")
    np.testing.assert_array_equal(answer["mean"], expected.mean)
    np.testing.assert_array_equal(answer["covariance"], expected.covariance)
    lines = output("ecoli70", "lacA", "b1191", "--given", "aceB=1.5").splitlines()
    assert lines[0] == "p(lacA, b1191 | aceB = 1.5)"
    correlation = expected.covariance[0, 1] / np.prod(expected.standard_deviations)
    mean, deviation = f"{expected.mean[0]:.6g}", f"{expected.standard_deviations[0]:.4g}"
    assert lines[3].split() == ["lacA", mean, "±", deviation, "1.000", f"{correlation:.3f}"]
    everything = output("ecoli70", "--given", "aceB=-1.5e0")
    assert re.search(r"^ aceB +-1.5 +± 0", everything, re.MULTILINE)
    assert len(re.findall(" ± ", everything)) == len(model) + 1
    record = json.loads(output("ecoli70", "--most-probable", "--given", "aceB=1.5", "--json"))
    assert record["log_density"] == pytest.approx(model.most_probable(None, {"aceB": 1.5})[1])
    assert "logarithm of the density" in output("ecoli70", "--most-probable")


def test_names_and_labels_that_are_not_plain_text(odd, tmp_path):
    path = tmp_path / "odd.json"
    dc.write(odd, path)
    model = dc.localize(odd)
    (answer,) = answers(str(path), "7", "--given", "a=b=x,y", "--given", "flag=true")
    assert answer["variables"] == [7]
    assert answer["states"] == [[1, 2]]
    np.testing.assert_array_equal(answer["values"], model.query(7, {"a=b": "x,y", "flag": True}).values)
    assert read_given(odd, ["7=1,2"], []).observed == {7: (1, 2)}
    assert read_given(odd, ["a=b=x,x,y,y:1"], []).observed == {"a=b": ("x", "x,y", "y:1")}
    assert read_given(odd, [], ["a=b=x,y:0.5,y:1:2"]).soft == {"a=b": {"x,y": 0.5, "y:1": 2.0}}
    assert read_given(odd, [], ["flag=False:1"]).soft == {"flag": {False: 1.0}}


@given(st.lists(st.booleans() | st.integers() | st.text(), min_size=1, unique=True))
@example(["1", 1])
@example(["'1'", "1", 1])
@example(["True", True])
def test_every_label_has_a_spelling(labels):
    spelled = labels_by_spelling(labels)
    assert set(spelled.values()) == set(labels)
    assert all(spelled[repr(label)] == label for label in labels)
    assert set(map(str, labels)) <= set(spelled)


def test_evidence_is_told_in_short(odd):
    evidence = read_given(odd, ["7=1,2", "flag=True"], ["a=b=x:0.25"])
    assert str(evidence) == "7 in {1, 2}, flag = True, a=b ~ x:0.25"
    assert not read_given(odd, [], [])
    network = dc.load_network("alarm")
    many = read_given(network, [f"{name}={network.states[name][0]}" for name in network.dag.nodes], [])
    assert str(many).endswith("… 30 more")


def test_many_states_of_one_variable_stay_in_order():
    lines = printed(distribution(IN_ORDER))
    assert [line.split()[0] for line in lines[2:]] == [f"s{state}" for state in range(IN_ORDER)]


@pytest.mark.parametrize("sizes", [(IN_ORDER + 1,), (8, 9), (4, 5, 6)])
def test_a_large_answer_is_capped_with_a_note(sizes):
    answer = distribution(*sizes)
    lines, whole = printed(answer), printed(answer, full=True)
    largest = np.sort(answer.values.reshape(-1))[::-1]
    assert [float(line.split()[len(sizes)]) for line in whole[2:]] == pytest.approx(largest, abs=1e-6)
    assert lines[2:-1] == whole[2 : SHOWN + 2]
    held = f"{largest[:SHOWN].sum():.6f}"
    assert lines[-1] == f"the {SHOWN} most probable of {len(largest)} states, {held} in all; --full shows the rest"


def test_ties_at_the_cap_are_broken_by_order():
    answer = dc.Distribution(("a", "b"), (tuple(range(10)), tuple(range(10))), np.full((10, 10), 0.01))
    shown = [tuple(map(int, line.split()[:2])) for line in printed(answer)[2:-1]]
    assert shown == [divmod(index, 10) for index in range(SHOWN)]


def test_bars_and_numbers():
    answer = dc.Distribution(("a",), (("x", "y", "z", "w"),), np.array([0.75, 0.25, 1e-9, 0.0]))
    lines = printed(answer)[2:]
    assert [line.split() for line in lines] == [
        ["x", "0.750000", "█" * 40],
        ["y", "0.250000", "█" * 13 + "▍"],
        ["z", "1.00e-09", "▏"],
        ["w", "0"],
    ]


def test_a_plain_terminal_gets_plain_signs():
    answer = dc.Distribution(("a",), (("x", "y"),), np.array([0.75, 0.25]), np.array([0.01, 0.01]))
    file = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    print_distribution(Console(file=file, width=100), answer)
    file.seek(0)
    assert "y | 0.250000 +- 0.01 | #############" in file.read()


@pytest.mark.parametrize("width", [50, 80, 200])
def test_no_line_is_wider_than_the_terminal(width):
    assert max(map(len, printed(distribution(3, 4), width=width))) <= width
    assert max(map(len, printed(distribution(20), width=width))) <= width
    assert max(map(len, printed(distribution(*[2] * 16), width=width))) <= width


def test_too_many_columns_become_one():
    lines = printed(distribution(*[2] * 10), width=80)
    assert lines[0].split() == [*(f"v{index}," for index in range(9)), "v9", "probability"]
    assert re.fullmatch(r" (s\d, ){9}s\d +0\.\d+ +█+ ", lines[2])


def test_names_are_not_taken_for_markup():
    answer = dc.Distribution(("[red]v[/red]",), (("[b]x", "y\n"),), np.array([0.5, 0.5]))
    text = "\n".join(printed(answer))
    for word in ("[red]v[/red]", "[b]x", "y\\n"):
        assert word in text


def test_marginals_of_many_states_name_the_next_ones():
    console = Console(width=100, color_system=None)
    with console.capture() as capture:
        print_marginals(console, [distribution(60)])
    assert "… 56 more" in capture.get()


def test_a_variable_without_variance_has_no_correlation():
    console = Console(width=100, color_system=None)
    with console.capture() as capture:
        print_gaussian(console, dc.GaussianDistribution(("x", "y"), np.array([1.0, 2.0]), np.diag([0.0, 4.0])))
    assert [line.split() for line in capture.get().splitlines()[2:]] == [
        ["x", "1", "±", "0", "-", "-"],
        ["y", "2", "±", "2", "-", "1.000"],
    ]


@pytest.mark.parametrize(
    ("text", "size"),
    [("100", 100), ("2GB", 2 * 10**9), ("2 gib", 2**31), ("1.5k", 1500), ("1e9", 10**9), ("512MiB", 2**29), ("7B", 7)],
)
def test_sizes(text, size):
    assert read_bytes(text) == size


@pytest.mark.parametrize("text", ["", "GB", "-1", "2XB", "1.2.3", "two"])
def test_what_is_no_size(text):
    with pytest.raises(typer.BadParameter, match="is not a size"):
        read_bytes(text)


def test_help_has_examples():
    text = re.sub(r"\s+", " ", output("--help"))
    assert "dconvex query alarm HR CO --given BP=LOW" in text
    assert "--most-probable" in text


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["alram", "HR"], "error: unknown network 'alram'; did you mean 'alarm'?"),
        (["asia", "lang"], "error: unknown variable 'lang'; did you mean 'lung'?"),
        (["asia", "lung", "--given", "smoky=yes"], "error: unknown variable 'smoky'; did you mean 'smoke'?"),
        (["asia", "lung", "--given", "smoke=yess"], "error: unknown state 'yess' of 'smoke'; did you mean 'yes'?"),
        (["asia", "lung", "--soft", "smoke=yess:1"], "error: unknown state 'yess' of 'smoke'; did you mean 'yes'?"),
        (
            ["asia", "lung", "--given", "either=no", "--given", "tub=yes"],
            "error: impossible evidence: tub = 'yes', either = 'no' cannot happen together",
        ),
    ],
)
def test_errors_are_one_line_on_stderr(dconvex, words, said):
    ended = dconvex("query", *words)
    assert (ended.code, ended.stdout, ended.stderr) == (1, "", said + "\n")


def test_what_is_too_large_is_told_in_terms_of_options():
    words = ["alarm", "HR", "CO", "CVP", "PAP", "SAO2", "--max-bytes", "100"]
    with pytest.raises(dc.TooLargeError) as caught:
        CliRunner().invoke(app, ["query", *words], catch_exceptions=False)
    assert re.search(r"the limit is 100 bytes\..*--each.*--max-bytes.*--sampling", problem_of(caught.value))


@pytest.mark.parametrize(
    "words",
    [
        ["asia", "lung", "--given", "smoke"],
        ["asia", "lung", "--given", "smoke=yes", "--given", "smoke=no"],
        ["asia", "lung", "--soft", "smoke=yes"],
        ["asia", "lung", "--soft", "smoke=yes:-1"],
        ["asia", "lung", "--soft", "smoke=yes:nan"],
        ["ecoli70", "lacA", "--given", "aceB=high"],
        ["ecoli70", "lacA", "--given", "aceB=inf"],
        ["ecoli70", "lacA", "--soft", "aceB=1:2"],
        ["asia", "lung", "--max-bytes", "much"],
        ["asia", "lung", "--sampling", "1"],
        ["asia", "lung", "--most-probable", "--sampling", "10"],
        ["asia", "lung", "lung"],
        ["asia", "lung", "--seed", "1"],
    ],
)
def test_options_that_cannot_be(words):
    result = CliRunner().invoke(app, ["query", *words], env=WIDE)
    assert result.exit_code == 2
    assert "Error" in result.stderr


@pytest.mark.parametrize(
    ("spaced", "plain"),
    [("BP = LOW", "BP=LOW"), (" BP=LOW ", "BP=LOW"), ("BP= LOW , NORMAL", "BP=LOW,NORMAL"), ("BP=LOW,LOW", "BP=LOW")],
)
def test_spaces_around_evidence_do_not_matter(spaced, plain):
    network = dc.load_network("alarm")
    assert read_given(network, [spaced], []) == read_given(network, [plain], [])


def test_spaces_that_belong_to_names_do_matter():
    network = dc.BayesianNetwork.discrete([], {"a": [0.5, 0.5], "a ": [0.5, 0.5]}, {"a": ["x", " x"], "a ": ["x", "y "]})
    assert read_given(network, ["a= x", "a =y "], []).observed == {"a": " x", "a ": "y "}
    assert read_given(network, [], ["a = x:1"]).soft == {"a ": {"x": 1.0}}


def test_evidence_from_files(dconvex, tmp_path):
    (tmp_path / "seen.json").write_text('{"smoke": "yes", "xray": ["yes", "no"]}')
    found = dconvex("query", "asia", "lung", "--evidence", tmp_path / "seen.json", "--json")
    typed = dconvex("query", "asia", "lung", "--given", "smoke=yes", "--given", "xray=yes,no", "--json")
    assert (found.code, found.stdout) == (0, typed.stdout)
    assert dconvex("explain", "asia", "lung", "--evidence", tmp_path / "seen.json").code == 0
    (tmp_path / "seen.evid").write_text("1 9 0")
    refused = dconvex("query", "asia", "lung", "--evidence", tmp_path / "seen.evid")
    assert refused.code == 1
    assert "unknown variable '9'" in refused.stderr
