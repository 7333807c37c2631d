"""Statistics in files: `save_statistics` writes them, `load_statistics` reads them; a model's file may hold them too."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import numpy as np

from dconvex.clusters.cluster_index import ClusterIndex
from dconvex.learning.counts import Counts
from dconvex.learning.coverage import Coverage
from dconvex.learning.families import Families
from dconvex.learning.statistics import Kind, Scope, Statistics
from dconvex.storage.container import Container, write_container
from dconvex.storage.sections import Arrays, Record
from dconvex.storage.stored_counts import Labels, counts_arrays, read_counts
from dconvex.storage.stored_moments import moments_arrays, read_moments
from dconvex.storage.structure import read_structure, structure_arrays
from dconvex.storage.texts import StoredLabels, packed_labels

STATISTICS = "dconvex statistics"
KINDS: tuple[Kind, ...] = get_args(Kind)
MOST_ROWS = 1 << 53
"""Counts up to this are exact in a float."""


def save_statistics(statistics: Statistics, path: Path) -> None:
    """Write statistics to a file, which is replaced as a whole."""
    arrays, facts = structure_arrays(statistics.scope.index)
    own, about = statistics_arrays(statistics, with_labels=True)
    facts |= {"kind": statistics.kind, "partial": statistics.scope.is_partial}
    write_container(path, STATISTICS, arrays | own, facts | about)


def load_statistics(path: Path) -> Statistics:
    """Read what `save_statistics` wrote.

    Raises:
        FormatError: The file is damaged, cut short, foreign, or of a later version.
    """
    file = Container.open(path, STATISTICS)
    kind = file.facts.choice("kind", KINDS)
    return read_statistics(file, read_structure(file), kind, None)


def statistics_arrays(statistics: Statistics, *, with_labels: bool) -> tuple[Arrays, Record]:
    """Arrays and facts for a file that has the graph and the tree already; that of a model has the labels too."""
    part, coverage = statistics.part, statistics.part.coverage
    arrays: Arrays = {
        "coverage.tables": coverage.tables, "coverage.offered": coverage.offered, "coverage.used": coverage.used,
        "coverage.has_column": coverage.has_column,
    }  # fmt: skip
    if not isinstance(part, Counts):
        return arrays | moments_arrays(part), {"rows": statistics.rows}
    labels = packed_labels([own.labels for own in part.states]) if with_labels else {}
    return arrays | labels | counts_arrays(part), {"rows": statistics.rows}


def read_statistics(file: Container, index: ClusterIndex, kind: Kind, labels: Labels | None) -> Statistics:
    """What `statistics_arrays` gave; `labels` are those of the model, None where the file has its own.

    Raises:
        FormatError: It does not fit the families, or does not fit together.
    """
    count = len(file.array("coverage.used"))
    if count not in (len(index.dag), index.table_count):
        raise file.damaged("its statistics do not fit its families")
    families = Families.of(index, own_only=count < index.table_count)
    scope = Scope(index, families, is_partial=file.facts.flag("partial"))
    coverage = _read_coverage(file, families, file.facts.count("rows"))
    if kind == "gaussian":
        return Statistics(scope, read_moments(file, families, coverage))
    if labels is None:
        labels = StoredLabels.read(file.array, file.path, may_be_empty=True)
        if len(labels) != len(families.names):
            raise file.damaged("its labels do not fit its variables")
    return Statistics(scope, read_counts(file, families, coverage, labels))


def _read_coverage(file: Container, families: Families, rows: int) -> Coverage:
    """For each family: used of the rows offered, which are offered by tables that have its columns."""
    tables, offered, used = (file.array(f"coverage.{part}", len(families)) for part in ("tables", "offered", "used"))
    has_column = file.array("coverage.has_column", len(families.names))
    is_sound = (
        rows <= MOST_ROWS
        and (tables >= 0).all()
        and ((used >= 0) & (used <= offered) & (offered <= rows)).all()
        and not ((tables == 0) & (offered > 0)).any()
        and not ((tables > 0) & ~families.reduced(np.logical_and, has_column).astype(bool)).any()
    )
    if not is_sound:
        raise file.damaged("the rows of its families do not fit together")
    return Coverage(rows, tables, offered, used, has_column)
