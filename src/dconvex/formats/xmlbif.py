"""XMLBIF 0.3, the XML sister of BIF, as Weka, JavaBayes, pgmpy, pyAgrum and others write it.

    <BIF VERSION="0.3"><NETWORK><NAME>unknown</NAME>
    <VARIABLE TYPE="nature"><NAME>rain</NAME><OUTCOME>no</OUTCOME><OUTCOME>yes</OUTCOME></VARIABLE>
    <DEFINITION><FOR>rain</FOR><TABLE>0.8 0.2</TABLE></DEFINITION>
    </NETWORK></BIF>

The outcomes of `FOR` vary fastest in a table, those of the first `GIVEN` slowest. Names and outcomes are strings; our own
properties say which of them mean something else (`spelling`). Other properties are ignored.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, cast

from dconvex.formats.draft import Draft
from dconvex.formats.number_lists import rows_of_numbers
from dconvex.formats.spelling import LINE, Spellings, notes, spelled
from dconvex.names import Label, Name
from dconvex.network.family import Table
from dconvex.network.network import BayesianNetwork
from dconvex.network.probability_tables import RowRule

if TYPE_CHECKING:
    from dconvex.formats.xml_tree import Document, Element


def drafted(document: Document, rows: RowRule) -> Draft:
    """What is in an XMLBIF document; variables and definitions may be in any order."""
    draft = Draft(document.scanner, "<DEFINITION>", rows)
    inside = document.the("NETWORK", document.root)
    for variable in inside.all("VARIABLE"):
        _add_variable(document, draft, variable)
    for definition in inside.all("DEFINITION"):
        _add_family(document, draft, definition)
    return draft


def _add_variable(document: Document, draft: Draft, variable: Element) -> None:
    name = document.the("NAME", variable).text
    kind = variable.attributes.get("TYPE", "nature")
    if kind.lower() != "nature":
        document.fail(f"{name!r} is a variable of type {kind!r}; only those of type 'nature' can be read", variable)
    outcomes = [outcome.text for outcome in variable.all("OUTCOME")]
    draft.add_noted_variable(name, variable.position, outcomes, dict(_properties(variable)))


def _properties(variable: Element) -> Iterator[tuple[str, str]]:
    for element in variable.all("PROPERTY"):
        key, _, text = element.text.partition("=")
        yield key.strip(), text


def _add_family(document: Document, draft: Draft, definition: Element) -> None:
    name = document.the("FOR", definition).text
    parents = [given.text for given in definition.all("GIVEN")]
    table = document.table("TABLE", definition)
    draft.add_family(name, definition.position, parents, table)


def render(network: BayesianNetwork) -> str:
    """The network as XMLBIF, a row of a table on each line."""
    names = spelled(network.dag.nodes, LINE)
    variables = (_rendered_variable(name, names, labels) for name, labels in network.states.items())
    definitions = (_rendered_definition(cast(Table, network.family(name)), names) for name in network.dag.nodes)
    head = '<?xml version="1.0" encoding="UTF-8"?>\n<BIF VERSION="0.3">\n<NETWORK>\n<NAME>unknown</NAME>\n'
    return "".join([head, *variables, *definitions, "</NETWORK>\n</BIF>\n"])


def _rendered_variable(name: Name, names: Spellings, labels: tuple[Label, ...]) -> str:
    states = spelled(labels, LINE)
    properties = [f"{key} = {text}" for key, text in notes(name, names, labels, states).items()]
    inside = {"NAME": [names[name]], "OUTCOME": [states[label] for label in labels], "PROPERTY": properties}
    return f'<VARIABLE TYPE="nature">\n{_elements(inside)}</VARIABLE>\n'


def _rendered_definition(table: Table, names: Spellings) -> str:
    rows = "\n".join(rows_of_numbers(table.values))
    inside = {"FOR": [names[table.variable]], "GIVEN": [names[parent] for parent in table.parents]}
    return f"<DEFINITION>\n{_elements(inside)}  <TABLE>\n{rows}\n  </TABLE>\n</DEFINITION>\n"


def _elements(texts: Mapping[str, Sequence[str]]) -> str:
    return "".join(f"  <{tag}>{escape(text, quote=False)}</{tag}>\n" for tag, several in texts.items() for text in several)
