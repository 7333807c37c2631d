"""Graphs in files: what is typed, what other programs write, and what comes back of what we write."""

from __future__ import annotations

import gzip
from pathlib import Path

import networkx as nx
import pytest
from hypothesis import HealthCheck, given, settings
from mutations import try_for_a_minute, try_some
from strategies import dags

import dconvex as dc
from dconvex.formats.structures import FORMATS, is_structure

SUFFIXES = (".txt", ".csv", ".dot", ".bif", ".csv.gz")


@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(dags(max_nodes=6))
def test_what_is_written_comes_back(tmp_path, dag):
    for suffix in SUFFIXES if len(dag) else ():
        path = tmp_path / f"graph{suffix}"
        changes = dc.write(dag, path, rename=True)
        back = dc.read_structure(path)
        assert len(back) == len(dag)
        new = {node: changes.get(node, node) for node in dag.nodes}
        assert back == dc.Dag.from_parents({new[node]: [new[parent] for parent in dag.parents(node)] for node in dag.nodes})
        if changes:
            with pytest.raises(dc.FormatError, match="cannot hold the name"):
                dc.write(dag, path)
        assert not any(isinstance(name, str) and name.isalpha() and name.isascii() for name in changes)


def written(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


TYPED = """\
# what we know
smoking -> lung cancer   // a name may have blanks
smoking->bronchitis --> "dys -> pnoea"

xray
visit → tuberculosis
"""
DRAWN = """\
/* drawn by hand */ strict digraph "my net" {
  rankdir=LR; node [shape=box, label="a -> b"]; graph [x=1] edge [color=red]
  smoking -> { bronchitis; "lung cancer" } [weight=2];
  subgraph cluster_a { label="A"; xray; # a comment
    bronchitis:n:w -> "dys -> pnoea" }
  visit -> tuberculosis
}
"""
TABLE = """\
weight,From,to
1,smoking,"lung cancer"
2,smoking,bronchitis
3,bronchitis,"dys -> pnoea"

4,xray,
5,visit,tuberculosis"""
BARE = """\
network unknown { property author = me ; }
variable smoking { type discrete [ 2 ] { yes, no }; }
variable "lung cancer" { } variable bronchitis { } variable "dys -> pnoea" { } variable xray {}
variable visit { } variable tuberculosis { }
probability ( "lung cancer" | smoking ) { }
probability ( bronchitis | smoking );  // no tables
probability ( "dys -> pnoea" | bronchitis ) { (yes) 0.5, 0.5; }
probability ( tuberculosis | visit ) { table 1, 2; }
"""
WITHOUT_TABLES = {
    "net": """node b { states = ("no" "yes"); } node a { states = ("0" "1"); }
        potential ( a ) { } potential ( b | a ) { }""",
    "xmlbif": """<BIF VERSION="0.3"><NETWORK><NAME>n</NAME>
        <VARIABLE TYPE="nature"><NAME>a</NAME><OUTCOME>0</OUTCOME></VARIABLE>
        <VARIABLE TYPE="nature"><NAME>b</NAME><OUTCOME>0</OUTCOME></VARIABLE>
        <DEFINITION><FOR>a</FOR></DEFINITION><DEFINITION><FOR>b</FOR><GIVEN>a</GIVEN></DEFINITION></NETWORK></BIF>""",
    "xdsl": """<smile version="1.0" id="n"><nodes><cpt id="a"><state id="x" /></cpt>
        <cpt id="b"><state id="x" /><parents>a</parents></cpt></nodes></smile>""",
    "dsc": """belief network "n" node a { type : discrete [ 1 ] = { "x" }; } node b { type : discrete [ 1 ] = { "x" }; }
        probability ( b | a ) { }""",
    "dne": "bnet n { node a { states = (x, y); }; node b { states = (x, y); parents = (a); }; };",
    "dsl": """net n { node a { TYPE = CPT; PARENTS = (); DEFINITION = { NAMESTATES = (x, y); }; };
        node b { TYPE = CPT; PARENTS = (a); DEFINITION = { NAMESTATES = (x, y); }; }; };""",
}
"""a → b, in formats of networks."""


@pytest.mark.parametrize("suffix", WITHOUT_TABLES)
def test_network_files_may_lack_their_tables(tmp_path, suffix):
    path = written(tmp_path, f"graph.{suffix}", WITHOUT_TABLES[suffix])
    assert dc.read_structure(path) == dc.Dag([("a", "b")])
    assert is_structure(path)
    with pytest.raises(dc.FormatError, match=r"expected .*found none|expected .* in the"):
        dc.read(path)


@pytest.mark.parametrize("suffix", ["net", "xmlbif", "xdsl", "dsc"])
def test_a_file_with_tables_is_a_network(tmp_path, suffix):
    path = tmp_path / f"asia.{suffix}"
    dc.write(dc.load_network("asia"), path)
    assert not is_structure(path)
    assert dc.read_structure(path) == dc.load_network("asia").dag
    assert not is_structure(tmp_path / f"none.{suffix}")
    assert not is_structure(written(tmp_path, f"broken.{suffix}", "potential {"))
    genes = tmp_path / "genes.net"
    dc.write(dc.load_network("ecoli70"), genes)
    assert not is_structure(genes)
    assert dc.read_structure(genes) == dc.load_network("ecoli70").dag


def test_one_table_that_is_missing_is_an_error(tmp_path):
    path = written(tmp_path, "half.net", WITHOUT_TABLES["net"].replace("( a ) { }", "( a ) { data = (0.5 0.5); }"))
    assert not is_structure(path)
    with pytest.raises(dc.FormatError, match="expected 'data' in the potential of 'b'"):
        dc.read(path)
    cycle = written(tmp_path, "cycle.net", WITHOUT_TABLES["net"].replace("( a )", "( a | b )"))
    with pytest.raises(dc.FormatError, match="contain a cycle"):
        dc.read_structure(cycle)


KNOWN = dc.Dag(
    [("smoking", "lung cancer"), ("smoking", "bronchitis"), ("bronchitis", "dys -> pnoea"), ("visit", "tuberculosis")],
    ["smoking", "lung cancer", "bronchitis", "dys -> pnoea", "visit", "tuberculosis", "xray"],
)


@pytest.mark.parametrize(
    ("name", "text"),
    [("a.txt", TYPED), ("a.edges", TYPED), ("a.dot", DRAWN), ("a.gv", DRAWN), ("a.csv", TABLE), ("a.bif", BARE)],
)
def test_one_graph_in_every_format(tmp_path, name, text):
    assert dc.read_structure(written(tmp_path, name, text)) == KNOWN
    assert dc.read_structure(written(tmp_path, name, "\ufeff" + text.replace("\n", "\r\n"))) == KNOWN
    (tmp_path / f"{name}.gz").write_bytes(gzip.compress(text.encode()))
    assert dc.read_structure(tmp_path / f"{name}.gz") == KNOWN


def test_parents_are_in_the_order_of_the_file(tmp_path):
    assert dc.read_structure(written(tmp_path, "a.txt", "z -> x\na -> x")).parents("x") == ("z", "a")
    assert dc.read_structure(written(tmp_path, "a.dot", "dag { {z a} -> x }")).parents("x") == ("z", "a")


@pytest.mark.parametrize("suffix", [".bif", ".xmlbif", ".net", ".xdsl", ".json"])
def test_a_network_file_is_a_structure_too(tmp_path, suffix):
    network = dc.load_network("asia")
    dc.write(network, tmp_path / f"asia{suffix}")
    assert dc.read_structure(tmp_path / f"asia{suffix}") == network.dag


def test_graphviz_of_networkx_is_read(tmp_path):
    pytest.importorskip("pydot")
    graph = nx.DiGraph([("a b", "c"), ("c", "d")])
    nx.drawing.nx_pydot.write_dot(graph, tmp_path / "graph.dot")
    assert dc.read_structure(tmp_path / "graph.dot") == dc.Dag(graph)


def test_a_structure_is_learned_from(tmp_path):
    dc.write([("smoke", "lung"), ("smoke", "bronc")], tmp_path / "edges.csv")
    model = dc.fit(dc.read_structure(tmp_path / "edges.csv"), dc.load_network("asia").sample(100, seed=1))
    assert set(model.dag.edges) == {("smoke", "lung"), ("smoke", "bronc")}


@pytest.mark.parametrize(
    ("name", "text", "where", "problem"),
    [
        ("a.txt", "a -> b\nb -> ", (2, 6), "expected a name"),
        ("a.txt", 'a -> b "c"', (1, 8), "expected '->', a comment or the end of the line, found '\"'"),
        ("a.txt", 'a -> "b\\x"', (1, 6), "expected a name quoted as in JSON"),
        ("a.txt", "a -> b\n  a -> b", (2, 3), "the edge 'a' → 'b' is given twice"),
        ("a.txt", "a -> b -> a", (1, 6), "the edges contain a cycle: b → a → b"),
        ("a.txt", "x -> a -> a", (1, 6), "the edge 'a' → 'a' begins where it ends"),
        ("a.txt", "# nothing\n", (2, 1), "expected edges such as a -> b, found the end of the file"),
        ("a.csv", "a,b\n1,2", (1, 1), "expected a header with parent and child, found 'a,b'"),
        ("a.csv", "parent,child\na", (2, 1), "expected 2 cells, found 1"),
        ("a.csv", "parent,child\n,b", (2, 1), "expected the name of the parent"),
        ("a.csv", 'parent,child\n"a"b,c', (2, 4), "expected ',' or the end of the line, found 'b'"),
        ("a.csv", "parent,child\na,b\nb,a", (3, 3), "the edges contain a cycle"),
        ("a.dot", "graph { a -- b }", (1, 1), "the graph is undirected"),
        ("a.dot", "digraph { a -- b }", (1, 13), "the edge has no direction; expected '->'"),
        ("a.dot", "digraph { a -> }", (1, 16), "expected a node, found '}'"),
        ("a.dot", "digraph { a -> b", (1, 17), "expected a node, found the end of the file"),
        ("a.dot", "digraph { a -> b } c", (1, 20), "expected the end of the file, found 'c'"),
        ("a.dot", "digraph { a [b{] }", (1, 15), "expected ']', found '{'"),
        ("a.dot", "digraph { a: ; }", (1, 14), "expected a port, found ';'"),
        ("a.dot", "digraph { a = ; }", (1, 15), "expected a value, found ';'"),
        ("a.dot", "digraph { a -> <b> }", (1, 16), "expected a name, '->', ';' or a bracket, found '<'"),
        ("a.dot", "a -> b", (1, 1), "expected 'digraph', found 'a'"),
        ("a.dot", "digraph a; { }", (1, 10), "expected '{', found ';'"),
        ("a.bif", "variable a { }\nprobability ( b | a );", (2, 13), "unknown variable 'b'"),
        ("a.bif", "variable a { } variable a { }", (1, 25), "the variable 'a' is defined twice"),
        ("a.bif", "variable a { }\nprobability ( );", (2, 13), "expected a name between '(' and ')'"),
        ("a.bif", "variable a { }\nprobability ( a ) x", (2, 19), "expected ';' or a block in '{' and '}', found 'x'"),
    ],
)
def test_errors_say_where(tmp_path, name, text, where, problem):
    with pytest.raises(dc.FormatError) as caught:
        dc.read_structure(written(tmp_path, name, text))
    assert problem in str(caught.value)
    assert (caught.value.line, caught.value.column) == where
    assert caught.value.path == str(tmp_path / name)


def test_groups_may_not_ask_for_any_number_of_edges(tmp_path):
    nodes = [" ".join(f"{letter}{k}" for k in range(2000)) for letter in "ab"]
    with pytest.raises(dc.FormatError, match="there are more than 1,048,576 edges"):
        dc.read_structure(written(tmp_path, "a.dot", f"digraph {{ {{ {nodes[0]} }} -> {{ {nodes[1]} }} }}"))


def test_suffixes_that_do_not_fit(tmp_path):
    with pytest.raises(dc.FormatError, match=r"unknown suffix '\.doc'; structures are in \.txt, \.edges, \.csv, \.dot"):
        dc.read_structure(tmp_path / "a.doc")
    with pytest.raises(dc.FormatError, match=r"a graph without tables can be written as \.txt.*, not as '\.xdsl'"):
        dc.write(KNOWN, tmp_path / "a.xdsl")
    with pytest.raises(dc.FormatError, match=r"DOT holds a graph without tables: write network\.dag, or choose another suffix"):
        dc.write(dc.load_network("asia"), tmp_path / "asia.dot")


def try_file(path: Path) -> None:
    """Read what may be a graph; what is one is written and read again."""
    try:
        dag = dc.read_structure(path)
    except dc.FormatError as error:
        assert path.name in str(error)
        return
    again = path.with_name(f"again{path.name.removeprefix('mutant')}")
    changes = dc.write(dag, again, rename=True)
    assert changes or dc.read_structure(again) == dag


def originals(folder: Path, suffix: str) -> list[bytes]:
    dc.write(dc.Dag([(1, "a b"), ("a b", 'say "x"')], [1, "a b", 'say "x"', "alone"]), folder / f"own{suffix}", rename=True)
    text = {".txt": TYPED, ".dot": DRAWN, ".csv": TABLE, ".bif": BARE}[suffix]
    return [text.encode(), (folder / f"own{suffix}").read_bytes()]


@pytest.mark.parametrize("suffix", [form.suffixes[0] for form in FORMATS])
def test_a_changed_file_is_a_graph_or_an_error_of_ours(tmp_path, suffix):
    try_some(tmp_path / f"mutant{suffix}", originals(tmp_path, suffix), try_file)


@pytest.mark.slow
@pytest.mark.parametrize("suffix", [form.suffixes[0] for form in FORMATS])
def test_a_minute_of_changed_structures(tmp_path, suffix):
    try_for_a_minute(tmp_path / f"mutant{suffix}", originals(tmp_path, suffix), try_file)
