"""What differs between discrete and Gaussian models: what is seen of a variable, and an answer as plain data."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

import numpy as np

from dconvex.display.labels import label
from dconvex.errors import TooLargeError
from dconvex.explorer.reading import RequestError, read_list, read_number, read_place
from dconvex.inference.distribution import Distribution, GaussianDistribution
from dconvex.inference.model import LocalModel
from dconvex.names import Label, Name

Plain: TypeAlias = dict[str, Any]
"""What JSON can hold."""

SHOWN_ROWS = 50
"""So many of the most probable joint states are listed."""
MOST_CELLS = 100_000
"""A joint distribution with more cells is nothing to look at."""


class Kind(Protocol):
    """One for each kind of model."""

    def states(self, name: Name) -> list[str]:
        """What to call the states of a variable; none for a continuous one."""

    def seen(self, name: Name, value: Any) -> Any:
        """The evidence that the page sends as `value`."""

    def likelihood(self, name: Name, value: Any) -> dict[Label, float]:
        """The soft evidence that the page sends as `value`."""

    def refuse_large_joint(self, asked: Iterable[Name]) -> None:
        """Raise if their joint distribution is nothing to look at."""

    def marginal(self, answer: Any) -> list[float]:
        """The numbers of an answer about one variable."""

    def joint(self, answer: Any) -> Plain:
        """An answer about several variables."""

    def found(self, name: Name, value: Any) -> float:
        """The most probable state of a variable by its place, or its value."""

    def joint_table(self, answer: Any) -> str:
        """An answer as CSV."""

    def marginals_table(self, answers: Mapping[Name, Any]) -> str:
        """Answers about one variable each, as CSV."""


def kind_of(model: LocalModel) -> Kind:
    """The one that fits the model."""
    return Discrete(model.states) if model.kind == "discrete" else Gaussian()


@dataclass(frozen=True)
class Discrete:
    """Variables with states; on the way a state is its place."""

    labels: dict[Name, tuple[Label, ...]]

    def states(self, name: Name) -> list[str]:
        return [label(state) for state in self.labels[name]]

    def seen(self, name: Name, value: Any) -> Label | set[Label]:
        places = read_list(value, f"evidence on {name!r}")
        states = {read_place(place, self.labels[name], f"state of {name!r}") for place in places}
        return states.pop() if len(states) == 1 else states

    def likelihood(self, name: Name, value: Any) -> dict[Label, float]:
        what = f"the likelihood of {name!r}"
        numbers = [read_number(number, what) for number in read_list(value, what)]
        if len(numbers) != len(self.labels[name]):
            raise RequestError(f"{what} has {len(numbers)} numbers for {len(self.labels[name])} states")
        return dict(zip(self.labels[name], numbers, strict=True))

    def refuse_large_joint(self, asked: Iterable[Name]) -> None:
        cells = 1
        for name in asked:
            cells *= len(self.labels[name])
        if cells > MOST_CELLS:
            what = f"a joint distribution of {cells:,} states"
            raise TooLargeError(what, 8 * cells, 8 * MOST_CELLS, "Ask for fewer variables together, or in Python.")

    def marginal(self, answer: Distribution) -> list[float]:
        return [float(number) for number in answer.values]

    def joint(self, answer: Distribution) -> Plain:
        flat = answer.values.reshape(-1)
        likeliest = np.argsort(-flat, kind="stable")[:SHOWN_ROWS]
        cells = np.stack(np.unravel_index(likeliest, answer.values.shape), axis=1)
        return {"states": cells.tolist(), "probabilities": flat[likeliest].tolist(), "count": flat.size}

    def found(self, name: Name, value: Label) -> int:
        return self.labels[name].index(value)

    def joint_table(self, answer: Distribution) -> str:
        return answer.to_frame().to_csv(index=False, lineterminator="\r\n")

    def marginals_table(self, answers: Mapping[Name, Distribution]) -> str:
        rows = [
            (name, state, number)
            for name, answer in answers.items()
            for state, number in zip(answer.labels[0], answer.values.tolist(), strict=True)
        ]
        return table_of(("variable", "state", "probability"), rows)


@dataclass(frozen=True)
class Gaussian:
    """Continuous variables; a marginal is a mean and a standard deviation."""

    def states(self, name: Name) -> list[str]:
        return []

    def seen(self, name: Name, value: Any) -> float:
        return read_number(value, f"evidence on {name!r}")

    def likelihood(self, name: Name, value: Any) -> dict[Label, float]:
        raise RequestError(f"there is a likelihood for {name!r}; soft evidence is for discrete networks")

    def refuse_large_joint(self, asked: Iterable[Name]) -> None:
        pass

    def marginal(self, answer: GaussianDistribution) -> list[float]:
        return [float(answer.mean[0]), float(answer.standard_deviations[0])]

    def joint(self, answer: GaussianDistribution) -> Plain:
        deviations = answer.standard_deviations
        scale = np.outer(deviations, deviations)
        correlation = np.divide(answer.covariance, scale, out=np.zeros_like(scale), where=scale > 0)
        return {"mean": answer.mean.tolist(), "deviation": deviations.tolist(), "correlation": correlation.tolist()}

    def found(self, name: Name, value: float) -> float:
        return float(value)

    def joint_table(self, answer: GaussianDistribution) -> str:
        frame = answer.to_frame()
        for column, name in enumerate(answer.variables if len(answer.variables) > 1 else ()):
            frame[f"covariance with {name}"] = answer.covariance[:, column]
        return frame.to_csv(lineterminator="\r\n")

    def marginals_table(self, answers: Mapping[Name, GaussianDistribution]) -> str:
        rows = [(name, *self.marginal(answer)) for name, answer in answers.items()]
        return table_of(("variable", "mean", "standard deviation"), rows)


def table_of(header: tuple[str, ...], rows: Iterable[tuple[Any, ...]]) -> str:
    """Rows as CSV."""
    text = io.StringIO(newline="")
    csv.writer(text).writerows([header, *rows])
    return text.getvalue()
