"""BIF, the Bayesian Interchange Format, as the bnlearn repository, pgmpy, pyAgrum and others write it.

Names and states are words or quoted strings. Commas between them may be left out, as the format's grammar has it; where
there are commas, they alone separate states, so that `very low` is one state. States are read as str, unless our own
property `dconvex_label_types` says int or bool (`dconvex_name_type` does the same for an integer variable name).
Other properties are passed over.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NoReturn, cast

import numpy as np
from numpy.typing import NDArray

from dconvex.errors import DconvexError, FormatError, UnknownStateError, UnknownVariableError
from dconvex.formats.format import Format, cell_count
from dconvex.formats.scanner import Scanner, format_error
from dconvex.graph.dag import Dag
from dconvex.names import Label, Name, checked_labels
from dconvex.network.discrete import Floats, Tables
from dconvex.network.families import Table
from dconvex.network.network import BayesianNetwork

MOST_CELLS = 1 << 26
"""Of all tables together: a `default` row can ask for any number of cells in a few bytes."""

COMMENT = re.compile(r'"[^"]*+"|//[^\n]*+|/\*.*?\*/|/\*', re.DOTALL)
BLOCK = re.compile(r"(?:network|variable|probability)\b")
NAME = re.compile(r'"([^"]*+)"|([^\s,;{}()\[\]|"]++)')
OPEN, CLOSE, SEMICOLON = re.compile(r"\{"), re.compile(r"\}"), re.compile(r";")
TYPE = re.compile(r"type\b\s*+discrete\b\s*+\[\s*+(\d{1,18})\s*+\]")
PROPERTY = re.compile(r'property\b((?:[^;{}"]++|"[^"]*+")*+);')
IN_BRACES = re.compile(r'\{((?:[^{}"]++|"[^"]*+")*+)\}')
IN_BRACKETS = re.compile(r'\(((?:[^()"]++|"[^"]*+")*+)\)')
ROW = re.compile(r'\s*+\(((?:[^()"]++|"[^"]*+")*+)\)([^;{}()"]*+);')
ROWS = re.compile(rf"(?:{ROW.pattern})++")
WHOLE = re.compile(r'(table|default)\b([^;{}()"]*+);')
NUMBER = re.compile(r"[^\s,]++")
OWN_PROPERTY = re.compile(r"\s*+(dconvex_\w++)\s*+=\s*+(.*\S)\s*+")
UNHOLDABLE = re.compile(r'["\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]')


@dataclass(frozen=True, slots=True)
class _Variable:
    """A `variable` block: the name and states, as they are spelled and as they are."""

    place: int
    name: Name
    spelled: tuple[str, ...]
    labels: tuple[Label, ...]


@dataclass(frozen=True, slots=True)
class _Probability:
    """A `probability` block: the parents as they are spelled, and the span of its body."""

    place: int
    parents: tuple[str, ...]
    start: int
    stop: int


def parse(text: str, path: str) -> BayesianNetwork:
    """The network in a BIF text; blocks may come in any order."""
    scanner = Scanner(_without_comments(text, path), path)
    variables, probabilities = _blocks(scanner)
    _check_names(scanner, variables, probabilities)
    by_name = {variable.name: spelled for spelled, variable in variables.items()}
    try:
        dag = Dag.from_parents(
            {
                variable.name: [variables[parent].name for parent in probabilities[spelled].parents]
                for spelled, variable in variables.items()
            }
        )
        in_order = [by_name[name] for name in dag.nodes]
        arrays = _tables(scanner, variables, probabilities, in_order)
        return BayesianNetwork(dag, Tables.from_arrays(dag, tuple(variables[s].labels for s in in_order), arrays))
    except FormatError:
        raise
    except DconvexError as error:
        culprit = getattr(error, "variable", None)
        place = probabilities[by_name[culprit]].place if culprit in by_name else 0
        raise format_error(str(error), text, path, place) from None


def _without_comments(text: str, path: str) -> str:
    """The text with blanks for comments, so that every place keeps its line and column."""
    if "//" not in text and "/*" not in text:
        return text

    def blank(found: re.Match[str]) -> str:
        comment = found.group()
        if comment == "/*":
            raise format_error("expected the end of the comment, '*/'", text, path, found.start())
        return comment if comment[0] == '"' else re.sub(r"[^\n]", " ", comment)

    return COMMENT.sub(blank, text)


def _blocks(scanner: Scanner) -> tuple[dict[str, _Variable], dict[str, _Probability]]:
    """All `variable` and `probability` blocks by the name they are about; the bodies of the latter are not yet read."""
    variables: dict[str, _Variable] = {}
    probabilities: dict[str, _Probability] = {}
    while scanner.skip_space() < len(scanner.text):
        place = scanner.place
        keyword = scanner.expect(BLOCK, "'network', 'variable' or 'probability'").group()
        if keyword == "network":
            scanner.take(NAME)
            scanner.expect(IN_BRACES, "a block in '{' and '}'")
            continue
        if keyword == "variable":
            spelled, variable = _variable(scanner)
            repeated = spelled in variables
            variables[spelled] = variable
        else:
            spelled, probability = _probability(scanner)
            repeated = spelled in probabilities
            probabilities[spelled] = probability
        if repeated:
            scanner.fail(f"a second {keyword} block for {spelled!r}", place)
    return variables, probabilities


def _variable(scanner: Scanner) -> tuple[str, _Variable]:
    place = scanner.skip_space()
    spelled = _word(scanner.expect(NAME, "the name of a variable"))
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
        scanner.fail(f"expected the type of the variable {spelled!r} before '}}'", scanner.place - 1)
    try:
        name: Name = int(spelled) if types.get("dconvex_name_type") == "int" else spelled
        labels = checked_labels(name, _typed(states, types.get("dconvex_label_types", "str").split()))
    except (ValueError, KeyError) as error:
        scanner.fail(f"the states of {spelled!r} do not fit their types: {error}", place)
    return spelled, _Variable(place, name, states, labels)


def _states(scanner: Scanner) -> tuple[str, ...]:
    declared = scanner.expect(TYPE, "'type discrete [ number of states ]', 'property' or '}'")
    listed = scanner.expect(IN_BRACES, "the states in '{' and '}'")
    states = tuple(_items(listed.group(1), int(declared.group(1))))
    scanner.expect(SEMICOLON, "';' after the states")
    if len(states) != int(declared.group(1)) or not states:
        scanner.fail(f"expected {declared.group(1)} states, found {len(states)}", listed.start())
    return states


def _typed(spelled: Sequence[str], types: Sequence[str]) -> Iterator[Label]:
    """The labels as our own property types them: one type for all, or one for each."""
    read_as: dict[str, Callable[[str], Label]] = {
        "int": int,
        "bool": {"True": True, "False": False}.__getitem__,
        "str": str,
    }
    each = [*types] * len(spelled) if len(types) == 1 else types
    return (read_as[kind](text) for kind, text in zip(each, spelled, strict=True))


def _probability(scanner: Scanner) -> tuple[str, _Probability]:
    place = scanner.skip_space()
    scope = scanner.expect(IN_BRACKETS, "'(' names ')'")
    names = [_word(found) for found in NAME.finditer(scope.group(1))]
    if not names:
        scanner.fail("expected a name between '(' and ')'", place)
    body = scanner.expect(IN_BRACES, "a block in '{' and '}'")
    return names[0], _Probability(place, tuple(names[1:]), body.start(1), body.end(1))


def _check_names(scanner: Scanner, variables: Mapping[str, _Variable], probabilities: Mapping[str, _Probability]) -> None:
    for spelled, block in probabilities.items():
        for member in (spelled, *block.parents):
            if member not in variables:
                scanner.fail(str(UnknownVariableError(member, variables)), block.place)
    for spelled, variable in variables.items():
        if spelled not in probabilities:
            scanner.fail(f"expected a probability block for {spelled!r}, found none", variable.place)


def _tables(
    scanner: Scanner,
    variables: Mapping[str, _Variable],
    probabilities: Mapping[str, _Probability],
    order: Sequence[str],
) -> Iterator[Floats]:
    places = {name: {text: place for place, text in enumerate(own.spelled)} for name, own in variables.items()}
    cells_so_far = 0
    for spelled in order:
        block = probabilities[spelled]
        body = _Body(scanner, block, len(places[spelled]), [places[parent] for parent in block.parents])
        cells = body.height * body.width
        cells_so_far += cells
        if cells_so_far > MOST_CELLS:
            scanner.fail(f"the table of {spelled!r} would have {_about(cells)} cells; that is too many", block.place)
        yield body.table()


class _Body:
    """The body of a probability block: rows `(states) numbers;`, or `table numbers;`, and a `default` for other rows.

    A large file has a hundred thousand rows, so they are taken in runs and converted all at once; only when something
    is wrong are they gone through one by one, to say where.
    """

    def __init__(self, scanner: Scanner, block: _Probability, width: int, parents: list[dict[str, int]]) -> None:
        self.scanner, self.block, self.width, self.parents = scanner, block, width, parents
        self.height = cell_count(map(len, parents))
        self.runs: list[tuple[int, int]] = []
        self.whole: dict[str, re.Match[str]] = {}
        scanner.place = block.start
        while scanner.skip_space() < block.stop:
            if found := scanner.take(WHOLE):
                self.whole[found.group(1)] = found
            elif run := scanner.take(ROWS):
                self.runs.append(run.span())
            elif not scanner.take(PROPERTY):
                scanner.fail(f"expected '(states) numbers;', 'table', 'default' or 'property', found {scanner.ahead()}")

    def table(self) -> Floats:
        """All rows, states of the parents in row-major order."""
        if "table" not in self.whole:
            return self._table_of_rows()
        if self.runs or "default" in self.whole:
            self.scanner.fail("expected either 'table' or rows and a 'default', found both", self.block.place)
        # the child's own state varies slowest in a flat table
        return self._numbers([self.whole["table"].group(2)], self.height * self.width).reshape(self.width, -1).T

    def _table_of_rows(self) -> Floats:
        rows = [row for start, stop in self.runs for row in ROW.findall(self.scanner.text, start, stop)]
        places = self._row_places([states for states, _ in rows])
        values = self._numbers([numbers for _, numbers in rows], self.width)
        if "default" in self.whole:
            default = self._numbers([self.whole["default"].group(2)], self.width)
            table = np.tile(default, (self.height, 1))
        elif len(places) == self.height:
            table = np.empty((self.height, self.width))
        else:
            self.scanner.fail(f"expected a row for {self._first_missing(places)}, found none", self.block.place)
        table[places] = values.reshape(-1, self.width)
        return table

    def _row_places(self, rows: list[str]) -> NDArray[np.intp]:
        """For each row the place in the table that the parents' states give it."""
        places = np.zeros(len(rows), np.intp)
        try:
            columns = zip(*(_items(row, len(self.parents)) for row in rows), strict=True) if rows else [()] * len(self.parents)
            for codes, column in zip(self.parents, columns, strict=True):
                places = places * len(codes) + np.fromiter(map(codes.__getitem__, column), np.intp, len(rows))
        except (KeyError, ValueError):
            self._blame_states()
        if len(np.unique(places)) < len(places):
            seen = places.tolist()
            again = next(n for n, place in enumerate(seen) if place in seen[:n])
            self.scanner.fail(
                "these states of the parents already have a row",
                next(itertools.islice(self._each_row(), again, None)).start(1),
            )
        return places

    def _blame_states(self) -> NoReturn:
        for row in self._each_row():
            states = _items(row.group(1), len(self.parents))
            if len(states) != len(self.parents):
                expected = f"expected {len(self.parents)} states of the parents, found {len(states)}"
                self.scanner.fail(expected, row.start(1))
            for parent, codes, state in zip(self.block.parents, self.parents, states, strict=True):
                if state not in codes:
                    self.scanner.fail(str(UnknownStateError(parent, state, codes)), row.start(1))
        raise AssertionError("nothing is wrong with the states")

    def _numbers(self, texts: list[str], width: int) -> Floats:
        """The numbers of all texts, each of which must hold `width` of them."""
        split = [text.replace(",", " ").split() for text in texts]
        if any(len(words) != width for words in split):
            self._blame_numbers(width)
        try:
            return np.array(list(map(float, itertools.chain.from_iterable(split))), np.float64)
        except ValueError:
            self._blame_numbers(width)

    def _blame_numbers(self, width: int) -> NoReturn:
        for statement in (*self._each_row(), *self.whole.values()):
            wanted = width if statement.group(1) == "table" else self.width
            words = list(NUMBER.finditer(self.scanner.text, *statement.span(2)))
            for word in words:
                if not _is_number(word.group()):
                    self.scanner.fail(f"expected a number, found {word.group()[:40]!r}", word.start())
            if len(words) != wanted:
                self.scanner.fail(f"expected {_about(wanted)} numbers, found {len(words)}", statement.start(2))
        raise AssertionError("nothing is wrong with the numbers")

    def _each_row(self) -> Iterator[re.Match[str]]:
        return (row for start, stop in self.runs for row in ROW.finditer(self.scanner.text, start, stop))

    def _first_missing(self, places: NDArray[np.intp]) -> str:
        """The states of the parents that have no row, as a row would begin."""
        number = next(n for n, place in enumerate([*sorted(places.tolist()), -1]) if n != place)
        states = []
        for codes in reversed(self.parents):
            number, state = divmod(number, len(codes))
            states.append(list(codes)[state])
        return f"({', '.join(reversed(states))})" if states else "the variable itself"


def _items(text: str, count: int) -> list[str]:
    """Words or quoted strings, `count` of them if all is well: commas separate them or, where there are none, spaces."""
    if '"' in text:
        return [_word(found) for found in NAME.finditer(text)]
    if "," not in text:
        return [text.strip()] if count == 1 else text.split()
    parts = [part.strip() for part in text.split(",")]
    return parts if parts[-1] else parts[:-1]


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


def _word(found: re.Match[str]) -> str:
    quoted, word = found.groups()
    return str(word if quoted is None else quoted)


def _about(count: int) -> str:
    return f"{count:,}" if count < 1 << 60 else "more than 2^60"


def render(network: BayesianNetwork) -> str:
    """The network as BIF, in the layout of the bnlearn repository."""
    states = network.states
    variables = (_rendered_variable(node, states[node]) for node in network.dag.nodes)
    tables = (_rendered_table(network, states, node) for node in network.dag.nodes)
    return "".join(["network unknown {\n}\n", *variables, *tables])


def _rendered_variable(node: Name, labels: tuple[Label, ...]) -> str:
    lines = [f"  type discrete [ {len(labels)} ] {{ {', '.join(map(_quoted, labels))} }};\n"]
    if isinstance(node, int):
        lines.append("  property dconvex_name_type = int ;\n")
    types = [type(label).__name__ for label in labels]
    if set(types) != {"str"}:
        lines.append(f"  property dconvex_label_types = {' '.join(types[:1] if len(set(types)) == 1 else types)} ;\n")
    return f"variable {_quoted(node)} {{\n{''.join(lines)}}}\n"


def _rendered_table(network: BayesianNetwork, states: Mapping[Name, tuple[Label, ...]], node: Name) -> str:
    parents = network.dag.parents(node)
    values = cast(Table, network.family(node)).values.reshape(-1, len(states[node])).tolist()
    rows = (", ".join(map(repr, row)) for row in values)
    if not parents:
        return f"probability ( {_quoted(node)} ) {{\n  table {next(rows)};\n}}\n"
    given = itertools.product(*([_quoted(label) for label in states[parent]] for parent in parents))
    lines = (f"  ({', '.join(labels)}) {row};\n" for labels, row in zip(given, rows, strict=True))
    return f"probability ( {_quoted(node)} | {', '.join(map(_quoted, parents))} ) {{\n{''.join(lines)}}}\n"


def _quoted(name: Name | Label) -> str:
    word = str(name)
    is_plain = NAME.fullmatch(word) and word[0] != '"' and "//" not in word and "/*" not in word
    return word if is_plain else f'"{word}"'


FORMAT = Format(
    name="BIF",
    suffixes=(".bif",),
    kinds=frozenset({"discrete"}),
    parse=parse,
    render=render,
    holds=lambda name: not UNHOLDABLE.search(str(name)),
    spelled_apart=False,
)
