"""Models in files: `save_model` writes one, `open_model` opens it; its numbers are read when a question needs them."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from dconvex._core import TableLayout, Tables
from dconvex.clusters.cluster_index import ClusterIndex
from dconvex.errors import FormatError
from dconvex.inference.discrete import DiscreteAnswers
from dconvex.inference.gaussian import GaussianAnswers
from dconvex.inference.gaussian_store import RegressionStore
from dconvex.inference.model import LocalModel
from dconvex.inference.tables import TableStore
from dconvex.storage.cluster_numbers import CHECKSUMS, NUMBERS, ClusterNumbers, checksums_of
from dconvex.storage.container import Container, write_container
from dconvex.storage.file_origin import FileOrigin, origin_arrays
from dconvex.storage.sections import Arrays
from dconvex.storage.stored_tables import StoredRegressions, StoredTables, packed_regressions
from dconvex.storage.structure import read_structure, stored_count, structure_arrays
from dconvex.storage.texts import StoredLabels, packed_labels

MODEL = "dconvex model"
KINDS = ("discrete", "gaussian")


def save_model(model: LocalModel, path: Path, *, statistics: bool) -> None:
    """Write a model to a file, which is replaced as a whole.

    Args:
        model: The model.
        path: The file.
        statistics: Whether the file also holds the statistics that the model was learned from.

    Raises:
        ValueError: There are no statistics.
    """
    index, answers = model._index, model._answers
    own, about = origin_arrays(model._origin, index.dag, statistics=statistics)
    answers.store.read_all()
    arrays, facts = structure_arrays(index)
    numbers = _table_arrays(answers) if isinstance(answers, DiscreteAnswers) else _regression_arrays(answers)
    facts |= {"kind": model.kind, "coherent": model.coherent, "max_bytes": model.max_bytes}
    write_container(path, MODEL, arrays | numbers | own, facts | about)


def open_model(path: str | Path) -> LocalModel:
    """The model that `model.save` wrote; the tables of a cluster are read when a question first needs them.

    What a file says is checked before it is used: the structure now, numbers when they are read. Nothing in it is executed.

    Args:
        path: The file, of this version or of an earlier one.

    Returns:
        The model. It keeps the file open, so that a file that is replaced in the meantime does not disturb it.

    Raises:
        FormatError: The file is damaged, cut short, foreign, or of a later version. Damaged tables, and a file that is cut
            short while it is open, are noticed when a question needs what is not there.
    """
    file = Container.open(Path(path), MODEL)
    facts = file.facts
    kind, coherent = facts.choice("kind", KINDS), facts.flag("coherent")
    index = read_structure(file)
    count = stored_count(index, coherent=coherent)
    if "known" in facts and facts.count("known") != count:  # version 1
        raise facts.wrong("known", facts.record["known"])
    answers = _discrete(file, index, count, coherent) if kind == "discrete" else _gaussian(file, index, count, coherent)
    max_bytes = facts.count("max_bytes") if "max_bytes" in facts else None
    return LocalModel(index, answers, FileOrigin.read(file, index, answers, max_bytes), max_bytes)


def _table_arrays(answers: DiscreteAnswers) -> Arrays:
    store = answers.store
    count = stored_count(store.index, coherent=answers.coherent)
    numbers = store.tables.values[: store.offsets[count]]
    checksums = checksums_of(store.index.core, count, store.states.astype(np.int64), numbers)
    return {NUMBERS: numbers, CHECKSUMS: checksums, **packed_labels(answers.labels)}


def _regression_arrays(answers: GaussianAnswers) -> Arrays:
    store = answers.store
    count = stored_count(store.index, coherent=answers.coherent)
    numbers = packed_regressions(store, count)
    return {NUMBERS: numbers, CHECKSUMS: checksums_of(store.index.core, count, None, numbers)}


def _discrete(file: Container, index: ClusterIndex, count: int, coherent: bool) -> DiscreteAnswers:
    """Tables of which none is read yet."""
    labels = StoredLabels.read(file.array, file.path, may_be_empty=False)
    if len(labels) != len(index.dag):
        raise file.damaged("its labels do not fit its variables")
    numbers = ClusterNumbers(file, index.core, count, labels.sizes())
    try:
        tables = Tables(TableLayout(index.core, labels.sizes().astype(np.int32)), count)
    except (MemoryError, ValueError, OverflowError):
        raise FormatError("the tables of the file do not fit into memory", path=file.path) from None
    return DiscreteAnswers(TableStore(index, tables, StoredTables(numbers)), labels, coherent=coherent)


def _gaussian(file: Container, index: ClusterIndex, count: int, coherent: bool) -> GaussianAnswers:
    """Regressions of which none is read yet."""
    source = StoredRegressions(ClusterNumbers(file, index.core, count, None))
    return GaussianAnswers(RegressionStore.of_source(index, source), coherent=coherent)
