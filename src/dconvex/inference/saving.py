"""A model as plain values for a file, and back."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from dconvex._core import ClusterIndex, Graph, Ragged
from dconvex.errors import FormatError
from dconvex.graph.adjacency import Adjacency
from dconvex.graph.dag import Dag
from dconvex.graph.tree import ClusterTree
from dconvex.inference.discrete import DiscreteAnswers
from dconvex.inference.families import FamilyIndex
from dconvex.inference.gaussian import GaussianAnswers
from dconvex.inference.stored import StoredRegressions, StoredTables, known_regressions
from dconvex.kernels import load
from dconvex.storage.cluster_numbers import CHECKSUMS, NUMBERS, ClusterNumbers, checksums_of
from dconvex.storage.container import Container, write_container
from dconvex.storage.structure import Structure
from dconvex.storage.texts import NameIndex, StoredLabels, StoredNames, packed_labels

Arrays: TypeAlias = dict[str, NDArray[Any]]
Facts: TypeAlias = dict[str, Any]

MODEL = "dconvex model"
KINDS = ("discrete", "gaussian")


def save_model(
    path: Path, index: FamilyIndex, answers: Any, max_bytes: int | None, more: Mapping[str, NDArray[Any]], about: Facts
) -> None:
    """Write a model, and more arrays and facts about where it comes from, to one file."""
    answers.store.read_all()
    known = len(index.dag) if answers.is_one_distribution else index.table_count
    structure = structure_of(index)
    arrays, facts = structure.stored()
    arrays |= (
        _tables(answers, structure.index, known)
        if answers.kind == "discrete"
        else _regressions(answers, structure.index, known)
    )
    facts |= {"kind": answers.kind, "coherent": answers.is_one_distribution, "max_bytes": max_bytes, "learned": None}
    own, learned = _learned(index, about)
    write_container(path, MODEL, {**arrays, **own, **more}, {**facts, **learned})


def opened_answers(file: Container) -> tuple[FamilyIndex, DiscreteAnswers | GaussianAnswers]:
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
        return index, GaussianAnswers(StoredRegressions(index, numbers), is_one_distribution=coherent)
    labels = StoredLabels.read(file.array, file.path, may_be_empty=False)
    if len(labels) != variables:
        raise FormatError("the file is damaged: its labels do not fit its variables", path=file.path)
    numbers = ClusterNumbers(file, structure.index, known, labels.sizes())
    try:
        store = StoredTables(index, labels.sizes(), numbers)
    except (MemoryError, ValueError, OverflowError):
        raise FormatError("the tables of the file do not fit into memory", path=file.path) from None
    return index, DiscreteAnswers(store, labels, is_one_distribution=coherent)


def structure_of(index: FamilyIndex) -> Structure:
    """What is stored of a graph and a tree."""
    parents, clusters, tree = index.dag.parent_lists, index.clusters, index.tree
    ends, _ = tree.joints(index.dag)
    order = np.lexsort((ends[:, 1], ends[:, 0]))
    core = ClusterIndex(Graph(Ragged(parents.start, parents.neighbours)), Ragged(clusters.start, clusters.members), ends[order])
    return Structure(index.dag.nodes, core, ends[order], tree.mode, tree.certified, tuple(sorted(tree.undecided)))


def index_from(structure: Structure) -> FamilyIndex:
    """The index of what was stored."""
    core, names, clusters_of = structure.index, cast("StoredNames", structure.names), load("clusters")
    graph = core.graph
    parents, children, members, separators = (
        Adjacency(own.offsets.copy(), own.values.copy())
        for own in (graph.parents, graph.children, core.clusters, structure.separators())
    )
    dag = Dag.from_known(names, NameIndex(names), parents, children, graph.order.copy())
    tree = ClusterTree.from_arrays(
        names,
        members,
        structure.ends,
        separators,
        mode=structure.mode,
        certified=structure.certified,
        undecided=structure.undecided,
    )
    arcs = load("walks").Arcs(
        parents.start.copy(), parents.neighbours.copy(), children.start.copy(), children.neighbours.copy(), graph.rank.copy()
    )
    clusters = clusters_of.Clusters(
        members.start.copy(), members.neighbours.copy(), core.parent.copy(), core.depth.copy(), core.holders.offsets.copy(),
        core.holders.values.copy(), core.top.copy(), core.smallest.copy(), core.member_table.copy(), core.toward.copy(),
    )  # fmt: skip
    families = clusters_of.Families(
        core.table_variable.copy(),
        core.table_parents.offsets.copy(),
        core.table_parents.values.copy(),
        core.source.copy(),
        core.behind.copy(),
    )
    return FamilyIndex(dag, tree, arcs, clusters, families)


def _learned(index: FamilyIndex, about: Facts) -> tuple[Arrays, Facts]:
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


def _tables(answers: DiscreteAnswers, index: ClusterIndex, known: int) -> Arrays:
    store = answers.store
    numbers = store.values[: store.table_at[known]]
    return {NUMBERS: numbers, CHECKSUMS: checksums_of(index, known, store.states, numbers), **packed_labels(answers.labels)}


def _regressions(answers: GaussianAnswers, index: ClusterIndex, known: int) -> Arrays:
    numbers = known_regressions(answers.store, known)
    return {NUMBERS: numbers, CHECKSUMS: checksums_of(index, known, None, numbers)}
