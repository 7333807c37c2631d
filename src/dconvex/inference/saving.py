"""A model as arrays, and back: its graph and tree, the index of its tables, its labels, and its numbers."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from dconvex.errors import FormatError
from dconvex.graph.adjacency import Adjacency
from dconvex.graph.dag import Dag
from dconvex.graph.tree import ClusterTree
from dconvex.inference.discrete import DiscreteAnswers
from dconvex.inference.families import FamilyIndex
from dconvex.inference.gaussian import GaussianAnswers
from dconvex.inference.stored import (
    StoredNumbers,
    StoredRegressions,
    StoredTables,
    checksums_of,
    known_regressions,
    regression_places,
)
from dconvex.kernels import load
from dconvex.storage.container import Container, write_container
from dconvex.storage.texts import NameIndex, StoredLabels, StoredNames, packed_labels, packed_names

Arrays: TypeAlias = dict[str, NDArray[Any]]
Facts: TypeAlias = dict[str, Any]

MODEL = "dconvex model"
NUMBERS = "numbers"
"""The array that is read cluster by cluster."""


def save_model(
    path: Path, index: FamilyIndex, answers: Any, max_bytes: int | None, more: Mapping[str, NDArray[Any]], about: Facts
) -> None:
    """Write all arrays of a model, and more of them, to one file."""
    known = len(index.dag) if answers.is_one_distribution else index.table_count
    answers.store.read_all()
    own, facts = _tables(answers, known) if answers.kind == "discrete" else _regressions(answers, known)
    facts |= {"kind": answers.kind, "coherent": answers.is_one_distribution, "max_bytes": max_bytes, "known": known}
    tree_arrays, tree_facts = index_arrays(index)
    arrays = {**tree_arrays, **own, **more}
    write_container(path, MODEL, arrays, {**facts, **tree_facts, **about}, lazy=(NUMBERS,))


def opened_answers(file: Container) -> tuple[FamilyIndex, DiscreteAnswers | GaussianAnswers]:
    """The index and the answers of a model in a file, of whose numbers none is read yet."""
    index = index_from(file)
    facts, known = file.facts, int(file.facts["known"])
    numbers, checksums = file[NUMBERS], file["checksums"]
    if len(checksums) != len(index.tree) or not len(index.dag) <= known <= index.table_count:
        raise FormatError("the file is damaged: its tables do not fit its clusters", path=file.path)
    if facts["kind"] == "gaussian":
        at = regression_places(index, known)
        if at[-1] != len(numbers):
            raise FormatError("the file is damaged: its regressions do not fit its families", path=file.path)
        store = StoredRegressions(index, StoredNumbers(index, numbers, at, known, checksums, file.path))
        return index, GaussianAnswers(
            store, is_one_distribution=bool(facts["coherent"]), is_degenerate=bool(facts["degenerate"])
        )
    labels = StoredLabels(file)
    tables = StoredTables(index, labels.sizes(), known, file["zeros"])
    if len(labels) != len(index.dag) or len(file["zeros"]) != len(index.dag) or tables.table_at[known] != len(numbers):
        raise FormatError("the file is damaged: its tables do not fit its labels", path=file.path)
    tables.stored = StoredNumbers(index, numbers, tables.table_at, known, checksums, file.path)
    return index, DiscreteAnswers(tables, labels, is_one_distribution=bool(facts["coherent"]))


def index_arrays(index: FamilyIndex) -> tuple[Arrays, Facts]:
    """The graph, the tree and the families."""
    tree = index.tree
    arrays = {
        f"{part}.{name}": array
        for part, own in (("clusters", index.clusters), ("families", index.families), ("arcs", index.arcs))
        for name, array in own._asdict().items()
    }
    ends, separators = tree.joints(index.dag)
    arrays |= {
        "order": index.dag.order, "tree.ends": ends, "tree.separator_start": separators.start,
        "tree.separators": separators.neighbours, "tree.undecided": np.array(tree.undecided, np.int64),
    }  # fmt: skip
    return arrays | packed_names(index.dag.nodes), {"mode": tree.mode, "certified": tree.certified}


def index_from(file: Container) -> FamilyIndex:
    """What `index_arrays` gave."""
    clusters_of, walks = load("clusters"), load("walks")
    clusters, families, arcs = (
        kind(*(file[f"{part}.{name}"] for name in kind._fields))
        for part, kind in (("clusters", clusters_of.Clusters), ("families", clusters_of.Families), ("arcs", walks.Arcs))
    )
    _check_index(file, clusters, families, arcs)
    names = StoredNames({name: file[name] for name in ("names.text", "names.at", "names.integers")})
    dag = Dag.from_known(
        names,
        NameIndex(names),
        Adjacency(arcs.parent_start.copy(), arcs.parents.copy()),
        Adjacency(arcs.child_start.copy(), arcs.children.copy()),
        file["order"],
    )
    tree = ClusterTree.from_arrays(
        names,
        Adjacency(clusters.start.copy(), clusters.members.copy()),
        file["tree.ends"],
        Adjacency(file["tree.separator_start"], file["tree.separators"]),
        mode=file.facts["mode"],
        certified=bool(file.facts["certified"]),
        undecided=file["tree.undecided"].tolist(),
    )
    return FamilyIndex(dag, tree, arcs, clusters, families)


def _check_index(file: Container, clusters: Any, families: Any, arcs: Any) -> None:
    """Refuse numbers that would lead kernels out of their arrays; a checksum tells damage, not malice."""
    nodes, tables, count = len(arcs.parent_start) - 1, len(families.variable), len(clusters.start) - 1
    starts = (
        (clusters.start, clusters.members), (clusters.holder_start, clusters.holders), (arcs.parent_start, arcs.parents),
        (families.parent_start, families.parents), (arcs.child_start, arcs.children), (file["names.at"], file["names.text"]),
    )  # fmt: skip
    places = (
        (clusters.members, 0, nodes), (clusters.parent, -1, count), (clusters.holders, 0, count), (clusters.top, 0, count),
        (clusters.smallest, 0, count), (clusters.table, 0, tables), (clusters.toward, -1, count), (families.variable, 0, nodes),
        (families.parents, 0, nodes), (families.source, -1, count), (families.behind, -1, count), (arcs.parents, 0, nodes),
        (arcs.children, 0, nodes), (arcs.rank, 0, nodes), (file["order"], 0, nodes),
    )  # fmt: skip
    is_sound = (
        all(len(start) and start[0] == 0 and start[-1] == len(pool) and (np.diff(start) >= 0).all() for start, pool in starts)
        and all(not len(own) or (own.min() >= low and own.max() < high) for own, low, high in places)
        and len(clusters.table) == len(clusters.toward) == len(clusters.members)
        and len(clusters.parent) == len(clusters.depth) == count
        and len(clusters.top) == len(clusters.smallest) == len(clusters.holder_start) - 1 == nodes
        and len(families.parent_start) - 1 == len(families.source) == len(families.behind) == tables >= nodes
        and len(arcs.child_start) - 1 == len(arcs.rank) == len(file["order"]) == len(file["names.at"]) - 1 == nodes
    )
    if not is_sound:
        raise FormatError("the file is damaged: its index points nowhere", path=file.path)


def _tables(answers: DiscreteAnswers, known: int) -> tuple[Arrays, Facts]:
    store = answers.store
    numbers = store.values[: store.table_at[known]]
    zeros = np.zeros(len(answers.names), np.uint8)
    zeros[answers.tables_with_zeros] = 1
    checksums = checksums_of(store.index, numbers, store.table_at, known, 0, len(store.index.tree))
    return {NUMBERS: numbers, "checksums": checksums, "zeros": zeros, **packed_labels(answers.labels)}, {}


def _regressions(answers: GaussianAnswers, known: int) -> tuple[Arrays, Facts]:
    numbers, at = known_regressions(answers.store, known)
    checksums = checksums_of(answers.index, numbers, at, known, 0, len(answers.index.tree))
    return {NUMBERS: numbers, "checksums": checksums}, {"degenerate": answers.is_degenerate}
