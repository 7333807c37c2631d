"""UAI, the format of the inference competitions: numbers only, so variables and states are 0, 1, 2, …

    BAYES
    2            variables
    2 3          their numbers of states
    2            functions, one for each variable
    1 0          of one variable, 0
    2 0 1        of two variables: the last one is the child, the others are its parents

    2            entries of the first function
    0.8 0.2
    6            of the second; the last variable of its scope varies fastest, the first one slowest
    0.9 0.07 0.03
    0.1 0.4 0.5

Two programs write tables in another order. In pyAgrum's files, recognised by the comment `# name` after every scope, the
first parent varies fastest of the parents. In pgmpy's the first variable of the scope varies fastest and the child slowest;
a file is read in that order if all rows then sum to one, and do not in the order of the format.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias, cast

import numpy as np

from dconvex.arrays import Floats
from dconvex.formats.draft import Draft, ReadTable, cell_count
from dconvex.formats.file_format import Format
from dconvex.formats.number_lists import AT_ONCE, about, first_parent_slowest, read_numbers, rows_of_numbers
from dconvex.formats.rows import FILE_ROWS
from dconvex.formats.scanner import Excerpt, Scanner, blank
from dconvex.names import Label, Name
from dconvex.network.family import Table
from dconvex.network.network import BayesianNetwork
from dconvex.network.probability_tables import ROW_SUM_TOLERANCE, RowRule

COMMENT = re.compile(r"#[^\n]*+|^c\b[^\n]*+", re.MULTILINE)
KIND, WORD, INTEGER = re.compile(r"[A-Za-z]++"), re.compile(r"\S++"), re.compile(r"[0-9]{1,18}")
SCOPE_OF_PYAGRUM = re.compile(r"^\d++(?: \d++)++   # \S", re.MULTILINE)

Arrange: TypeAlias = Callable[[Floats, Sequence[int]], Floats]
"""From the entries of a function, and the numbers of states in its scope, to the table in our order."""


@dataclass(frozen=True, slots=True)
class _Function:
    """A scope, whose last variable is the child, and its position in the text."""

    scope: tuple[int, ...]
    position: int


@dataclass(frozen=True, slots=True)
class Functions:
    """What a UAI file says: the numbers of states, and functions of some variables, each with the axes of its scope."""

    sizes: tuple[int, ...]
    scopes: tuple[tuple[int, ...], ...]
    tables: tuple[Floats, ...]


def parse(text: str, path: str, rows: RowRule = FILE_ROWS) -> BayesianNetwork:
    """The network in a UAI text."""
    scanner = Scanner(_without_comments(text), path)
    if _kind(scanner) == "MARKOV":
        scanner.fail("this is a Markov network, which dc.read_markov reads", 0)
    sizes, position, functions = _preamble(scanner)
    scopes = text[: scanner.position]
    tables = _tables(scanner, sizes, functions)
    draft = Draft(scanner, "function", rows)
    arrange = _arrangement(scopes, [sizes[function.scope[-1]] for function in functions], tables)
    for function, entries in zip(functions, tables, strict=True):
        *parents, child = function.scope
        draft.add_family(child, function.position, parents, _reader(arrange, entries))
    for variable, size in enumerate(sizes):
        # without a table, nothing has checked yet that a number of states is not absurd
        draft.add_variable(variable, position, variable, range(size if variable in draft.families else 1))
    return draft.network()


def read_functions(text: str, path: str) -> Functions:
    """The functions in a UAI text of either kind."""
    scanner = Scanner(_without_comments(text), path)
    _kind(scanner)
    sizes, _, functions = _preamble(scanner)
    tables = _tables(scanner, sizes, functions)
    for function, table in zip(functions, tables, strict=True):
        if len(set(function.scope)) < len(function.scope):
            scanner.fail("a variable is twice in this scope", function.position)
        if not np.isfinite(table).all() or (table < 0).any():
            scanner.fail("the function of this scope has a value that is negative or not finite", function.position)
    shaped = [table.reshape([sizes[v] for v in own.scope]) for own, table in zip(functions, tables, strict=True)]
    return Functions(tuple(sizes), tuple(function.scope for function in functions), tuple(shaped))


def _preamble(scanner: Scanner) -> tuple[list[int], int, list[_Function]]:
    """The numbers of states, their position, and the scopes."""
    [count] = _integers(scanner, 1, "the number of variables")
    position = scanner.skip_space()
    sizes = _integers(scanner, count, "numbers of states")
    if 0 in sizes:
        scanner.fail(f"the variable {sizes.index(0)} has no states", position)
    return sizes, position, _functions(scanner, count)


def _tables(scanner: Scanner, sizes: Sequence[int], functions: Sequence[_Function]) -> list[Floats]:
    """The entries of all functions; some files have their evidence behind them."""
    tables = [_entries(scanner, [sizes[member] for member in function.scope]) for function in functions]
    end = scanner.position
    if scanner.skip_space() < len(scanner.text):
        # the last words matched with the white space behind them: is there a line end in it?
        blanks = scanner.text[len(scanner.text[:end].rstrip()) : scanner.position]
        if "\n" not in blanks:
            scanner.fail(f"expected the end of the file, found {scanner.ahead()}")
        line = scanner.text.count("\n", 0, scanner.position) + 1
        warnings.warn(f"{scanner.path}: what follows the tables, from line {line} on, is not read", stacklevel=3)
    return tables


def parse_evidence(text: str, path: str) -> dict[Name, Label]:
    """The evidence in a text in UAI's format: the number of observed variables, then each variable and its state."""
    scanner = Scanner(_without_comments(text), path)
    numbers = _integers(scanner, len(text.split()), "a number") if text.strip() else [0]
    if len(numbers) != 1 + 2 * numbers[0]:  # older files begin with the number of sets of evidence
        if numbers[0] > 1:
            scanner.fail(f"expected one set of evidence, found {numbers[0]}", 0)
        numbers = numbers[1:] or [0]
    if len(numbers) != 1 + 2 * numbers[0]:
        scanner.fail(f"expected {numbers[0]} pairs of a variable and its state, found {len(numbers) - 1} numbers", 0)
    pairs = list(zip(numbers[1::2], numbers[2::2], strict=True))
    found: dict[Name, Label] = dict(pairs)
    if len(found) < len(pairs):
        scanner.fail("a variable is observed twice", 0)
    return found


def _without_comments(text: str) -> str:
    """The text with blanks for comments, so that everything keeps its line and column."""
    if "#" not in text and not text.startswith("c") and "\nc" not in text:
        return text
    return "".join(COMMENT.sub(blank, lines) for lines in _lines(text))


def _lines(text: str) -> Iterator[str]:
    """The text in pieces of whole lines."""
    first = 0
    while first < len(text):
        last = text.find("\n", first + AT_ONCE) + 1 or len(text)
        yield text[first:last]
        first = last


def _kind(scanner: Scanner) -> str:
    found = scanner.expect(KIND, "'BAYES'")
    kind = found.group().upper()
    if kind not in ("BAYES", "MARKOV"):
        scanner.fail(f"expected 'BAYES', found {found.group()[:40]!r}", found.start())
    return kind


def _functions(scanner: Scanner, variables: int) -> list[_Function]:
    [count] = _integers(scanner, 1, "the number of functions")
    functions: list[_Function] = []
    while len(functions) < count:
        position = scanner.skip_space()
        [length] = _integers(scanner, 1, "the number of variables in a scope")
        scope = _integers(scanner, length, "variables in the scope")
        if not scope:
            scanner.fail("expected a scope of at least one variable", position)
        if max(scope) >= variables:
            scanner.fail(f"unknown variable {max(scope)}; there are {variables}, counted from 0", position)
        functions.append(_Function(tuple(scope), position))
    return functions


def _entries(scanner: Scanner, sizes: Sequence[int]) -> Floats:
    position, cells = scanner.skip_space(), cell_count(sizes)
    [count] = _integers(scanner, 1, "the number of entries")
    if count != cells:
        scanner.fail(f"expected a table of {about(cells)} entries, found {count}", position)
    return read_numbers(_words(scanner, count, "numbers"), count)


def _integers(scanner: Scanner, count: int, expected: str) -> list[int]:
    excerpt = _words(scanner, count, expected)
    for word in WORD.finditer(excerpt.text):
        if not INTEGER.fullmatch(word.group()):
            excerpt.fail(f"expected {expected}, found {word.group()[:40]!r}", word.start())
    return list(map(int, excerpt.text.split()))


def _words(scanner: Scanner, count: int, expected: str) -> Excerpt:
    """The next `count` words."""
    start = scanner.skip_space()
    found = scanner.take(re.compile(rf"(?:\S++\s*+){{{count}}}")) if count <= len(scanner.text) else None
    if found is None:
        left = len(scanner.text[start:].split())
        many = f"{about(count)} {expected}" if count > 1 else expected
        scanner.fail(f"expected {many}, found {f'only {left} words' if left else 'the end of the file'}", start)
    return scanner.excerpt(start, found.end())


def _arrangement(scopes: str, widths: Sequence[int], tables: Sequence[Floats]) -> Arrange:
    if tables and len(SCOPE_OF_PYAGRUM.findall(scopes)) == len(tables):
        return first_parent_slowest
    is_standard = all(_sum_to_one(table.reshape(-1, width), axis=1) for width, table in zip(widths, tables, strict=True))
    if not is_standard and all(
        _sum_to_one(table.reshape(width, -1), axis=0) for width, table in zip(widths, tables, strict=True)
    ):
        return _first_variable_slowest
    return lambda entries, sizes: entries


def _sum_to_one(table: Floats, axis: int) -> bool:
    with np.errstate(invalid="ignore", over="ignore"):
        return bool((np.abs(table.sum(axis=axis) - 1) <= ROW_SUM_TOLERANCE).all())


def _first_variable_slowest(entries: Floats, sizes: Sequence[int]) -> Floats:
    """From a table whose first variable varies fastest and whose child slowest to our order."""
    return entries.reshape([size for size in reversed(sizes) if size > 1]).T


def _reader(arrange: Arrange, entries: Floats) -> ReadTable:
    return lambda sizes: arrange(entries, sizes)


def render(network: BayesianNetwork) -> str:
    """The network as UAI; its variables and states are 0, 1, 2, … already."""
    tables = [cast(Table, network.family(node)) for node in network.dag.nodes]
    sizes = " ".join(str(len(labels)) for labels in network.states.values())
    scopes = (f"{len(table.parents) + 1} {' '.join(map(str, (*table.parents, table.variable)))}\n" for table in tables)
    entries = ("\n".join(["", str(table.values.size), *rows_of_numbers(table.values), ""]) for table in tables)
    return "".join([f"BAYES\n{len(tables)}\n{sizes}\n{len(tables)}\n", *scopes, *entries])


def _indices(names: Sequence[Name | Label]) -> dict[Name | Label, int]:
    """For each name that is not its own index that index, the only name that UAI has."""
    return {name: index for index, name in enumerate(names) if type(name) is not int or name != index}


FORMAT = Format(
    name="UAI",
    suffixes=(".uai",),
    kinds=frozenset({"discrete"}),
    parse=parse,
    render=render,
    replacements=_indices,
)
