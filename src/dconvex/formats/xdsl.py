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
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING

from dconvex.formats.computed_tables import deterministic, noisy_max
from dconvex.formats.draft import Draft, ReadTable
from dconvex.formats.gaussian_draft import GaussianDraft
from dconvex.formats.linear_terms import Linear, Terms
from dconvex.formats.number_lists import first_parent_slowest, rows_of_numbers
from dconvex.formats.scanner import Excerpt
from dconvex.formats.spelling import LINE, WORD, Spellings, notes, spelled
from dconvex.names import Label, Name
from dconvex.network.family import Regression, Table
from dconvex.network.network import BayesianNetwork
from dconvex.network.probability_tables import RowRule

if TYPE_CHECKING:
    from dconvex.formats.xml_tree import Document, Element

STATE = re.compile(r"\S++")
VARIANCE = "dconvex_variance"
"""Our own property: GeNIe's files have deviations, whose squares are not always the variances that they come from."""
HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n<smile version="1.0" id="unknown" numsamples="10000" discsamples="10000">\n'


def drafted(document: Document, rows: RowRule) -> Draft | GaussianDraft:
    """What is in an XDSL document; nodes may be in any order."""
    for element in document.root.all("dynamic"):
        document.fail("this is a dynamic network; only networks without time can be read", element)
    nodes = document.the("nodes", document.root).children
    equations = [node for node in nodes if node.tag == "equation"]
    if equations:
        return _gaussian_draft(document, nodes, equations)
    is_pyagrum = _is_pyagrum(document.root)
    draft = Draft(document.scanner, "<cpt>", rows)
    for node in nodes:
        _add_node(document, draft, node, is_pyagrum)
    return draft


def _gaussian_draft(document: Document, nodes: Sequence[Element], equations: Sequence[Element]) -> GaussianDraft:
    """A network of equations, all of which must be linear with normal noise."""
    draft = GaussianDraft(document.scanner)
    for node in nodes:
        key = document.attribute("id", node)
        if node.tag != "equation":
            other = repr(equations[0].attributes.get("id", ""))
            problem = f"{key!r} is a <{node.tag}> node and {other} an <equation>"
            document.fail(f"{problem}; networks of tables and equations together cannot be read", node)
        regression = _equation(document, key, node)
        properties = _properties(node)
        exact = _number(properties.get(VARIANCE, ""))
        if math.isclose(exact, regression.variance, rel_tol=1e-12):
            regression.variance = exact
        draft.add(key, node.position, _parents(node), regression, properties)
    return draft


def _equation(document: Document, key: str, node: Element) -> Linear:
    excerpt = document.excerpt(document.the("definition", node))
    name, sign, _ = excerpt.text.partition("=")
    if not sign or name.strip() != key:
        excerpt.fail(f"expected '{key} = …', found {excerpt.text.strip()[:40]!r}")
    start = len(name) + 1
    rest = Excerpt(excerpt.scanner, excerpt.text[start:], excerpt.start + start * excerpt.is_verbatim, excerpt.is_verbatim)
    return Terms(rest).whole()


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan


def _is_pyagrum(root: Element) -> bool:
    programs = [genie for extensions in root.all("extensions") for genie in extensions.all("genie")]
    return any(program.attributes.get("app", "").startswith("aGrUM") for program in programs)


def _add_node(document: Document, draft: Draft, node: Element, is_pyagrum: bool) -> None:
    key = document.attribute("id", node)
    states = [document.attribute("id", state) for state in node.all("state")]
    if node.tag == "cpt":
        table = document.table("probabilities", node)
    elif node.tag == "deterministic":
        excerpt = document.excerpt(document.the("resultingstates", node))
        chosen = [(found.group(), found.start()) for found in STATE.finditer(excerpt.text)]
        table = deterministic(key, states, chosen, excerpt)
    elif node.tag == "noisymax":
        strengths, parameters = (document.excerpt(document.the(tag, node)) for tag in ("strengths", "parameters"))
        table = noisy_max(strengths, parameters)
    else:
        readable = "<cpt>, <deterministic>, <noisymax> and linear <equation> nodes"
        document.fail(f"{key!r} is a <{node.tag}> node; only {readable} can be read", node)
    draft.add_noted_variable(key, node.position, states, _properties(node))
    draft.add_family(key, node.position, _parents(node), _first_parent_slowest(table) if is_pyagrum else table)


def _properties(node: Element) -> dict[str, str]:
    return {element.attributes.get("id", ""): element.text for element in node.all("property")}


def _parents(node: Element) -> list[str]:
    return [parent for element in node.all("parents") for parent in element.text.split()]


def _first_parent_slowest(table: ReadTable) -> ReadTable:
    return lambda sizes: first_parent_slowest(table(sizes), sizes)


def render(network: BayesianNetwork) -> str:
    """The network as XDSL, parents before children, as SMILE needs them."""
    order = network.dag.topological_order()
    states, words, titles = network.states, spelled(network.dag.nodes, WORD), spelled(network.dag.nodes, LINE)
    views = _rendered_views(order, words, titles)
    nodes = (_rendered_family(network.family(name), words, states) for name in order)
    return "".join([HEAD, "  <nodes>\n", *nodes, "  </nodes>\n", *views, "</smile>\n"])


def _rendered_family(family: Table | Regression, words: Spellings, states: Mapping[Name, tuple[Label, ...]]) -> str:
    if isinstance(family, Regression):
        return _rendered_equation(family, words)
    return _rendered_node(family, words, states[family.variable])


def _rendered_equation(own: Regression, words: Spellings) -> str:
    name, deviation = words[own.variable], math.sqrt(own.variance)
    terms = [f"{coefficient!r}*{words[parent]}" for parent, coefficient in own.coefficients.items()]
    definition = " + ".join([*terms, f"Normal({own.intercept!r}, {deviation!r})"])
    lines = [f"<parents>{' '.join(words[parent] for parent in own.parents)}</parents>"] if own.parents else []
    lines.append(f"<definition>{name} = {definition}</definition>")
    noted = notes(own.variable, words, (), {})
    if deviation**2 != own.variance:
        noted[VARIANCE] = repr(own.variance)
    lines += [f'<property id="{key}">{text}</property>' for key, text in noted.items()]
    inside = "".join(f"      {line}\n" for line in lines)
    return f'    <equation id="{name}">\n{inside}    </equation>\n'


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
