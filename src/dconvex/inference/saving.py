"""A model as arrays, and back: its graph and tree, the index of its tables, its labels, and its numbers."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

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
    if facts["kind"] == "gaussian":
        at = regression_places(index, known)
        store = StoredRegressions(index, StoredNumbers(index, numbers, at, known, checksums, file.path))
        return index, GaussianAnswers(
            store, is_one_distribution=bool(facts["coherent"]), is_degenerate=bool(facts["degenerate"])
        )
    labels = StoredLabels(file)
    tables = StoredTables(index, labels.sizes(), known, file["zeros"])
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
