"""DSC, the format of Microsoft's MSBNX, in which bnlearn and others write too.

    belief network "weather"
    node rain { type : discrete [ 2 ] = { "no", "yes" }; }
    node wet { type : discrete [ 2 ] = { "dry", "wet" }; }
    probability ( rain ) { 0.8, 0.2; }
    probability ( wet | rain ) { (0) : 0.9, 0.1; (1) : 0.2, 0.8; }

A row begins with the numbers of its parents' states. Names are words, or strings in quotes; where one is written as another
word, a property of our own says so (`spelling`).
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence
from typing import cast

import numpy as np

from dconvex.arrays import Floats
from dconvex.formats.draft import Draft, MissingTable, ReadTable
from dconvex.formats.file_format import Format, all_fit
from dconvex.formats.number_lists import read_numbers, rows_of_numbers
from dconvex.formats.rows import FILE_ROWS
from dconvex.formats.scanner import Excerpt, Scanner, blank
from dconvex.formats.spelling import LINE, NOTES, WORD, Spellings, notes, spelled
from dconvex.names import Label, Name
from dconvex.network.family import Table
from dconvex.network.network import BayesianNetwork
from dconvex.network.probability_tables import RowRule

STRING = r'"[^"]*+"'
COMMENT = re.compile(rf"{STRING}|(//[^\n]*+|/\*.*?\*/)", re.DOTALL)
HEAD = re.compile(rf"belief\s++network\b(?:\s*+(?:{STRING}|\w++))?")
BLOCK = re.compile(r"(?:properties|node|probability)\b")
NAME = re.compile(rf'({STRING})|([^\s,;:{{}}()|"]++)')
OPEN, CLOSE = re.compile(r"\{"), re.compile(r"\}")
IN_BRACES = re.compile(rf'\{{((?:[^{{}}"]++|{STRING}|\{{(?:[^{{}}"]++|{STRING})*+\}})*+)\}}')
TYPE = re.compile(r"type\s*+:\s*+discrete\s*+\[\s*+(\d{1,18})\s*+\]\s*+=\s*+\{([^{}]*+)\}\s*+;?")
ATTRIBUTE = re.compile(rf'(\w++)\s*+[:=]\s*+((?:[^;{{}}"]++|{STRING})*+);')
SCOPE = re.compile(rf'\(((?:[^()|"]++|{STRING})*+)(?:\|((?:[^()|"]++|{STRING})*+))?\)')
STATEMENT = re.compile(r"\s*+(?:(?:\(([\d\s,]*+)\)|(default))\s*+:)?+([^;:(){}]*+);")


FUNCTION = re.compile(r"function\s*+:\s*+\w*+")
STATE = re.compile(rf'(?![^"{{}}]*+["{{}}]){LINE.pattern}')
"""A state that can be written in quotes."""


def parse(text: str, path: str, rows: RowRule = FILE_ROWS) -> BayesianNetwork:
    """The network in a DSC text; blocks may be in any order."""
    return drafted(text, path, rows).network()


def drafted(text: str, path: str, rows: RowRule) -> Draft:
    """What is in a DSC text."""
    scanner = Scanner(COMMENT.sub(lambda found: blank(found) if found.group(1) else found.group(), text), path)
    draft = Draft(scanner, "probability block", rows)
    scanner.expect(HEAD, "'belief network'")
    while scanner.skip_space() < len(scanner.text):
        keyword = scanner.expect(BLOCK, "'node' or 'probability'").group()
        if keyword == "properties":
            scanner.expect(IN_BRACES, "a block in '{' and '}'")
        elif keyword == "node":
            _add_variable(scanner, draft)
        else:
            _add_family(scanner, draft)
    return draft


def _word(found: re.Match[str]) -> str:
    string, word = found.group(1), found.group(2)
    return word if string is None else string[1:-1]


def _add_variable(scanner: Scanner, draft: Draft) -> None:
    position = scanner.skip_space()
    key = _word(scanner.expect(NAME, "the name of a node"))
    scanner.expect(OPEN, "'{'")
    states: list[str] | None = None
    noted: dict[str, str] = {}
    while not scanner.take(CLOSE):
        if found := scanner.take(TYPE):
            states = [_word(state) for state in NAME.finditer(found.group(2))]
            if len(states) != int(found.group(1)):
                scanner.fail(f"expected {found.group(1)} states, found {len(states)}", found.start())
        else:
            attribute = scanner.expect(ATTRIBUTE, "'type : discrete [ number of states ] = { states };' or '}'")
            if attribute.group(1) in NOTES:
                noted[attribute.group(1)] = attribute.group(2).strip().strip('"')
    if states is None:
        scanner.fail(f"expected the type of {key!r} before '}}'", scanner.position - 1)
    draft.add_noted_variable(key, position, states, noted)


def _add_family(scanner: Scanner, draft: Draft) -> None:
    position = scanner.skip_space()
    scope = scanner.expect(SCOPE, "'( name | names )'")
    children, parents = ([] if part is None else [_word(found) for found in NAME.finditer(part)] for part in scope.groups())
    if len(children) != 1:
        scanner.fail(f"expected one name before '|', found {len(children)}", position)
    scanner.expect(OPEN, "'{'")
    statements: list[re.Match[str]] = []
    while not scanner.take(CLOSE):
        if found := scanner.take(FUNCTION):
            scanner.fail(f"a table with {found.group()!r} cannot be read; write its rows out", found.start())
        statements.append(scanner.expect(STATEMENT, "'(states) : numbers;', 'numbers;' or '}'"))
    empty = MissingTable(scanner, "expected the rows of a table, found none", position)
    draft.add_family(children[0], position, parents, _reader(scanner, position, statements) if statements else empty)


def _reader(scanner: Scanner, position: int, statements: Sequence[re.Match[str]]) -> ReadTable:
    def table(sizes: Sequence[int]) -> Floats:
        parents, width = sizes[:-1], sizes[-1]
        height = int(np.prod(parents, dtype=np.int64))
        values = np.full((height, width), np.nan)
        seen = np.zeros(height, bool)
        default: Floats | None = None
        for statement in statements:
            row = read_numbers(_numbers(scanner, statement), width)
            if statement.group(2):
                default = row
                continue
            number = _row_number(scanner, statement, parents)
            if seen[number]:
                scanner.fail("these states of the parents already have a row", statement.start(3))
            seen[number], values[number] = True, row
        if default is not None:
            values[~seen] = default
        elif not seen.all():
            states = np.unravel_index(int(np.argmin(seen)), parents) if parents else ()
            found = f"({', '.join(map(str, states))})" if parents else "the variable itself"
            scanner.fail(f"expected a row for {found}, found none", position)
        return values

    return table


def _numbers(scanner: Scanner, statement: re.Match[str]) -> Excerpt:
    return scanner.excerpt(*statement.span(3))


def _row_number(scanner: Scanner, statement: re.Match[str], parents: Sequence[int]) -> int:
    states = [int(word[:18]) for word in re.findall(r"\d++", statement.group(1) or "")]
    if len(states) != len(parents):
        scanner.fail(f"expected the states of {len(parents)} parents, found {len(states)}", statement.start(3))
    number = 0
    for state, size in zip(states, parents, strict=True):
        if state >= size:
            scanner.fail(f"expected a state below {size}, found {state}", statement.start(1))
        number = number * size + state
    return number


def render(network: BayesianNetwork) -> str:
    """The network as DSC."""
    words = spelled(network.dag.nodes, WORD)
    nodes = (_rendered_node(name, words, labels) for name, labels in network.states.items())
    tables = (_rendered_table(cast(Table, network.family(name)), words, network.states) for name in network.dag.nodes)
    return "".join(['belief network "unknown"\n', *nodes, *tables])


def _rendered_node(name: Name, words: Spellings, labels: tuple[Label, ...]) -> str:
    states = spelled(labels, STATE)
    listed = ", ".join(f'"{states[label]}"' for label in labels)
    noted = (f'  {key} : "{text}";\n' for key, text in notes(name, words, labels, states).items())
    return f"node {words[name]} {{\n  type : discrete [ {len(labels)} ] = {{ {listed} }};\n{''.join(noted)}}}\n"


def _rendered_table(table: Table, words: Spellings, states: Mapping[Name, tuple[Label, ...]]) -> str:
    rows = rows_of_numbers(table.values, ", ")
    if not table.parents:
        return f"probability ( {words[table.variable]} ) {{\n  {next(rows)};\n}}\n"
    numbers = itertools.product(*(range(len(states[parent])) for parent in table.parents))
    lines = (f"  ({', '.join(map(str, given))}) : {row};\n" for given, row in zip(numbers, rows, strict=True))
    given = ", ".join(words[parent] for parent in table.parents)
    return f"probability ( {words[table.variable]} | {given} ) {{\n{''.join(lines)}}}\n"


FORMAT = Format(
    name="DSC",
    suffixes=(".dsc",),
    kinds=frozenset({"discrete"}),
    parse=parse,
    drafted=drafted,
    render=render,
    replacements=all_fit,
)
