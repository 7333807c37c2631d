"""Models in files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

from dconvex.errors import FormatError
from dconvex.inference.discrete import DiscreteAnswers
from dconvex.inference.families import FamilyIndex
from dconvex.inference.gaussian import GaussianAnswers
from dconvex.inference.model import LocalModel
from dconvex.inference.saving import MODEL, opened_answers
from dconvex.learning.estimation.priors import Prior
from dconvex.learning.fitting import FromData, network_of
from dconvex.learning.learning_options import LearningOptions, Unknown
from dconvex.learning.report import Report
from dconvex.learning.storing import prior_from, read_report
from dconvex.learning.tree_statistics import Statistics
from dconvex.names import Label, Name
from dconvex.network.network import BayesianNetwork
from dconvex.storage.container import Container

UNKNOWN: tuple[Unknown, ...] = get_args(Unknown)


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
    index, answers = opened_answers(file)
    facts = file.facts
    max_bytes = facts.count("max_bytes") if "max_bytes" in facts else None
    is_learned, is_partial = "learned" in facts, facts.flag("partial")
    prior, options = None, LearningOptions(max_bytes=max_bytes)
    if is_learned:
        about = facts.part("learned")
        prior = prior_from(about, answers.kind)
        options = LearningOptions(
            answers.kind, _declared(file, index, answers), about.choice("unknown", UNKNOWN), max_bytes=max_bytes
        )
    origin = FileOrigin(file, index, answers, prior, options, is_learned=is_learned, is_partial=is_partial)
    return LocalModel(index, answers, origin, max_bytes)


@dataclass(frozen=True, slots=True, eq=False)
class FileOrigin:
    """A file: the report and the statistics of a model that was learned are read when they are needed."""

    file: Container
    index: FamilyIndex
    answers: DiscreteAnswers | GaussianAnswers
    prior: Prior | None
    options: LearningOptions
    is_learned: bool
    is_partial: bool

    def network(self) -> BayesianNetwork:
        if self.is_partial:
            raise ValueError("the model was learned for_query= some variables, so there is no network of all of them")
        self.answers.store.read_all()
        return network_of(self.index, self.answers)

    def updated(self, data: Any) -> LocalModel:
        if not self.is_learned:
            raise ValueError("this model comes from a given network, not from data; learn one with dc.fit")
        return self._from_data().updated(data)

    def report(self) -> Report:
        if not self.is_learned:
            raise ValueError("this model comes from a given network: there is nothing to report about data")
        known = len(self.index.dag) if self.answers.coherent else self.index.table_count
        return read_report(self.file, self.answers.kind, known)

    def stored(self, *, statistics: bool) -> tuple[Mapping[str, Any], dict[str, Any]]:
        if self.is_learned:
            return self._from_data().stored(statistics=statistics)
        if statistics:
            raise ValueError("this model comes from a given network: there are no statistics to save")
        return {}, {"origin": "given"}

    def all(self) -> Statistics:
        """The statistics that the model was saved with, if it was."""
        if "coverage" not in self.file:
            raise ValueError("the model was saved without statistics; save it with statistics=True, or learn it again")
        labels = self.answers.labels if isinstance(self.answers, DiscreteAnswers) else None
        return Statistics.stored_in(self.file, self.index, self.answers.kind, labels)

    def _from_data(self) -> FromData:
        return FromData(self.index, self.answers, self, self.prior, self.options, self.report(), is_partial=self.is_partial)


def _declared(
    file: Container, index: FamilyIndex, answers: DiscreteAnswers | GaussianAnswers
) -> dict[Name, tuple[Label, ...]] | None:
    """The states that were declared when the model was learned."""
    declared = file.array("learned.declared")
    if not len(declared):
        return None
    is_sound = declared[0] >= 0 and declared[-1] < len(index.dag) and (declared[1:] > declared[:-1]).all()
    if not is_sound or not isinstance(answers, DiscreteAnswers):
        raise FormatError("the file is damaged: its declared variables are not in order", path=file.path)
    names = index.dag.names
    return {names[variable]: answers.labels[variable] for variable in declared.tolist()}
