"""dconvex's own JSON, for discrete and linear Gaussian networks, and the Gaussian JSON of the bnlearn repository.

    {"format": "dconvex-network", "version": 1, "kind": "discrete", "variables": [
      {"name": "rain", "parents": [], "states": ["no", "yes"], "table": [0.8, 0.2]},
      {"name": "wet", "parents": ["rain"], "states": [false, true], "table": [0.9, 0.1, 0.05, 0.95]}]}

`table` is flat, row-major, with axes (*parents, variable). A Gaussian variable has, instead of states and table,
`intercept`, `coefficients` (in the order of its parents) and `variance`. Names and labels keep their JSON types; a state that
is an interval is written {"interval": "(0.5, 2.0]"}.

The repository's files, which pgmpy's wheel contains, have the keys nodes, arcs and cpds; they are read, not written.
"""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import NoReturn, TypeVar, overload

import numpy as np

from dconvex.arrays import Floats
from dconvex.errors import DconvexError
from dconvex.formats.draft import cell_count
from dconvex.formats.file_format import Format, all_fit
from dconvex.formats.number_lists import AT_ONCE, floats, joined, pieces
from dconvex.formats.rows import FILE_ROWS, tables_in
from dconvex.formats.scanner import format_error
from dconvex.graph.dag import Dag
from dconvex.intervals import Interval
from dconvex.names import Label, Name, checked_labels, checked_name
from dconvex.network.family import Regression
from dconvex.network.network import BayesianNetwork
from dconvex.network.probability_tables import RowRule

MARK, VERSION = "dconvex-network", 1
LONG = 1 << 22
"""Characters. In a longer text tables are taken out before the rest is parsed, so that they never are lists of objects."""
MOST_VALUES = 1 << 24
"""Texts with more values beside their tables are refused before they fill the memory."""
NUMBER = r"-?+(?:0|[1-9]\d*+)(?:\.\d++)?+(?:[eE][-+]?+\d++)?+"
TABLE = re.compile(rf'"table"\s*+:\s*+(\[\s*+{NUMBER}(?:\s*+,\s*+{NUMBER})*+\s*+\])|"(?:[^"\\]++|\\.)*+"', re.DOTALL)

One = TypeVar("One")
Other = TypeVar("Other")


def render(network: BayesianNetwork) -> str:
    """The network as JSON, one variable a line."""
    head = json.dumps({"format": MARK, "version": VERSION, "kind": network.kind})[:-1]
    variables = ",\n".join(_records(network))
    return f'{head}, "variables": [\n{variables}\n]}}\n'


def _records(network: BayesianNetwork) -> Iterator[str]:
    states = network.states
    render = json.JSONEncoder(separators=(",", ":")).encode
    for node in network.dag.nodes:
        family = network.family(node)
        record: dict[str, object] = {"name": node, "parents": family.parents}
        if isinstance(family, Regression):
            numbers = {"intercept": family.intercept, "coefficients": list(family.coefficients.values())}
            yield render({**record, **numbers, "variance": family.variance})
        else:
            own = [_written(label) for label in states[node]]
            yield f'{render({**record, "states": own})[:-1]},"table":[{joined(family.values, ",")}]}}'


def _written(label: Label) -> object:
    """A label in JSON."""
    return {"interval": str(label)} if isinstance(label, Interval) else label


def parse(text: str, path: str, rows: RowRule = FILE_ROWS) -> BayesianNetwork:
    """The network in either kind of JSON."""
    document = _Document(text, path, rows)
    try:
        return document.network()
    except DconvexError as error:
        raise document.located(error) from None


class _Document:
    """The loaded JSON, and the text to say where a problem is."""

    def __init__(self, text: str, path: str, rows: RowRule) -> None:
        self.text, self.path, self.rows = text, path, rows
        self.tables: dict[str, Floats] = {}
        """Tables that were taken out of a long text, by the words in their places."""
        self.root = self._loaded()
        self.current: object = None

    def _loaded(self) -> dict[str, object]:
        text = self._without_tables() if len(self.text) > LONG else self.text
        try:
            root = json.loads(text)
        except json.JSONDecodeError as error:
            raise format_error(f"not JSON: {error.msg}", self.text, self.path, error.pos) from None
        except RecursionError:
            raise format_error("the JSON is nested too deeply", self.text, self.path, 0) from None
        except ValueError as error:  # an integer with more digits than Python converts
            raise format_error(f"not JSON: {error}", self.text, self.path, 0) from None
        if not isinstance(root, dict):
            raise format_error("expected a JSON object", self.text, self.path, 0)
        return root

    def _without_tables(self) -> str:
        """The text with a word in place of each table that is longer, as long as the table; Ctrl-C is heard between them."""
        mark, parts, kept_from = secrets.token_hex(8), list[str](), 0
        for found in TABLE.finditer(self.text):  # not `sub`, which would keep all strings between the tables, too
            table = found.group(1)
            word = f'"{mark}{len(self.tables)}"'
            if table is None or len(table) < len(word):
                continue
            self.tables[word[1:-1]] = floats(chain.from_iterable(map(_split, pieces(table[1:-1]))))
            parts += self.text[kept_from : found.start(1)], f"{word:{len(table)}}"
            kept_from = found.end()
        text = "".join([*parts, self.text[kept_from:]]) if parts else self.text
        if text.count(",") + text.count("[") + text.count("{") > MOST_VALUES:
            problem = f"the text has more than {MOST_VALUES:,} values beside its tables, the most that are read"
            raise format_error(problem, self.text, self.path, 0)
        return text

    def network(self) -> BayesianNetwork:
        if {"nodes", "arcs", "cpds"} <= self.root.keys():
            return self._repository_network()
        if self.root.get("format") != MARK:
            self.fail(f'expected "format": "{MARK}", or the keys nodes, arcs and cpds')
        if self.root.get("version") != VERSION:
            self.fail(f"this dconvex reads version {VERSION} of the format, not {self.root.get('version')!r}")
        build = {"discrete": self._discrete, "gaussian": self._gaussian}.get(str(self.root.get("kind")))
        if build is None:
            self.fail(f'expected "kind": "discrete" or "gaussian", found {self.root.get("kind")!r}')
        records: dict[Name, object] = {}
        for record in self.part(self.root, "variables", list):
            self.current = record.get("name") if isinstance(record, dict) else record
            name = checked_name(self.part(record, "name", str, int))
            if name in records:
                self.fail(f"the variable {name!r} is defined twice")
            records[name] = record
        return build(records)

    def _discrete(self, records: dict[Name, object]) -> BayesianNetwork:
        dag = self._dag(records)
        states: dict[Name, tuple[Label, ...]] = {}
        for name in dag.nodes:
            self.current = name
            states[name] = checked_labels(name, [self.label(own) for own in self.part(records[name], "states", list)])
        arrays = []
        for name in dag.nodes:
            self.current = name
            sizes = [len(states[member]) for member in (*dag.parents(name), name)]
            arrays.append(self.numbers(records[name], "table", cell_count(sizes)))
        self.current = None
        return BayesianNetwork(dag, tables_in(self.path, dag, tuple(states.values()), arrays, self.rows))

    def _gaussian(self, records: dict[Name, object]) -> BayesianNetwork:
        dag = self._dag(records)
        regressions = {}
        for name in dag.nodes:
            self.current, parents = name, dag.parents(name)
            coefficients = self.numbers(records[name], "coefficients", len(parents)).tolist()
            intercept, variance = (self.number(records[name], key) for key in ("intercept", "variance"))
            regressions[name] = (intercept, dict(zip(parents, coefficients, strict=True)), variance)
        return BayesianNetwork.gaussian(dag, regressions)

    def _repository_network(self) -> BayesianNetwork:
        """Each number is in a list of its own, and the intercept is among the coefficients."""
        cpds = self.part(self.root, "cpds", dict)
        dag = self._dag(cpds, nodes=self.part(self.root, "nodes", list))
        regressions = {}
        for name in dag.nodes:
            self.current = name
            coefficients = self.part(cpds[name], "coefficients", dict)
            values = {key: float(self.numbers(coefficients, key, 1)[0]) for key in coefficients}
            intercept = values.pop("(Intercept)", 0.0)
            regressions[name] = (intercept, values, float(self.numbers(cpds[name], "variance", 1)[0]))
        return BayesianNetwork.gaussian(dag, regressions)

    def _dag(self, records: dict[Name, object], nodes: Sequence[object] | None = None) -> Dag:
        parents: dict[Name, list[Name]] = {}
        for name, record in records.items():
            self.current = name
            parents[name] = [checked_name(parent) for parent in self.part(record, "parents", list)]
        self.current = None
        if nodes is not None and (unmatched := set(map(str, nodes)) ^ set(map(str, records))):
            self.fail(f"{min(unmatched)!r} is in only one of nodes and cpds")
        return Dag.from_parents(parents)

    @overload
    def part(self, record: object, key: str, kind: type[One], /) -> One: ...
    @overload
    def part(self, record: object, key: str, kind: type[One], other: type[Other], /) -> One | Other: ...
    def part(self, record: object, key: str, *kinds: type[object]) -> object:
        """The value of a key, which must have one of these types."""
        if not isinstance(record, dict) or type(record.get(key)) not in kinds:
            found = "nothing" if not isinstance(record, dict) or key not in record else repr(record[key])[:60]
            self.fail(f"expected {' or '.join(kind.__name__ for kind in kinds)} as {key!r}, found {found}")
        return record[key]

    def label(self, written: object) -> object:
        """A label as it is, or the interval that is written."""
        if not isinstance(written, dict):
            return written
        try:
            return Interval.from_text(self.part(written, "interval", str))
        except ValueError as error:
            self.fail(str(error))

    def number(self, record: object, key: str) -> float:
        """The value of a key, which must be a number."""
        value = self.part(record, key, float, int)
        try:
            return float(value)
        except OverflowError:
            self.fail(f"the number {key!r} is too large")

    def numbers(self, record: object, key: str, count: int) -> Floats:
        if isinstance(record, dict) and (table := self.tables.get(str(record.get(key)))) is not None:
            if len(table) != count:
                self.fail(f"expected {count} numbers as {key!r}, found {len(table)}")
            return table
        values = self.part(record, key, list)
        if len(values) != count:
            self.fail(f"expected {count} numbers as {key!r}, found {len(values)}")
        if not {float, int}.issuperset(map(type, values)):
            self.fail(f"expected only numbers as {key!r}")
        try:
            return np.array(values, np.float64) if len(values) <= AT_ONCE else floats(values)
        except OverflowError:
            self.fail(f"a number in {key!r} is too large")

    def fail(self, problem: str) -> NoReturn:
        about = "" if self.current is None else f"variable {self.current!r:.60}: "
        raise format_error(about + problem, self.text, self.path, self._position_of(self.current))

    def located(self, error: DconvexError) -> DconvexError:
        """The same error as a `FormatError` with the line and column of its variable."""
        if getattr(error, "line", None) is not None:
            return error
        culprit = getattr(error, "variable", None)
        return format_error(str(error), self.text, self.path, self._position_of(self.current if culprit is None else culprit))

    def _position_of(self, variable: object) -> int:
        """Where the description of the variable starts, found by its name."""
        try:
            quoted = re.escape(json.dumps(variable))
        except (TypeError, ValueError):
            return 0
        found = re.search(rf'"name"\s*:\s*{quoted}|{quoted}\s*:\s*\{{', self.text) if variable is not None else None
        return found.start() if found else 0


def _split(text: str) -> list[str]:
    return text.replace(",", " ").split()


FORMAT = Format(
    name="JSON",
    suffixes=(".json",),
    kinds=frozenset({"discrete", "gaussian"}),
    parse=parse,
    render=render,
    replacements=all_fit,
)
