"""Models in files."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dconvex.inference.discrete import DiscreteAnswers
from dconvex.inference.families import FamilyIndex
from dconvex.inference.model import LocalModel
from dconvex.inference.saving import MODEL, NUMBERS, opened_answers
from dconvex.learning.fitting import FromData
from dconvex.learning.priors import prior_from
from dconvex.learning.report import Report
from dconvex.learning.statistics import Options, Statistics
from dconvex.names import Label, Name
from dconvex.storage.container import Container


def open_model(path: str | Path) -> LocalModel:
    """The model that `model.save` wrote; the tables of a cluster are read when a question first needs them.

    What a file says is checked: damaged, cut or foreign ones raise `FormatError`, and nothing in them is ever executed.
    """
    file = Container.open(Path(path), MODEL, lazy=(NUMBERS,))
    index, answers = opened_answers(file)
    about: dict[str, Any] = file.facts.get("learned") or {}
    declared: list[Name] | None = about.get("declared")
    options = Options(
        answers.kind if about else None,
        _declared(index, answers, declared) if declared and isinstance(answers, DiscreteAnswers) else None,
        about.get("unknown", "raise"),
        max_bytes=file.facts["max_bytes"],
    )
    origin = FromData(
        index,
        answers,
        _InFile(file, index),
        prior_from(about.get("prior")),
        options,
        Report.from_record(about["report"]) if about else None,
        is_partial=bool(about.get("partial")),
    )
    return LocalModel(index, answers, origin, file.facts["max_bytes"])


def _declared(index: FamilyIndex, answers: DiscreteAnswers, names: Iterable[Name]) -> dict[Name, tuple[Label, ...]]:
    """The states that were declared when the model was learned."""
    return {name: answers.labels[index.dag.index_of(name)] for name in names}


@dataclass(frozen=True, slots=True, eq=False)
class _InFile:
    """The statistics that a model was saved with, if it was."""

    file: Container
    index: FamilyIndex

    def all(self) -> Statistics:
        if "statistics" not in self.file.facts:
            raise ValueError("the model was saved without statistics; save it with statistics=True, or learn it anew")
        return Statistics.stored_in(self.file, self.index)
