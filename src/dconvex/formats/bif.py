"""BIF, the Bayesian Interchange Format, as the bnlearn repository, pgmpy, pyAgrum and others write it.

Names and states are words or quoted strings. The commas between them are optional; where there are commas, only they
separate states, so that `very low` is one state. States are read as str, unless our own property `dconvex_label_types`
says int or bool (`dconvex_name_type` does the same for an integer variable name). Other properties are ignored.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NoReturn, cast

import numpy as np

from dconvex.amounts import amount
from dconvex.arrays import Codes, Floats
from dconvex.errors import UnknownStateError
from dconvex.formats.draft import Draft
from dconvex.formats.file_format import Format
from dconvex.formats.number_lists import check_numbers, floats, rows_of_numbers, words
from dconvex.formats.rows import FILE_ROWS
from dconvex.formats.scanner import Scanner, blank, format_error
from dconvex.formats.spelling import READ_AS, fresh_word
from dconvex.names import Label, Name
from dconvex.network.family import Table
from dconvex.network.network import BayesianNetwork
from dconvex.network.probability_tables import RowRule

COMMENT = re.compile(r'"[^"]*+"|//[^\n]*+|/\*.*?\*/|/\*', re.DOTALL)
BLOCK = re.compile(r"(?:network|variable|probability)\b")
NAME = re.compile(r'"([^"]*+)"|([^\s,;{}()\[\]|"]++)')
OPEN, CLOSE, SEMICOLON = re.compile(r"\{"), re.compile(r"\}"), re.compile(r";")
TYPE = re.compile(r"type\b\s*+discrete\b\s*+\[\s*+(\d{1,18})\s*+\]")
PROPERTY = re.compile(r'property\b((?:[^;{}"]++|"[^"]*+")*+);')
IN_BRACES = re.compile(r'\{((?:[^{}"]++|"[^"]*+")*+)\}')
IN_BRACKETS = re.compile(r'\(((?:[^()"]++|"[^"]*+")*+)\)')
ROW = re.compile(r'\s*+\(((?:[^()"]++|"[^"]*+")*+)\)([^;{}()"]*+);')
ROWS = re.compile(rf"(?:{ROW.pattern}){{1,4096}}+")
WHOLE = re.compile(r'(table|default)\b([^;{}()"]*+);')
OWN_PROPERTY = re.compile(r"\s*+(dconvex_\w++)\s*+=\s*+(.*\S)\s*+")
UNHOLDABLE = re.compile(r'["\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]')


@dataclass(frozen=True, slots=True)
class _Probability:
    """A `probability` block: the parents as spelled in the file, and the span of its body."""

    parents: tuple[str, ...]
    start: int
    stop: int
    position: int


def parse(text: str, path: str, rows: RowRule = FILE_ROWS) -> BayesianNetwork:
    """The network in a BIF text; blocks may be in any order, so tables are read when all variables are known."""
    scanner = Scanner(without_comments(text, path), path)
    draft = Draft(scanner, "probability block", rows)
    codes: dict[str, dict[str, int]] = {}
    if scanner.skip_space() == len(scanner.text):
        scanner.fail("expected 'network', 'variable' or 'probability', found the end of the file")
    while scanner.skip_space() < len(scanner.text):
        keyword = scanner.expect(BLOCK, "'network', 'variable' or 'probability'").group()
        if keyword == "network":
            scanner.take(NAME)
            scanner.expect(IN_BRACES, "a block in '{' and '}'")
        elif keyword == "variable":
            spelled, states = _add_variable(scanner, draft)
            codes[spelled] = {state: code for code, state in enumerate(states)}
        else:
            spelled, block = _probability(scanner)
            draft.add_family(spelled, block.position, block.parents, partial(_table, scanner, block, codes))
    return draft.network()


def without_comments(text: str, path: str) -> str:
    """The text with comments replaced by blanks: every position keeps its line and column."""
    if "//" not in text and "/*" not in text:
        return text

    def without(found: re.Match[str]) -> str:
        comment = found.group()
        if comment == "/*":
            raise format_error("expected the end of the comment, '*/'", text, path, found.start())
        return comment if comment[0] == '"' else blank(found)

    return COMMENT.sub(without, text)


def _add_variable(scanner: Scanner, draft: Draft) -> tuple[str, tuple[str, ...]]:
    """Read a `variable` block; its name and states as spelled in the file."""
    position = scanner.skip_space()
    spelled = word(scanner.expect(NAME, "the name of a variable"))
    scanner.expect(OPEN, "'{'")
    states: tuple[str, ...] | None = None
    types: dict[str, str] = {}
    while not scanner.take(CLOSE):
        if found := scanner.take(PROPERTY):
            if own := OWN_PROPERTY.fullmatch(found.group(1)):
                types[own.group(1)] = own.group(2)
        elif states is None:
            states = _states(scanner)
        else:
            scanner.fail(f"expected 'property' or '}}', found {scanner.ahead()}")
    if states is None:
        scanner.fail(f"expected the type of the variable {spelled!r} before '}}'", scanner.position - 1)
    try:
        name: Name = int(spelled) if types.get("dconvex_name_type") == "int" else spelled
        labels = list(_typed(states, types.get("dconvex_label_types", "str").split()))
    except (ValueError, KeyError) as error:
        scanner.fail(f"the states of {spelled!r} do not fit their types: {error}", position)
    draft.add_variable(spelled, position, name, labels)
    return spelled, states


def _states(scanner: Scanner) -> tuple[str, ...]:
    declared = scanner.expect(TYPE, "'type discrete [ number of states ]', 'property' or '}'")
    listed = scanner.expect(IN_BRACES, "the states in '{' and '}'")
    states = tuple(_items(listed.group(1), int(declared.group(1))))
    scanner.expect(SEMICOLON, "';' after the states")
    if len(states) != int(declared.group(1)) or not states:
        scanner.fail(f"expected {declared.group(1)} states, found {len(states)}", listed.start())
    return states


def _typed(spelled: Sequence[str], types: Sequence[str]) -> Iterator[Label]:
    """The labels with the types that our own property gives: one type for all, or one for each."""
    each = [*types] * len(spelled) if len(types) == 1 else types
    return (READ_AS[kind](text) for kind, text in zip(each, spelled, strict=True))


def _probability(scanner: Scanner) -> tuple[str, _Probability]:
    position = scanner.skip_space()
    scope = scanner.expect(IN_BRACKETS, "'(' names ')'")
    names = [word(found) for found in NAME.finditer(scope.group(1))]
    if not names:
        scanner.fail("expected a name between '(' and ')'", position)
    body = scanner.expect(IN_BRACES, "a block in '{' and '}'")
    return names[0], _Probability(tuple(names[1:]), body.start(1), body.end(1), position)


def _table(scanner: Scanner, block: _Probability, codes: Mapping[str, Mapping[str, int]], sizes: Sequence[int]) -> Floats:
    return _Body(scanner, block, sizes[-1], [codes[parent] for parent in block.parents]).table()


class _Body:
    """The body of a probability block: rows `(states) numbers;`, or `table numbers;`, and a `default` for other rows.

    A large file has a hundred thousand rows, so they are matched in runs and converted all at once; only if something is
    wrong are they checked one by one, to say where.
    """

    def __init__(self, scanner: Scanner, block: _Probability, width: int, parents: Sequence[Mapping[str, int]]) -> None:
        self.scanner, self.block, self.width, self.parents = scanner, block, width, parents
        self.height = math.prod(map(len, parents))
        self.runs: list[tuple[int, int]] = []
        self.whole: dict[str, re.Match[str]] = {}
        scanner.position = block.start
        while scanner.skip_space() < block.stop:
            if found := scanner.take(WHOLE):
                self.whole[found.group(1)] = found
            elif run := scanner.take(ROWS):
                self.runs.append(run.span())
            elif not scanner.take(PROPERTY):
                scanner.fail(f"expected '(states) numbers;', 'table', 'default' or 'property', found {scanner.ahead()}")

    def table(self) -> Floats:
        """All rows, by the states of the parents in row-major order."""
        if "table" not in self.whole:
            return self._table_of_rows()
        if self.runs or "default" in self.whole:
            self.scanner.fail("expected either 'table' or rows and a 'default', found both", self.block.position)
        # the child's own state varies slowest in a flat table
        return self._numbers([self.whole["table"].group(2)], self.height * self.width).reshape(self.width, -1).T

    def _table_of_rows(self) -> Floats:
        rows = [row for start, stop in self.runs for row in ROW.findall(self.scanner.text, start, stop)]
        indices = self._row_indices([states for states, _ in rows])
        values = self._numbers([numbers for _, numbers in rows], self.width)
        if "default" in self.whole:
            default = self._numbers([self.whole["default"].group(2)], self.width)
            table = np.tile(default, (self.height, 1))
        elif len(indices) == self.height:
            table = np.empty((self.height, self.width))
        else:
            self.scanner.fail(f"expected a row for {self._first_missing(indices)}, found none", self.block.position)
        table[indices] = values.reshape(-1, self.width)
        return table

    def _row_indices(self, rows: list[str]) -> Codes:
        """For each row its index in the table, by the states of the parents."""
        indices = np.zeros(len(rows), np.intp)
        try:
            columns = zip(*(_items(row, len(self.parents)) for row in rows), strict=True) if rows else [()] * len(self.parents)
            for codes, column in zip(self.parents, columns, strict=True):
                indices = indices * len(codes) + np.fromiter(map(codes.__getitem__, column), np.intp, len(rows))
        except (KeyError, ValueError):
            self._blame_states()
        if len(np.unique(indices)) < len(indices):
            found = indices.tolist()
            again = next(n for n, index in enumerate(found) if index in found[:n])
            self.scanner.fail(
                "these states of the parents already have a row",
                next(itertools.islice(self._each_row(), again, None)).start(1),
            )
        return indices

    def _blame_states(self) -> NoReturn:
        for row in self._each_row():
            states = _items(row.group(1), len(self.parents))
            if len(states) != len(self.parents):
                expected = f"expected {amount(len(self.parents), 'state')} of the parents, found {len(states)}"
                self.scanner.fail(expected, row.start(1))
            for parent, codes, state in zip(self.block.parents, self.parents, states, strict=True):
                if state not in codes:
                    self.scanner.fail(str(UnknownStateError(parent, state, codes)), row.start(1))
        raise AssertionError("nothing is wrong with the states")

    def _numbers(self, texts: list[str], width: int) -> Floats:
        """The numbers of all texts; each text must hold `width` of them."""
        split = list(map(words, texts))
        if any(len(found) != width for found in split):
            self._blame_numbers(width)
        try:
            return floats(itertools.chain.from_iterable(split))
        except ValueError:
            self._blame_numbers(width)

    def _blame_numbers(self, width: int) -> NoReturn:
        for statement in (*self._each_row(), *self.whole.values()):
            wanted = width if statement.group(1) == "table" else self.width
            check_numbers(self.scanner.excerpt(*statement.span(2)), wanted)
        raise AssertionError("nothing is wrong with the numbers")

    def _each_row(self) -> Iterator[re.Match[str]]:
        return (row for start, stop in self.runs for row in ROW.finditer(self.scanner.text, start, stop))

    def _first_missing(self, indices: Codes) -> str:
        """The states of the parents that have no row, as they would begin it."""
        number = next(n for n, index in enumerate([*sorted(indices.tolist()), -1]) if n != index)
        states = []
        for codes in reversed(self.parents):
            number, state = divmod(number, len(codes))
            states.append(list(codes)[state])
        return f"({', '.join(reversed(states))})" if states else "the variable itself"


def _items(text: str, count: int) -> list[str]:
    """Words or quoted strings, separated by commas or, if there are none, by spaces; `count` is the expected number."""
    if '"' in text:
        return [word(found) for found in NAME.finditer(text)]
    if "," not in text:
        return [text.strip()] if count == 1 else text.split()
    parts = [part.strip() for part in text.split(",")]
    return parts if parts[-1] else parts[:-1]


def word(found: re.Match[str]) -> str:
    """The text of a match of `NAME`, without quotes."""
    inside, plain = found.groups()
    return str(plain if inside is None else inside)


def render(network: BayesianNetwork) -> str:
    """The network as BIF, in the layout of the bnlearn repository."""
    states = network.states
    variables = (_rendered_variable(node, states[node]) for node in network.dag.nodes)
    tables = (_rendered_table(network, states, node) for node in network.dag.nodes)
    return "".join(["network unknown {\n}\n", *variables, *tables])


def _rendered_variable(node: Name, labels: tuple[Label, ...]) -> str:
    lines = [f"  type discrete [ {len(labels)} ] {{ {', '.join(map(quoted, labels))} }};\n"]
    if isinstance(node, int):
        lines.append("  property dconvex_name_type = int ;\n")
    types = [type(label).__name__ for label in labels]
    if set(types) != {"str"}:
        lines.append(f"  property dconvex_label_types = {' '.join(types[:1] if len(set(types)) == 1 else types)} ;\n")
    return f"variable {quoted(node)} {{\n{''.join(lines)}}}\n"


def _rendered_table(network: BayesianNetwork, states: Mapping[Name, tuple[Label, ...]], node: Name) -> str:
    parents = network.dag.parents(node)
    rows = rows_of_numbers(cast(Table, network.family(node)).values, ", ")
    if not parents:
        return f"probability ( {quoted(node)} ) {{\n  table {next(rows)};\n}}\n"
    given = itertools.product(*([quoted(label) for label in states[parent]] for parent in parents))
    lines = (f"  ({', '.join(labels)}) {row};\n" for labels, row in zip(given, rows, strict=True))
    return f"probability ( {quoted(node)} | {', '.join(map(quoted, parents))} ) {{\n{''.join(lines)}}}\n"


def quoted(name: Name | Label) -> str:
    """A name as BIF spells it, in quotes where it needs them."""
    text = str(name)
    is_plain = NAME.fullmatch(text) and text[0] != '"' and "//" not in text and "/*" not in text
    return text if is_plain else f'"{text}"'


def _replacements(names: Sequence[Name | Label]) -> dict[Name | Label, str]:
    """New names for those that BIF cannot hold, or that are spelled like an earlier one: 1 and "1" look alike."""
    seen: set[str] = set()
    unfit: list[Name | Label] = []
    for name in names:
        if str(name) in seen or UNHOLDABLE.search(str(name)):
            unfit.append(name)
        seen.add(str(name))
    fresh: dict[Name | Label, str] = {}
    for name in unfit:
        fresh[name] = fresh_word(name, seen)
        seen.add(fresh[name])
    return fresh


FORMAT = Format(
    name="BIF",
    suffixes=(".bif",),
    kinds=frozenset({"discrete"}),
    parse=parse,
    render=render,
    replacements=_replacements,
)
