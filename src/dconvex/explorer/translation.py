"""Evidence from plain data and answers as plain data, for discrete and for Gaussian models."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Literal, Protocol, TypeAlias, cast

import numpy as np

from dconvex.bins import state_of_number
from dconvex.display.labels import label
from dconvex.errors import TooLargeError
from dconvex.explorer.csv_tables import table_of
from dconvex.explorer.request_data import RequestError, read_item, read_list, read_number
from dconvex.inference.distribution import Distribution, GaussianDistribution
from dconvex.inference.model import LocalModel
from dconvex.names import Label, Name

Plain: TypeAlias = dict[str, object]
"""A JSON object."""
Evidence: TypeAlias = Label | set[Label] | float
"""One state, one of several states, or a number."""
Answer: TypeAlias = Distribution | GaussianDistribution

SHOWN_ROWS = 50
"""The most joint states that are listed; the most probable ones are."""
MOST_CELLS = 100_000
"""The most cells of a joint distribution on the page."""


class Translator(Protocol):
    """Translates between the plain data of the page and the values of one kind of model."""

    @property
    def kind(self) -> Literal["discrete", "gaussian"]:
        """The kind of model."""

    def states(self, name: Name) -> list[str]:
        """The names of a variable's states; none for a continuous one."""

    def evidence(self, name: Name, value: object) -> Evidence:
        """The evidence in `value`."""

    def soft(self, name: Name, value: object) -> dict[Label, float]:
        """The soft evidence in `value`."""

    def setting(self, name: Name, value: object) -> Label | float:
        """The state or number in `value` at which the variable is set."""

    def refuse_large_joint(self, targets: Iterable[Name]) -> None:
        """Raise if their joint distribution is too large for the page."""

    def marginal(self, answer: Answer) -> list[float]:
        """The numbers of an answer about one variable."""

    def joint(self, answer: Answer) -> Plain:
        """An answer about several variables."""

    def state(self, name: Name, value: Label | float) -> float:
        """The index of a variable's state, or its number."""

    def joint_table(self, answer: Answer) -> str:
        """An answer as CSV."""

    def marginals_table(self, answers: Mapping[Name, Answer]) -> str:
        """Answers about one variable each, as CSV."""


def translator_of(model: LocalModel) -> Translator:
    """The translator for the kind of the model."""
    return DiscreteTranslator(model.states) if model.kind == "discrete" else GaussianTranslator()


@dataclass(frozen=True)
class DiscreteTranslator:
    """Variables with states; in plain data a state is its index."""

    labels: dict[Name, tuple[Label, ...]]
    kind: Literal["discrete"] = "discrete"

    def states(self, name: Name) -> list[str]:
        return [label(state) for state in self.labels[name]]

    def evidence(self, name: Name, value: object) -> Label | set[Label]:
        if isinstance(value, int | float):  # a number that falls into an interval
            state = state_of_number(value, self.labels[name])
            if state is None:
                raise RequestError(f"{value!r} falls into no interval of {name!r}")
            return self.labels[name][state]
        indices = read_list(value, f"evidence on {name!r}")
        states = {read_item(index, self.labels[name], f"state of {name!r}") for index in indices}
        return states.pop() if len(states) == 1 else states

    def soft(self, name: Name, value: object) -> dict[Label, float]:
        what = f"soft evidence on {name!r}"
        numbers = [read_number(number, f"each number of {what}") for number in read_list(value, what)]
        if len(numbers) != len(self.labels[name]):
            raise RequestError(f"{what} has {len(numbers)} numbers for {len(self.labels[name])} states")
        return dict(zip(self.labels[name], numbers, strict=True))

    def setting(self, name: Name, value: object) -> Label:
        return read_item(value, self.labels[name], f"state of {name!r}")

    def refuse_large_joint(self, targets: Iterable[Name]) -> None:
        cells = 1
        for name in targets:
            cells *= len(self.labels[name])
        if cells > MOST_CELLS:
            what = f"a joint distribution of {cells:,} states"
            raise TooLargeError(what, 8 * cells, 8 * MOST_CELLS, "Ask for fewer variables together, or in Python.")

    def marginal(self, answer: Answer) -> list[float]:
        return [float(number) for number in _discrete(answer).values]

    def joint(self, answer: Answer) -> Plain:
        values = _discrete(answer).values
        flat = values.reshape(-1)
        most_probable = np.argsort(-flat, kind="stable")[:SHOWN_ROWS]
        cells = np.stack(np.unravel_index(most_probable, values.shape), axis=1)
        return {"states": cells.tolist(), "probabilities": flat[most_probable].tolist(), "count": flat.size}

    def state(self, name: Name, value: Label | float) -> int:
        return self.labels[name].index(value)

    def joint_table(self, answer: Answer) -> str:
        joint = _discrete(answer)
        cells = zip(product(*joint.labels), joint.values.reshape(-1).tolist(), strict=True)
        return table_of([*joint.variables, "probability"], ((*states, number) for states, number in cells))

    def marginals_table(self, answers: Mapping[Name, Answer]) -> str:
        rows = [
            (name, state, number)
            for name, answer in answers.items()
            for state, number in zip(_discrete(answer).labels[0], self.marginal(answer), strict=True)
        ]
        return table_of(("variable", "state", "probability"), rows)


@dataclass(frozen=True)
class GaussianTranslator:
    """Continuous variables; a marginal is a mean and a standard deviation."""

    kind: Literal["gaussian"] = "gaussian"

    def states(self, name: Name) -> list[str]:
        return []

    def evidence(self, name: Name, value: object) -> float:
        return read_number(value, f"evidence on {name!r}")

    def soft(self, name: Name, value: object) -> dict[Label, float]:
        raise RequestError(f"there is soft evidence on {name!r}; a Gaussian network takes none")

    def setting(self, name: Name, value: object) -> float:
        return read_number(value, f"the number that {name!r} is set to")

    def refuse_large_joint(self, targets: Iterable[Name]) -> None:
        pass

    def marginal(self, answer: Answer) -> list[float]:
        normal = _gaussian(answer)
        return [float(normal.mean[0]), float(normal.standard_deviations[0])]

    def joint(self, answer: Answer) -> Plain:
        normal = _gaussian(answer)
        deviations = normal.standard_deviations
        scale = np.outer(deviations, deviations)
        correlation = np.divide(normal.covariance, scale, out=np.full_like(scale, np.nan), where=scale > 0)
        rows = [[None if np.isnan(number) else number for number in row] for row in correlation.tolist()]
        return {"mean": normal.mean.tolist(), "deviation": deviations.tolist(), "correlation": rows}

    def state(self, name: Name, value: Label | float) -> float:
        return float(cast("float", value))

    def joint_table(self, answer: Answer) -> str:
        normal = _gaussian(answer)
        several = normal.variables if len(normal.variables) > 1 else ()
        header = ["variable", "mean", "standard deviation", *(f"covariance with {name}" for name in several)]
        columns = [normal.mean.tolist(), normal.standard_deviations.tolist(), *(normal.covariance.tolist() if several else [])]
        return table_of(header, zip(normal.variables, *columns, strict=True))

    def marginals_table(self, answers: Mapping[Name, Answer]) -> str:
        rows = [(name, *self.marginal(answer)) for name, answer in answers.items()]
        return table_of(("variable", "mean", "standard deviation"), rows)


def _discrete(answer: Answer) -> Distribution:
    assert isinstance(answer, Distribution)
    return answer


def _gaussian(answer: Answer) -> GaussianDistribution:
    assert isinstance(answer, GaussianDistribution)
    return answer
