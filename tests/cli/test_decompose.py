"""`dconvex decompose`: the tree for people, for programs and for Graphviz, and what it says when something is wrong."""

from __future__ import annotations

import html
import json
import re
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console
from typer.testing import CliRunner

import dconvex as dc
from dconvex.cli.app import app
from dconvex.cli.dot import as_dot
from dconvex.cli.tree_view import MANY, SHOWN, binned, print_sizes, print_tree
from dconvex.display.labels import label

WIDE = {"COLUMNS": "200"}


def output(*words: str, **environment: str) -> str:
    result = CliRunner().invoke(app, words, catch_exceptions=False, env={**WIDE, **environment})
    assert result.exit_code == 0, result.output
    return result.stdout


def printed(tree: dc.ClusterTree, *, full: bool = False, width: int = 200) -> str:
    console = Console(width=width, color_system=None)
    with console.capture() as capture:
        print_tree(console, tree, full=full)
    return capture.get()


def chain(length: int) -> dc.ClusterTree:
    return dc.decompose([(node, node + 1) for node in range(length)])


def test_alarm_as_a_tree():
    lines = output("decompose", "alarm").splitlines()
    assert lines[0].startswith("alarm: 21 clusters of up to 9 among 37 variables, minimal separators, certified, ")
    assert re.search(r" \d+\.\d m?s$", lines[0])
    assert lines[2] == "9  ARTCO2, CATECHOL, INSUFFANESTH, INTUBATION, PVSAT, SAO2, SHUNT, TPR, VENTALV"
    assert "├── 5  BP, CO, HR  [CATECHOL, TPR]" in lines
    assert "    └── 2  PAP  [PULMEMBOLUS]" in lines
    assert sum(line.startswith("size ") and "█" in line for line in lines) == 5
    assert "treewidth of the moral graph: at most 4 (min-degree), 4 (min-fill)" in lines


def test_every_cluster_has_a_line_with_its_size_and_members():
    tree = dc.decompose(dc.load_network("hepar2"))
    lines = printed(tree, full=True, width=1_000).splitlines()[1:]
    found = []
    for line in lines:
        size, new, shared = re.fullmatch(r"[│├└─\s]*(\d+)  (.*?)(?:  \[(.*)\])?", line).groups()
        members = new.split(", ") + (shared.split(", ") if shared else [])
        assert len(members) == int(size)
        found.append(frozenset(members))
    assert sorted(map(sorted, found)) == sorted(map(sorted, tree.clusters))


def test_long_clusters_are_abbreviated_unless_all_is_asked_for():
    tree = dc.ClusterTree([[f"v{index:02}" for index in range(30)]])
    assert "30  v00, v01, v02, v03, v04, v05, v06, v07, v08, v09, … 20 more" in printed(tree)
    assert "v29" in printed(tree, full=True)
    assert "…" not in printed(tree, full=True)


def test_a_large_tree_is_condensed_unless_all_is_asked_for():
    tree = dc.decompose(dc.load_network("pigs"))
    assert len(tree) > MANY
    short, full = printed(tree), printed(tree, full=True)
    assert f"{SHOWN} of {len(tree)} clusters" in short
    assert len(short.splitlines()) < 2 * SHOWN + 20
    left_out = sum(int(count) for count in re.findall(r"… (\d+) more, of", short))
    assert SHOWN + left_out == len(tree)
    assert "more" not in full
    assert len(re.findall(r"^[│├└─\s]*\d+  p", full, re.MULTILINE)) == len(tree)


def test_the_largest_clusters_are_among_those_shown():
    tree = dc.decompose(dc.load_network("pigs"))
    sizes = sorted(map(len, tree.clusters), reverse=True)
    short = printed(tree)
    assert all(re.search(rf"^[│├└─\s]*{size}  ", short, re.MULTILINE) for size in sizes[:5])


@pytest.mark.parametrize("width", [40, 80])
def test_a_deep_tree_goes_on_further_below(width):
    text = printed(chain(50), full=True, width=width)
    assert max(map(len, text.splitlines())) <= width
    cuts = re.findall(r"→ (\d+), below", text)
    starts = re.findall(r"^(\d+) → ", text, re.MULTILINE)
    assert cuts == starts == [str(number) for number in range(1, len(cuts) + 1)]
    assert len(cuts) >= 3
    assert all(re.search(rf"\b{node}\b", text) for node in range(51))


def test_undecided_clusters_are_marked():
    tree = dc.ClusterTree([{"a", "b"}, {"b", "c"}], [(0, 1)], undecided=[1])
    text = printed(tree)
    assert "? undecided" in text.splitlines()[0]
    assert "└── 2  c  [b]  ?" in text
    assert "?" not in printed(dc.ClusterTree([{"a", "b"}, {"b", "c"}], [(0, 1)], certified=True))


def test_names_are_not_taken_for_markup():
    assert "[red]x[/red], y\\n" in printed(dc.ClusterTree([{"[red]x[/red]", "y\n"}]))


def test_no_clusters():
    assert printed(dc.decompose([])).count("\n") == 1


def test_bars_are_as_long_as_the_counts():
    console = Console(width=100, color_system=None)
    with console.capture() as capture:
        print_sizes(console, [2] * 50 + [3] * 25 + [10])
    bars = [line.count("█") for line in capture.get().splitlines()]
    assert bars == [50, 25, 1]


@given(st.lists(st.integers(1, 5_000), max_size=60))
def test_every_cluster_is_in_one_bin(sizes):
    rows = binned(sizes)
    assert sum(count for _, count in rows) == len(sizes)
    for name, count in rows:
        low, high = name.split("-") if "-" in name else (name, name)
        assert sum(int(low) <= size <= int(high) for size in sizes) == count


def test_as_json():
    record = json.loads(output("decompose", "asia", "--json"))
    tree = dc.decompose(dc.load_network("asia"))
    assert record["clusters"] == [sorted(cluster) for cluster in tree.clusters]
    assert record["edges"] == [list(edge) for edge in tree.edges]
    assert record["separators"] == [sorted(separator) for separator in tree.separators]
    assert (record["network"], record["variables"], record["mode"], record["certified"]) == ("asia", 8, "minimal", True)
    assert record["undecided"] == []
    assert record["treewidth"] == {"min-degree": 2, "min-fill": 2}
    assert record["seconds"] >= 0


@pytest.mark.parametrize("mode", ["minimal", "any", "complete", "all"])
def test_separators(mode):
    record = json.loads(output("decompose", "insurance", "--separators", mode, "--json"))
    tree = dc.decompose(dc.load_network("insurance"), separators=mode)
    assert record["mode"] == mode
    assert record["clusters"] == [sorted(cluster) for cluster in tree.clusters]


def test_without_refinement_and_with_little_effort():
    plain = json.loads(output("decompose", "pigs", "--no-refine", "--json"))
    assert not plain["certified"]
    assert len(plain["clusters"]) == len(dc.decompose(dc.load_network("pigs"), refine=False))
    little = json.loads(output("decompose", "andes", "--effort", "0", "--json"))
    assert little["undecided"] == list(dc.decompose(dc.load_network("andes"), effort=0).undecided)
    assert little["undecided"]
    assert f"{len(little['undecided'])} undecided" in output("decompose", "andes", "--effort", "0")


def test_a_network_from_a_file(tmp_path):
    path = tmp_path / "a.json"
    dc.write(dc.load_network("asia"), path)
    assert json.loads(output("decompose", str(path), "--json"))["variables"] == 8


def test_the_treewidth_of_a_very_large_network_is_not_waited_for(monkeypatch):
    monkeypatch.setattr("dconvex.cli.decompose.MOST_FOR_TREEWIDTH", 7)
    assert json.loads(output("decompose", "asia", "--json"))["treewidth"] is None
    assert "treewidth of the moral graph: not estimated for more than 7 variables" in output("decompose", "asia")


LABEL = r'label="((?:[^"\\]|\\.)*)"'


def unquoted(text: str) -> str:
    """A label as Graphviz shows it, its lines joined."""
    shown = re.sub(r"\\(.)", lambda found: {"n": " "}.get(found[1], found[1]), text)
    return html.unescape(shown)


def test_as_dot():
    lines = output("decompose", "asia", "--dot").splitlines()
    tree = dc.decompose(dc.load_network("asia"))
    assert (lines[0], lines[-1]) == ("graph clusters {", "}")
    clusters = [found for line in lines if (found := re.fullmatch(rf"  c(\d+) \[{LABEL}\];", line))]
    edges = [found for line in lines if (found := re.fullmatch(rf"  c(\d+) -- c(\d+) \[{LABEL}\];", line))]
    assert [unquoted(found[2]).split(", ") for found in clusters] == [sorted(cluster) for cluster in tree.clusters]
    assert [(int(found[1]), int(found[2])) for found in edges] == list(tree.edges)
    assert [unquoted(found[3]).split(", ") for found in edges] == [sorted(shared) for shared in tree.separators]
    assert len(lines) == len(clusters) + len(edges) + 3


@given(st.lists(st.text() | st.text('\\"&;nNl{}<>\n', max_size=6), min_size=1, max_size=4, unique=True))
def test_dot_escapes_every_name(names):
    text = as_dot(dc.ClusterTree([names]))
    (found,) = re.findall(rf"^  c0 \[{LABEL}\];$", text, re.MULTILINE)
    assert unquoted(found) == ", ".join(map(label, sorted(names)))
    assert text.count("\n") == 4


def test_dot_marks_undecided_clusters():
    text = as_dot(dc.ClusterTree([{"a", "b"}, {"b", "c"}], [(0, 1)], undecided=[1]))
    assert [line.split()[0] for line in text.splitlines() if "dashed" in line] == ["c1"]


@pytest.mark.parametrize(("suffix", "start"), [("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF")])
def test_plot(tmp_path, suffix, start):
    path = tmp_path / f"tree.{suffix}"
    assert f"wrote {path}" in output("decompose", "asia", "--plot", str(path))
    assert path.read_bytes().startswith(start)


def test_plot_leaves_json_alone(tmp_path):
    assert json.loads(output("decompose", "asia", "--json", "--plot", str(tmp_path / "a.svg")))["variables"] == 8


def test_help_has_examples():
    text = output("decompose", "--help")
    assert "dconvex decompose alarm --plot alarm.svg" in re.sub(r"\s+", " ", text)
    assert "--no-refine" in text


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["alram"], "error: unknown network 'alram'; did you mean 'alarm'?"),
        (["nowhere.bif"], "error: nowhere.bif: No such file or directory"),
        (["asia", "--plot", "asia.gif"], "error: asia.gif: unknown suffix '.gif'; pictures are .svg, .html, .png, .pdf"),
        (["asia", "--plot", "no/such/folder.svg"], "error: no/such: there is no such folder to write to"),
    ],
)
def test_errors_are_one_line_on_stderr(dconvex, words, said):
    ended = dconvex("decompose", *words)
    assert (ended.code, ended.stdout, ended.stderr) == (1, "", said + "\n")


def test_without_matplotlib_it_says_what_to_install():
    code = "import sys; sys.modules['matplotlib'] = None; sys.argv = ['dconvex', 'decompose', 'asia', '--plot', 'a.png']"
    code += "; from dconvex.cli import main; main()"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert result.returncode == 1
    assert result.stdout == ""
    assert result.stderr == "error: pictures need matplotlib: pip install 'dconvex[plot]'\n"


@pytest.mark.parametrize("words", [["--separators", "few"], ["--effort", "-1"], ["--json", "--dot"]])
def test_options_that_cannot_be(words):
    result = CliRunner().invoke(app, ["decompose", "asia", *words], env=WIDE)
    assert result.exit_code == 2
    assert words[0] in result.stderr
