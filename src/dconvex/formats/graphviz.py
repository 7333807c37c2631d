"""Graphs in Graphviz's language, as far as they are structures: `digraph { a -> b; c -> { d e } }`.

Attributes are read over, subgraphs are the nodes and edges in them. dagitty's word `dag` is read as `digraph`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from dconvex.formats.edge_draft import EdgeDraft
from dconvex.formats.scanner import Scanner
from dconvex.graph.dag import Dag
from dconvex.names import Name

SPACE = re.compile(r"(?:[\s\ufeff]++|//[^\n]*+|\#[^\n]*+|/\*.*?\*/)*+", re.DOTALL)
TOKEN = re.compile(r"""->|--|[{}\[\];,=:]|"((?:[^"\\]++|\\.)*+)"|(-?(?:\.\d++|\d++(?:\.\d*+)?)|[^\W\d]\w*+)""", re.DOTALL)
UNFIT = re.compile(r'\\"|\\\Z|[\ud800-\udfff]')
KEYWORDS = ("graph", "node", "edge")
MOST_EDGES = 1 << 20
"""Two groups of nodes can ask for any number of edges."""


class _Token(NamedTuple):
    sign: str
    """The sign, "name" or "" at the end."""
    name: str
    position: int


def parse(text: str, path: str) -> Dag:
    """The graph of a digraph."""
    return _Parser(Scanner(text, path)).dag()


class _Parser:
    """Statements one after the other; blocks in blocks are counted, not walked into."""

    def __init__(self, scanner: Scanner) -> None:
        self.scanner, self.draft = scanner, EdgeDraft(scanner)
        self.tokens = _tokens(scanner)
        self.token = next(self.tokens)

    def dag(self) -> Dag:
        """The graph that is described."""
        if self.is_word("strict"):
            self.next()
        if self.is_word("graph"):
            self.scanner.fail("the graph is undirected; a structure is a digraph with a -> b", self.token.position)
        if not (self.is_word("digraph") or self.is_word("dag")):
            self.fail("'digraph'")
        if self.next().sign == "name":
            self.next()
        self.expect("{")
        depth = 1
        while depth:
            depth += self.statement()
        if self.token.sign:
            self.fail("the end of the file")
        return self.draft.dag()

    def statement(self) -> int:
        """Read a statement, or the begin or end of a block; by how much it changes the depth."""
        if self.token.sign in (";", ","):
            self.next()
        elif self.token.sign == "}":
            self.next()
            return -1
        elif self.is_word("subgraph"):
            if self.next().sign == "name":
                self.next()
            self.expect("{")
            return 1
        elif any(map(self.is_word, KEYWORDS)) and self.next().sign != "=":
            self.attributes()
        elif self.token.sign == "=":
            self.value()
        else:
            self.chain()
        return 0

    def chain(self) -> None:
        """Nodes, or groups of nodes, with arrows between them; or an attribute of the graph."""
        start = self.token
        if start.sign == "name" and self.next().sign == "=":  # rankdir=LR
            self.value()
            return
        sources = [self.named(start.name)] if start.sign == "name" else self.group()
        position = start.position
        while self.token.sign == "->":
            end = self.next().position
            targets = self.group() if self.token.sign == "{" else [self.node()]
            if len(sources) * len(targets) + len(self.draft.edges) > MOST_EDGES:
                self.scanner.fail(f"there are more than {MOST_EDGES:,} edges", end)
            for source in sources:
                for target in targets:
                    self.draft.add_edge(source, target, position)
            sources, position = targets, end
        if self.token.sign == "--":
            self.scanner.fail("the edge has no direction; expected '->'", self.token.position)
        if self.token.sign == "[":
            self.attributes()

    def group(self) -> list[Name]:
        """The nodes between braces."""
        if self.token.sign != "{":
            self.fail("a node")
        self.next()
        found: list[Name] = []
        while self.token.sign != "}":
            found.append(self.node())
            while self.token.sign in (";", ","):
                self.next()
        self.next()
        return list(dict.fromkeys(found))

    def node(self) -> Name:
        if self.token.sign != "name":
            self.fail("a node")
        name = self.token.name
        self.next()
        return self.named(name)

    def named(self, name: str) -> Name:
        """The node of this name, with what may follow it: a port."""
        self.draft.add_node(name)
        while self.token.sign == ":":
            if self.next().sign != "name":
                self.fail("a port")
            self.next()
        return name

    def attributes(self) -> None:
        """Lists in square brackets."""
        while self.token.sign == "[":
            while self.next().sign != "]":
                if self.token.sign not in ("name", "=", ",", ";"):
                    self.fail("']'")
            self.next()

    def value(self) -> None:
        self.expect("=")
        if self.token.sign != "name":
            self.fail("a value")
        self.next()

    def is_word(self, word: str) -> bool:
        token = self.token
        return token.name.lower() == word and self.scanner.text[token.position] != '"'

    def expect(self, sign: str) -> None:
        if self.token.sign != sign:
            self.fail(repr(sign))
        self.next()

    def next(self) -> _Token:
        self.token = next(self.tokens)
        return self.token

    def fail(self, expected: str) -> None:
        found = repr(self.token.name or self.token.sign) if self.token.sign else "the end of the file"
        self.scanner.fail(f"expected {expected}, found {found:.60}", self.token.position)


def _tokens(scanner: Scanner) -> Iterator[_Token]:
    text, position = scanner.text, 0
    while True:
        space = SPACE.match(text, position)
        position = space.end() if space else position
        if position >= len(text):
            break
        found = TOKEN.match(text, position)
        if not found:
            scanner.fail(f"expected a name, '->', ';' or a bracket, found {text[position]!r}", position)
        quoted, word = found.groups()
        if quoted is not None or word is not None:
            yield _Token("name", word if quoted is None else quoted.replace('\\"', '"'), position)
        else:
            yield _Token(found.group(), "", position)
        position = found.end()
    while True:
        yield _Token("", "", len(text))


def render(dag: Dag) -> str:
    """A digraph with every node, and the edges into one node in the order of its parents."""
    nodes = (f"  {_quoted(node)};\n" for node in dag.nodes)
    edges = (f"  {_quoted(parent)} -> {_quoted(node)};\n" for node in dag.nodes for parent in dag.parents(node))
    return "".join(["digraph {\n", *nodes, *edges, "}\n"])


def _quoted(name: Name) -> str:
    return '"' + str(name).replace('"', '\\"') + '"'


def unfit(names: Sequence[Name]) -> list[Name]:
    """Integers, which would come back as text, and what Graphviz or UTF-8 cannot quote."""
    return [name for name in names if isinstance(name, int) or UNFIT.search(name)]
