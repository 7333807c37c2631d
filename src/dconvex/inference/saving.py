"""A model as plain values for a file, and back."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from dconvex._core import ClusterIndex as CoreIndex
from dconvex._core import TableLayout, Tables
from dconvex.clusters.cluster_index import ClusterIndex
from dconvex.errors import FormatError
from dconvex.graph.dag import Dag
from dconvex.graph.tree import ClusterTree
from dconvex.inference.discrete import DiscreteEngine
from dconvex.inference.gaussian import GaussianEngine
from dconvex.inference.stored import StoredRegressions, StoredTables, known_regressions
from dconvex.inference.table_store import TableStore
from dconvex.storage.cluster_numbers import CHECKSUMS, NUMBERS, ClusterNumbers, checksums_of
from dconvex.storage.container import Container, write_container
from dconvex.storage.structure import Structure
from dconvex.storage.texts import NameIndex, StoredLabels, StoredNames, packed_labels

Arrays: TypeAlias = dict[str, NDArray[Any]]
Facts: TypeAlias = dict[str, Any]

MODEL = "dconvex model"
KINDS = ("discrete", "gaussian")


def save_model(
    path: Path, index: ClusterIndex, answers: Any, max_bytes: int | None, more: Mapping[str, NDArray[Any]], about: Facts
) -> None:
    """Write a model, and more arrays and facts about where it comes from, to one file."""
    answers.store.read_all()
    known = len(index.dag) if answers.coherent else index.table_count
    structure = structure_of(index)
    arrays, facts = structure.stored()
    arrays |= (
        _tables(answers, structure.index, known)
        if answers.kind == "discrete"
        else _regressions(answers, structure.index, known)
    )
    facts |= {"kind": answers.kind, "coherent": answers.coherent, "max_bytes": max_bytes, "learned": None}
    own, learned = _learned(index, about)
    write_container(path, MODEL, {**arrays, **own, **more}, {**facts, **learned})


def opened_answers(file: Container) -> tuple[ClusterIndex, DiscreteEngine | GaussianEngine]:
    """The index and the answers of a model in a file, of whose numbers none is read yet."""
    facts = file.facts
    kind, coherent = facts.choice("kind", KINDS), facts.flag("coherent")
    structure = Structure.read(file)
    index, variables = index_from(structure), len(structure.names)
    known = variables if coherent else structure.index.table_count
    if "known" in facts and facts.count("known") != known:  # version 1
        raise facts.wrong("known", facts.record["known"])
    if kind == "gaussian":
        numbers = ClusterNumbers(file, structure.index, known, None)
        return index, GaussianEngine(StoredRegressions(index, numbers), coherent=coherent)
    labels = StoredLabels.read(file.array, file.path, may_be_empty=False)
    if len(labels) != variables:
        raise FormatError("the file is damaged: its labels do not fit its variables", path=file.path)
    numbers = ClusterNumbers(file, structure.index, known, labels.sizes())
    try:
        tables = Tables(TableLayout(index.core, labels.sizes().astype(np.int32)), known)
    except (MemoryError, ValueError, OverflowError):
        raise FormatError("the tables of the file do not fit into memory", path=file.path) from None
    store = TableStore(index, tables, StoredTables(numbers))
    return index, DiscreteEngine(store, labels, coherent=coherent)


def structure_of(index: ClusterIndex) -> Structure:
    """What is stored of a graph and a tree."""
    tree = index.tree
    ends, _ = tree.joints(index.dag)
    order = np.lexsort((ends[:, 1], ends[:, 0]))
    return Structure(index.dag.nodes, index.core, ends[order], tree.mode, tree.certified, tuple(sorted(tree.undecided)))


def index_from(structure: Structure) -> ClusterIndex:
    """The index of what was stored."""
    core, names = structure.index, cast("StoredNames", structure.names)
    dag = Dag.from_graph(names, NameIndex(names), core.graph)
    tree = ClusterTree.from_arrays(
        names,
        core.clusters,
        structure.ends,
        structure.separators(),
        mode=structure.mode,
        certified=structure.certified,
        undecided=structure.undecided,
    )
    return ClusterIndex(dag, tree, core)


def _learned(index: ClusterIndex, about: Facts) -> tuple[Arrays, Facts]:
    """Where a model comes from: its report and the variables with declared states in arrays, the rest as facts."""
    facts = {"partial": False, **about}
    facts.pop("origin", None)
    if "learned" not in about:
        return {}, facts
    learned = dict(about["learned"])
    report, declared = json.dumps(learned.pop("report")), learned.pop("declared") or ()
    arrays: Arrays = {
        "report.json": np.frombuffer(report.encode(), np.uint8),
        "learned.declared": np.array(sorted(map(index.dag.index_of, declared)), np.int32),
    }
    return arrays, facts | {"partial": learned.pop("partial"), "learned": learned}


def _tables(answers: DiscreteEngine, index: CoreIndex, known: int) -> Arrays:
    store = answers.store
    numbers = store.tables.values[: store.offsets[known]]
    sizes = store.states.astype(np.int64)
    return {NUMBERS: numbers, CHECKSUMS: checksums_of(index, known, sizes, numbers), **packed_labels(answers.labels)}


def _regressions(answers: GaussianEngine, index: CoreIndex, known: int) -> Arrays:
    numbers = known_regressions(answers.store, known)
    return {NUMBERS: numbers, CHECKSUMS: checksums_of(index, known, None, numbers)}
