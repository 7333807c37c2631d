"""The answer to a question: a table over states, or a Gaussian."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import FrozenInstanceError, dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NoReturn, cast

import numpy as np

from dconvex._core import Answer
from dconvex.arrays import Floats
from dconvex.errors import UnknownStateError
from dconvex.inference.titles import KnownValue, title_of
from dconvex.names import Label, Name
from dconvex.shown import Shown

if TYPE_CHECKING:
    import pandas as pd


_NOTHING: Mapping[Name, KnownValue] = MappingProxyType({})


class Distribution(Shown, Answer):
    """Probabilities of the states of `variables`: `values` has an axis for each, in the order asked.

    `evidence` is what it was computed given. `standard_errors` is there for an estimate by sampling, of the same shape.
    """

    __slots__ = ("_errors", "_values")

    _values: Floats
    _errors: Floats | None

    def __init__(
        self,
        variables: tuple[Name, ...],
        labels: tuple[tuple[Label, ...], ...],
        values: Floats,
        standard_errors: Floats | None = None,
        evidence: Mapping[Name, KnownValue] = _NOTHING,
    ) -> None:
        _set_variables(self, variables)
        _set_labels(self, labels)
        _set_values(self, values)
        _set_errors(self, standard_errors)
        if evidence:
            _set_evidence(self, evidence)

    @property
    def variables(self) -> tuple[Name, ...]:  # type: ignore[override]
        """The variables, in the order asked."""
        own: tuple[Name, ...] = _variables(self)
        return own

    @property
    def labels(self) -> tuple[tuple[Label, ...], ...]:  # type: ignore[override]
        """The states of each variable, along the axes of `values`."""
        own: tuple[tuple[Label, ...], ...] = _labels(self)
        return own

    @property
    def values(self) -> Floats:
        """The probabilities, an axis for each variable."""
        try:
            return self._values
        except AttributeError:  # the first look at an answer of the core, which has numbers and no array yet
            values: Floats = np.frombuffer(cast("Any", self.numbers)).reshape([*map(len, self.labels)])
            _set_values(self, values)
            return values

    @property
    def standard_errors(self) -> Floats | None:
        """The standard errors of an estimate, None for an exact answer."""
        try:
            return self._errors
        except AttributeError:  # an answer of the core
            return None

    @property
    def evidence(self) -> dict[Name, KnownValue]:  # type: ignore[override]
        """What is known: the label of each observed variable, or the likelihood of each label that is possible."""
        own: Mapping[Name, KnownValue] | None = _evidence(self)
        return {} if own is None else {**own}

    @property
    def title(self) -> str:
        """The question that this answers, as `P(lung | smoke = yes)`."""
        return title_of(self.variables, self.evidence)

    @property
    def states(self) -> dict[Name, tuple[Label, ...]]:
        """The labels of each variable, in order."""
        return dict(zip(self.variables, self.labels, strict=True))

    def __getitem__(self, states: Label | tuple[Label, ...]) -> float:
        """The probability of one joint state.

        Args:
            states: The label of the only variable, or a tuple with a label of each variable.

        Returns:
            The probability.

        Raises:
            ValueError: There is not a label for each variable.
            UnknownStateError: A variable does not have a label.

        """
        chosen = states if isinstance(states, tuple) else (states,)
        if len(chosen) != len(self.variables):
            raise ValueError(f"{states!r} does not name a state of each of {self.variables!r}")
        cell = []
        for variable, labels, label in zip(self.variables, self.labels, chosen, strict=True):
            if label not in labels:
                raise UnknownStateError(variable, label, labels)
            cell.append(labels.index(label))
        return float(self.values[tuple(cell)])

    def to_series(self) -> pd.Series[float]:
        """The probabilities as a pandas Series.

        Returns:
            A Series, indexed by state (one variable) or by the states of all, the last variable fastest.

        """
        import pandas as pd

        if len(self.variables) == 1:
            index: pd.Index[Any] = pd.Index(cast("Any", self.labels[0]), name=cast("Any", self.variables[0]))
        elif self.variables:
            index = pd.MultiIndex.from_product(cast("Any", self.labels), names=cast("Any", self.variables))
        else:
            index = pd.RangeIndex(1)
        return pd.Series(self.values.reshape(-1), index=index, name="probability")

    def to_frame(self) -> pd.DataFrame:
        """The probabilities as a pandas DataFrame.

        Returns:
            A frame with a row for each joint state: a column for each variable and one with the probability (and its standard
            error).

        """
        import pandas as pd

        cells = np.indices(self.values.shape).reshape(len(self.variables), self.values.size)
        columns: list[object] = [
            pd.Categorical.from_codes(codes, categories=cast("Any", labels))
            for labels, codes in zip(self.labels, cells, strict=True)
        ]
        columns.append(self.values.reshape(-1))
        if self.standard_errors is not None:
            columns.append(self.standard_errors.reshape(-1))
        frame = pd.DataFrame(dict(enumerate(columns)))
        frame.columns = pd.Index([*self.variables, "probability", "standard error"][: len(columns)])  # one may be called that
        return frame

    def __reduce__(self) -> tuple[object, ...]:
        return Distribution, (self.variables, self.labels, self.values, self.standard_errors, self.evidence)

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise FrozenInstanceError(f"cannot assign to field {name!r}")

    def __delattr__(self, name: str) -> NoReturn:
        raise FrozenInstanceError(f"cannot delete field {name!r}")

    def __repr__(self) -> str:
        if self.values.size > 32 or not self.variables:
            shape = " × ".join(map(str, self.values.shape)) or "1"
            return f"{self.title}: {shape} probabilities"
        return "\n".join([self.title, *self._lines()])

    def _lines(self) -> list[str]:
        flat = self.values.reshape(-1)
        errors = None if self.standard_errors is None else self.standard_errors.reshape(-1)
        names = [
            ", ".join(str(labels[code]) for labels, code in zip(self.labels, cell, strict=True))
            for cell in np.ndindex(self.values.shape)
        ]
        width = max(map(len, names))
        return [
            f"  {name:<{width}}  {value:.6g}" + ("" if errors is None else f" ± {errors[k]:.2g}")
            for k, (name, value) in enumerate(zip(names, flat.tolist(), strict=True))
        ]


_variables, _labels, _evidence = (Answer.__dict__[name].__get__ for name in ("variables", "labels", "evidence"))
_set_variables, _set_labels, _set_evidence = (Answer.__dict__[name].__set__ for name in ("variables", "labels", "evidence"))
_set_values, _set_errors = Distribution.__dict__["_values"].__set__, Distribution.__dict__["_errors"].__set__


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class GaussianDistribution(Shown):
    """A normal distribution of `variables`: `mean` and `covariance` in the order asked; variances may be zero.

    `evidence` is what it was computed given.
    """

    variables: tuple[Name, ...]
    mean: Floats
    covariance: Floats
    evidence: Mapping[Name, KnownValue] = field(default_factory=dict)

    @property
    def title(self) -> str:
        """The question that this answers, as `p(blood | age = 60)`: a density."""
        return title_of(self.variables, self.evidence, "p")

    @property
    def states(self) -> Mapping[Name, tuple[Label, ...]]:
        """Empty: the variables are continuous."""
        return {}

    @property
    def standard_deviations(self) -> Floats:
        """The square roots of the variances."""
        return np.sqrt(np.clip(np.diagonal(self.covariance), 0.0, None))

    def to_series(self) -> pd.Series[float]:
        """The means as a pandas Series.

        Returns:
            A Series, indexed by variable.

        """
        import pandas as pd

        return pd.Series(self.mean, index=pd.Index(cast("Any", self.variables)), name="mean")

    def to_frame(self) -> pd.DataFrame:
        """Means and standard deviations as a pandas DataFrame.

        Returns:
            A frame with a row for each variable.

        """
        import pandas as pd

        columns = {"mean": self.mean, "standard deviation": self.standard_deviations}
        return pd.DataFrame(columns, index=pd.Index(cast("Any", self.variables), name="variable"))

    def __repr__(self) -> str:
        width = max((len(str(name)) for name in self.variables), default=0)
        rows = zip(self.variables, self.mean.tolist(), self.standard_deviations.tolist(), strict=True)
        lines = [f"  {name!s:<{width}}  {mean:.6g} ± {deviation:.6g}" for name, mean, deviation in rows]
        return "\n".join([self.title, *lines])
