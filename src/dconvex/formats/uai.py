"""UAI, the format of the inference competitions: numbers only, so variables and states are 0, 1, 2, …

    BAYES
    2            variables
    2 3          with so many states
    2            functions, one for each variable
    1 0          of one variable, 0
    2 0 1        of two variables: the last one is the child, the others are its parents

    2            entries of the first function
    0.8 0.2
    6            of the second; the last variable of its scope varies fastest, the first one slowest
    0.9 0.07 0.03
    0.1 0.4 0.5

Two writers arrange tables otherwise. pyAgrum, known by the comment `# name` behind every scope, has the first parent vary
fastest of the parents. pgmpy has the first variable of the scope vary fastest and the child slowest; a file is read so
if that makes every row sum to one, and the order of the format does not.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias, cast

import numpy as np

from dconvex.formats.draft import Draft, ReadTable, cell_count
from dconvex.formats.format import Format
from dconvex.formats.numbers import AT_ONCE, about, first_parent_slowest, read_numbers, rows_of_numbers
from dconvex.formats.scanner import Excerpt, Scanner, blank
from dconvex.names import Label, Name
from dconvex.network.discrete import ROW_SUM_TOLERANCE, Floats
from dconvex.network.families import Table
from dconvex.network.network import BayesianNetwork

COMMENT = re.compile(r"#[^\n]*+|^c\b[^\n]*+", re.MULTILINE)
KIND, WORD, INTEGER = re.compile(r"[A-Za-z]++"), re.compile(r"\S++"), re.compile(r"[0-9]{1,18}")
SCOPE_OF_PYAGRUM = re.compile(r"^\d++(?: \d++)++   # \S", re.MULTILINE)

Arrange: TypeAlias = Callable[[Floats, Sequence[int]], Floats]
"""From the entries of a function, and the numbers of states in its scope, to the table in our order."""


@dataclass(frozen=True, slots=True)
class _Function:
    """A scope and the place where it stands; the last variable is the child."""

    scope: tuple[int, ...]
    place: int


def parse(text: str, path: str) -> BayesianNetwork:
    """The network in a UAI text."""
    scanner = Scanner(_without_comments(text), path)
    _expect_bayes(scanner)
    [count] = _integers(scanner, 1, "the number of variables")
    place = scanner.skip_space()
    sizes = _integers(scanner, count, "numbers of states")
    if 0 in sizes:
        scanner.fail(f"the variable {sizes.index(0)} has no states", place)
    functions = _functions(scanner, count)
    scopes = text[: scanner.place]
    tables = [_entries(scanner, [sizes[member] for member in function.scope]) for function in functions]
    if scanner.skip_space() < len(scanner.text):
        scanner.fail(f"expected the end of the file, found {scanner.ahead()}")
    draft = Draft(scanner, "function")
    arrange = _arrangement(scopes, [sizes[function.scope[-1]] for function in functions], tables)
    for function, entries in zip(functions, tables, strict=True):
        *parents, child = function.scope
        draft.add_family(child, function.place, parents, _reader(arrange, entries))
    for variable, size in enumerate(sizes):
        # without a table, that there could be so many states is not known yet
        draft.add_variable(variable, place, variable, range(size if variable in draft.families else 1))
    return draft.network()


def _without_comments(text: str) -> str:
    """The text with blanks for comments, so that every place keeps its line and column."""
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


def _expect_bayes(scanner: Scanner) -> None:
    found = scanner.expect(KIND, "'BAYES'")
    kind = found.group().upper()
    if kind == "MARKOV":
        scanner.fail("this is a Markov network; only Bayesian networks, which begin with BAYES, can be read", found.start())
    if kind != "BAYES":
        scanner.fail(f"expected 'BAYES', found {found.group()[:40]!r}", found.start())


def _functions(scanner: Scanner, variables: int) -> list[_Function]:
    [count] = _integers(scanner, 1, "the number of functions")
    functions: list[_Function] = []
    while len(functions) < count:
        place = scanner.skip_space()
        [length] = _integers(scanner, 1, "the number of variables in a scope")
        scope = _integers(scanner, length, "variables in the scope")
        if not scope:
            scanner.fail("expected a scope of at least one variable", place)
        if max(scope) >= variables:
            scanner.fail(f"unknown variable {max(scope)}; there are {variables}, counted from 0", place)
        functions.append(_Function(tuple(scope), place))
    return functions


def _entries(scanner: Scanner, sizes: Sequence[int]) -> Floats:
    place, cells = scanner.skip_space(), cell_count(sizes)
    [count] = _integers(scanner, 1, "the number of entries")
    if count != cells:
        scanner.fail(f"expected a table of {about(cells)} entries, found {count}", place)
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
    by_the_book = all(_sum_to_one(table.reshape(-1, width), axis=1) for width, table in zip(widths, tables, strict=True))
    if not by_the_book and all(
        _sum_to_one(table.reshape(width, -1), axis=0) for width, table in zip(widths, tables, strict=True)
    ):
        return _first_variable_slowest
    return lambda entries, sizes: entries


def _sum_to_one(table: Floats, axis: int) -> bool:
    with np.errstate(invalid="ignore", over="ignore"):
        return bool((np.abs(table.sum(axis=axis) - 1) <= ROW_SUM_TOLERANCE).all())


def _first_variable_slowest(entries: Floats, sizes: Sequence[int]) -> Floats:
    """A table in our order, from one where the first variable of the scope varies fastest, and the child slowest."""
    return entries.reshape([size for size in reversed(sizes) if size > 1]).T


def _reader(arrange: Arrange, entries: Floats) -> ReadTable:
    return lambda sizes: arrange(entries, sizes)


def render(network: BayesianNetwork) -> str:
    """The network as UAI; its variables and states are numbers already."""
    tables = [cast(Table, network.family(node)) for node in network.dag.nodes]
    sizes = " ".join(str(len(labels)) for labels in network.states.values())
    scopes = (f"{len(table.parents) + 1} {' '.join(map(str, (*table.parents, table.variable)))}\n" for table in tables)
    entries = ("\n".join(["", str(table.values.size), *rows_of_numbers(table.values), ""]) for table in tables)
    return "".join([f"BAYES\n{len(tables)}\n{sizes}\n{len(tables)}\n", *scopes, *entries])


def _places(names: Sequence[Name | Label]) -> dict[Name | Label, int]:
    """The places of the names that are not called by them, which is all that UAI can call them."""
    return {name: place for place, name in enumerate(names) if type(name) is not int or name != place}


FORMAT = Format(
    name="UAI",
    suffixes=(".uai",),
    kinds=frozenset({"discrete"}),
    parse=parse,
    render=render,
    replacements=_places,
)
