"""Graphs in files: edge lists, CSV, DOT, and network files of which only the graph counts."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from dconvex.errors import FormatError
from dconvex.formats import bif_structure, edge_csv, edge_text, graphviz
from dconvex.formats.file_format import Drafted, Renaming
from dconvex.formats.rows import FILE_ROWS
from dconvex.formats.spelling import fresh_word
from dconvex.formats.text_files import is_zipped, read_text, write_text
from dconvex.graph.dag import Dag
from dconvex.names import Name


@dataclass(frozen=True)
class StructureFormat:
    """A file format for graphs."""

    name: str
    suffixes: tuple[str, ...]
    parse: Callable[[str, str], Dag]
    render: Callable[[Dag], str]
    unfit: Callable[[Sequence[Name]], list[Name]]
    """The names that would not be read back as they are, type included."""


FORMATS = (
    StructureFormat("an edge list", (".txt", ".edges"), edge_text.parse, edge_text.render, edge_text.unfit),
    StructureFormat("CSV", (".csv",), edge_csv.parse, edge_csv.render, edge_csv.unfit),
    StructureFormat("DOT", (".dot", ".gv"), graphviz.parse, graphviz.render, graphviz.unfit),
    StructureFormat("BIF", (".bif",), bif_structure.parse, bif_structure.render, bif_structure.unfit),
)


def read_structure(path: str | os.PathLike[str]) -> Dag:
    """Read a graph from a file, to learn its parameters from data.

    Args:
        path: The file. Its suffix says the format: `.txt` or `.edges`, an edge list with `a -> b` on each line; `.csv` with
            columns parent and child; `.dot` or `.gv`; or a format that `read` takes, the tables of which are not looked at and
            may be missing. Each may be followed by `.gz`.

    Returns:
        The graph; parents are in the order of the file.

    Raises:
        FormatError: The suffix is unknown, or the file is not valid; the message has the file, the line and the column.
        OSError: The file cannot be opened.
    """
    source = Path(path)
    form = structure_format(source)
    if form is not None:
        return form.parse(read_text(source), str(source))
    from dconvex.formats import read
    from dconvex.formats.registry import FORMATS as NETWORKS

    plain = _plain(source).suffix.lower()
    networks = [suffix for network in NETWORKS for suffix in network.suffixes]
    if plain not in networks:
        known = ", ".join(dict.fromkeys([*(suffix for own in FORMATS for suffix in own.suffixes), *networks]))
        raise FormatError(f"unknown suffix {plain!r}; structures are in {known}, each also with .gz", path=str(source))
    drafted = _drafted(source)
    return read(source).dag if drafted is None else drafted.dag()


def is_structure(path: Path) -> bool:
    """Whether a file holds a graph and no tables, as far as it can be read."""
    form = structure_format(path)
    if form is not None and form.name != "BIF":
        return True
    if not path.is_file():
        return False
    if form is not None:
        return not bif_structure.has_tables(read_text(path))
    try:
        drafted = _drafted(path)
    except (FormatError, OSError):
        return False
    return drafted is not None and not drafted.has_tables


def _drafted(path: Path) -> Drafted | None:
    """What is in a network file, where its format may do without tables."""
    from dconvex.formats.registry import format_of

    drafted = format_of(path).drafted
    return None if drafted is None else drafted(read_text(path), str(path), FILE_ROWS)


def structure_format(path: Path) -> StructureFormat | None:
    """The format of the file's suffix, `.gz` aside; None where it is none for graphs alone."""
    suffix = _plain(path).suffix.lower()
    return next((form for form in FORMATS if suffix in form.suffixes), None)


def write_structure(dag: Dag, path: Path, *, rename: bool) -> Renaming | None:
    """Write a graph; as `write`."""
    form = structure_format(path)
    if form is None:
        known = ", ".join(suffix for own in FORMATS for suffix in own.suffixes)
        raise FormatError(f"a graph without tables can be written as {known}, not as {_plain(path).suffix!r}", path=str(path))
    taken = set(map(str, dag.nodes))
    changes: Renaming = {}
    for name in form.unfit(dag.nodes):
        is_free = isinstance(name, int) and sum(str(node) == str(name) for node in dag.nodes) == 1
        changes[name] = str(name) if is_free else fresh_word(name, taken)
        taken.add(str(changes[name]))
    if changes and not rename:
        culprit, new = next(iter(changes.items()))
        raise FormatError(f"{form.name} cannot hold the name {culprit!r}; rename=True writes {new!r} and returns all changes")
    fitting = dag
    if changes:
        new_name = {node: cast("Name", changes.get(node, node)) for node in dag.nodes}
        fitting = Dag.from_parents({new_name[node]: [new_name[parent] for parent in dag.parents(node)] for node in dag.nodes})
    write_text(path, form.render(fitting))
    return changes if rename else None


def _plain(path: Path) -> Path:
    return path.with_suffix("") if is_zipped(path) else path
