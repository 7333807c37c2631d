"""XDSL, the format of GeNIe and SMILE, which pgmpy, pyAgrum and others write too.

    <smile version="1.0" id="unknown"><nodes>
    <cpt id="rain"><state id="no" /><state id="yes" /><probabilities>0.8 0.2</probabilities></cpt>
    <cpt id="wet"><state id="dry" /><state id="wet" /><parents>rain</parents>
      <probabilities>0.9 0.1 0.2 0.8</probabilities></cpt>
    </nodes></smile>

A node's own states vary fastest in a table, those of its first parent slowest. In files that name pyAgrum as their
program the first parent varies fastest of the parents. Names and states must be words in GeNIe, so others become words,
with the true ones in properties of our own (`spelling`). A `deterministic` node becomes a table of zeros and ones; other
kinds of nodes are refused.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from html import escape
from typing import TYPE_CHECKING, cast

import numpy as np

from dconvex.arrays import Floats
from dconvex.errors import UnknownStateError
from dconvex.formats.draft import Draft, ReadTable, row_major
from dconvex.formats.number_lists import first_parent_slowest, rows_of_numbers
from dconvex.formats.scanner import Excerpt
from dconvex.formats.spelling import LINE, WORD, Spellings, notes, spelled
from dconvex.names import Label, Name
from dconvex.network.family import Table
from dconvex.network.network import BayesianNetwork

if TYPE_CHECKING:
    from dconvex.formats.xml_tree import Document, Element

STATE = re.compile(r"\S++")
HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n<smile version="1.0" id="unknown" numsamples="10000" discsamples="10000">\n'


def read_network(document: Document) -> BayesianNetwork:
    """The network in an XDSL document; nodes may be in any order."""
    for element in document.root.all("dynamic"):
        document.fail("this is a dynamic network; only networks without time can be read", element)
    is_pyagrum = _is_pyagrum(document.root)
    draft = Draft(document.scanner, "<cpt>")
    for node in document.the("nodes", document.root).children:
        _add_node(document, draft, node, is_pyagrum)
    return draft.network()


def _is_pyagrum(root: Element) -> bool:
    programs = [genie for extensions in root.all("extensions") for genie in extensions.all("genie")]
    return any(program.attributes.get("app", "").startswith("aGrUM") for program in programs)


def _add_node(document: Document, draft: Draft, node: Element, is_pyagrum: bool) -> None:
    key = document.attribute("id", node)
    states = [document.attribute("id", state) for state in node.all("state")]
    if node.tag == "cpt":
        table = row_major(document.excerpt(document.the("probabilities", node)))
    elif node.tag == "deterministic":
        table = _deterministic(key, states, document.excerpt(document.the("resultingstates", node)))
    else:
        document.fail(f"{key!r} is a <{node.tag}> node; only <cpt> and <deterministic> nodes can be read", node)
    properties = {element.attributes.get("id", ""): element.text for element in node.all("property")}
    parents = [parent for element in node.all("parents") for parent in element.text.split()]
    draft.add_noted_variable(key, node.position, states, properties)
    draft.add_family(key, node.position, parents, _first_parent_slowest(table) if is_pyagrum else table)


def _first_parent_slowest(table: ReadTable) -> ReadTable:
    return lambda sizes: first_parent_slowest(table(sizes), sizes)


def _deterministic(key: str, states: Sequence[str], excerpt: Excerpt) -> ReadTable:
    """The reader of a table that lists for each row its certain state."""
    codes = {state: code for code, state in enumerate(states)}

    def table(sizes: Sequence[int]) -> Floats:
        height, found = math.prod(sizes[:-1]), list(STATE.finditer(excerpt.text))
        for state in found:
            if state.group() not in codes:
                excerpt.fail(str(UnknownStateError(key, state.group(), codes)), state.start())
        if len(found) != height:
            excerpt.fail(f"expected {height} states, found {len(found)}")
        values = np.zeros((height, len(states)))
        values[np.arange(height), [codes[state.group()] for state in found]] = 1.0
        return values

    return table


def render(network: BayesianNetwork) -> str:
    """The network as XDSL, parents before children, as SMILE needs them."""
    order = network.dag.topological_order()
    states, words, titles = network.states, spelled(network.dag.nodes, WORD), spelled(network.dag.nodes, LINE)
    nodes = (_rendered_node(cast(Table, network.family(name)), words, states[name]) for name in order)
    views = _rendered_views(order, words, titles)
    return "".join([HEAD, "  <nodes>\n", *nodes, "  </nodes>\n", *views, "</smile>\n"])


def _rendered_node(table: Table, words: Spellings, labels: tuple[Label, ...]) -> str:
    states, own = spelled(labels, WORD), words[table.variable]
    lines = [f'<state id="{states[label]}" />' for label in labels]
    if table.parents:
        lines.append(f"<parents>{' '.join(words[parent] for parent in table.parents)}</parents>")
    lines.append(f"<probabilities>{' '.join(rows_of_numbers(table.values))}</probabilities>")
    noted = notes(table.variable, words, labels, states).items()
    lines += [f'<property id="{key}">{text}</property>' for key, text in noted]
    inside = "".join(f"      {line}\n" for line in lines)
    return f'    <cpt id="{own}">\n{inside}    </cpt>\n'


def _rendered_views(order: Sequence[Name], words: Spellings, titles: Spellings) -> Iterator[str]:
    """How GeNIe shows the nodes: under their true names, on a grid; pyAgrum cannot read a file without this part."""
    columns = math.isqrt(len(order)) + 1
    yield '  <extensions>\n    <genie version="1.0" app="dconvex" name="unknown">\n'
    for index, name in enumerate(order):
        row, column = divmod(index, columns)
        x, y = 40 + 160 * column, 40 + 100 * row
        yield f'      <node id="{words[name]}">\n        <name>{escape(titles[name], quote=False)}</name>\n'
        yield f"        <position>{x} {y} {x + 100} {y + 50}</position>\n      </node>\n"
    yield "    </genie>\n  </extensions>\n"
