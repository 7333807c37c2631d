"""Evidence as a model takes it: states or numbers that were observed, and likelihoods of states."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from numbers import Real
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, TypeVar, cast, final

import numpy as np
from numpy.typing import ArrayLike

from dconvex._core import Likelihoods
from dconvex.arrays import Floats
from dconvex.bins import state_of
from dconvex.errors import ImpossibleEvidenceError, UnknownStateError, UnknownVariableError, has_near_match
from dconvex.graph.dag import Dag
from dconvex.names import Label, Name, check_mapping

if TYPE_CHECKING:
    import pandas as pd

Variables: TypeAlias = tuple[int, ...]
"""Variables by index."""
Soft: TypeAlias = Mapping[Name, Mapping[Label, float] | ArrayLike]
Item = TypeVar("Item")

NO_LIKELIHOODS = Likelihoods()


@final
class Evidence(NamedTuple):
    """Observed variables, and likelihoods of others (`soft`), scaled to a maximum of one; all by index."""

    observed: Variables = ()
    states: tuple[int, ...] = ()
    """Of the observed variables, in a discrete model."""
    numbers: tuple[float, ...] = ()
    """Of the observed variables, which ascend, in a Gaussian model."""
    soft: Variables = ()
    likelihoods: tuple[Floats, ...] = ()
    log_scale: float = 0.0
    """The logarithm of what the likelihoods were divided by."""

    @property
    def variables(self) -> Variables:
        """All variables with evidence."""
        return (*self.observed, *self.soft)

    def targets_of(self, variables: Variables) -> Variables:
        """Those of the variables that are not observed; the same tuple if none is."""
        if not self.observed or set(self.observed).isdisjoint(variables):
            return variables
        observed = set(self.observed)
        return tuple([variable for variable in variables if variable not in observed])

    def only(self, variables: Iterable[int]) -> Evidence:
        """The evidence on these variables."""
        wanted = set(variables)
        hard = [k for k, variable in enumerate(self.observed) if variable in wanted]
        soft = [k for k, variable in enumerate(self.soft) if variable in wanted]
        return Evidence(
            _chosen(self.observed, hard),
            _chosen(self.states, hard),
            _chosen(self.numbers, hard),
            _chosen(self.soft, soft),
            _chosen(self.likelihoods, soft),
        )

    def with_states(self, variables: Variables, states: tuple[int, ...]) -> Evidence:
        """With these states too, which it must allow; likelihoods of variables that are observed now become numbers."""
        state_of = dict(zip(variables, states, strict=True))
        soft = list(zip(self.soft, self.likelihoods, strict=True))
        scale = sum(float(np.log(own[state_of[v]])) for v, own in soft if v in state_of)
        left = [k for k, variable in enumerate(self.soft) if variable not in state_of]
        return Evidence(
            observed=(*self.observed, *variables),
            states=(*self.states, *states),
            soft=_chosen(self.soft, left),
            likelihoods=_chosen(self.likelihoods, left),
            log_scale=self.log_scale + scale,
        )

    def with_number(self, variable: int, number: float) -> Evidence:
        """With this number too, in a Gaussian model."""
        pairs = sorted({**self.number_of(), variable: number}.items())
        return Evidence(tuple(v for v, _ in pairs), numbers=tuple(value for _, value in pairs))

    def state_of(self) -> dict[int, int]:
        """The state of each observed variable."""
        return dict(zip(self.observed, self.states, strict=True))

    def number_of(self) -> dict[int, float]:
        """The number of each observed variable."""
        return dict(zip(self.observed, self.numbers, strict=True))

    def said(self, labels: Sequence[tuple[Label, ...]]) -> dict[int, object]:
        """By variable the label that was observed, or the likelihood of each label that it allows."""
        said: dict[int, object] = {v: labels[v][state] for v, state in zip(self.observed, self.states, strict=True)}
        for v, own in zip(self.soft, self.likelihoods, strict=True):
            said[v] = {label: float(number) for label, number in zip(labels[v], own, strict=True) if number > 0}
        return said

    @property
    def native(self) -> Likelihoods:
        """The likelihoods as the native core takes them."""
        return Likelihoods(self.likelihoods) if self.soft else NO_LIKELIHOODS

    def __bool__(self) -> bool:
        return bool(self.observed or self.soft)


def _chosen(items: tuple[Item, ...], numbers: list[int]) -> tuple[Item, ...]:
    return tuple(items[k] for k in numbers) if items else ()


NOTHING = Evidence()
SMALLEST_RATIO = 1e-300
"""Likelihoods that differ by less than this factor are scaled to a maximum of one."""


def is_missing(value: object) -> bool:
    """Whether it is None, NaN, or pandas' NA or NaT: nothing was observed."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, float | np.floating) and bool(value != value)


def is_row(evidence: object) -> bool:
    """Whether evidence is a row of a table: a Series of pandas, or a frame of one row."""
    is_mapping = evidence is None or isinstance(evidence, Mapping)
    return not is_mapping and (hasattr(evidence, "items") or hasattr(evidence, "columns"))


def row_as_mapping(row: object, dag: Dag, targets: Iterable[Name]) -> dict[Name, object]:
    """The cells of a row that are variables other than the targets, as `predict` takes them.

    Raises:
        UnknownVariableError: None of its columns is a variable.
        ValueError: It is a table of several rows.
    """
    if hasattr(row, "columns"):
        import narwhals as nw

        rows = nw.from_native(cast("pd.DataFrame", row), eager_only=True).rows(named=True)
        if len(rows) != 1:
            raise ValueError(f"evidence is one row, and this table has {len(rows):,}; predict_proba takes tables")
        row = rows[0]
    cells = dict(cast("Mapping[Name, object]", row).items())
    if cells and not any(name in dag for name in cells):
        raise UnknownVariableError(next(iter(cells)), dag.nodes)
    left_out = set(targets)
    return {name: value for name, value in cells.items() if name in dag and name not in left_out}


def _known(dag: Dag, evidence: Mapping[Name, object] | None) -> Iterable[tuple[int, Name, object]]:
    """The variables by index and name, and what is known of them; a name that the model does not have is an error."""
    if evidence is None:
        return
    for name, value in evidence.items():
        try:
            variable = dag.index_of(name)
        except UnknownVariableError as error:
            raise _stranger(dag, evidence) or error from None
        yield variable, name, value


def _stranger(dag: Dag, evidence: Mapping[Name, object]) -> UnknownVariableError | None:
    """The error about the name that looks most like a slip; where it may be a column of a table, it says what takes rows."""
    strangers = [name for name in evidence if name not in dag]
    slips = [name for name in strangers if has_near_match(name, dag.nodes)]
    if len(strangers) == len(slips) == 1 or not strangers:
        return None
    way_out = (
        "; of a row of a table with more columns take those of the model, {name: row[name] for name in model.dag.nodes if "
        "name in row}, or pass it as a frame of one row, such as frame[0] of polars"
    )
    return UnknownVariableError((slips or strangers)[0], dag.nodes, or_else=way_out)


def read_states(
    dag: Dag, labels: Sequence[tuple[Label, ...]], evidence: Mapping[Name, Any] | None, soft: Soft | None
) -> Evidence:
    """Check names, states and numbers; a set of labels is a likelihood of ones and zeros, or a state if it has one label."""
    check_mapping("evidence", evidence)
    check_mapping("soft", soft)
    observed: dict[int, int] = {}
    likelihoods: dict[int, Floats] = {}
    for variable, name, value in _known(dag, evidence):
        if is_missing(value):
            continue
        if not isinstance(value, set | frozenset | list | tuple):
            observed[variable] = _state(name, value, labels[variable])
            continue
        states = sorted({_state(name, label, labels[variable]) for label in value})
        if not states:
            raise ImpossibleEvidenceError({name: value})
        if len(states) == 1:
            observed[variable] = states[0]
        else:
            likelihoods[variable] = np.zeros(len(labels[variable]))
            likelihoods[variable][states] = 1.0
    log_scale = 0.0
    for name, likelihood in (soft or {}).items():
        variable = dag.index_of(name)
        numbers = _likelihood(name, likelihood, labels[variable])
        factor = _multiplied(variable, numbers, observed, likelihoods)
        if factor == 0.0:
            raise ImpossibleEvidenceError({name: likelihood})
        log_scale += float(np.log(factor))
    return Evidence(tuple(observed), tuple(observed.values()), (), tuple(likelihoods), tuple(likelihoods.values()), log_scale)


def _multiplied(variable: int, numbers: Floats, observed: Mapping[int, int], likelihoods: dict[int, Floats]) -> float:
    """Multiply a likelihood into what is known of its variable; the factor that is left over, 0 where nothing is possible."""
    if variable in observed:
        return float(numbers[observed[variable]])
    if variable in likelihoods:
        numbers = numbers * likelihoods[variable]
    highest = float(numbers.max())
    if highest == 0.0:
        return 0.0
    if numbers[numbers > 0].min() / highest < SMALLEST_RATIO:
        highest = 1.0  # divided, the smallest would become zero
    likelihoods[variable] = numbers / highest
    return highest


def _state(name: Name, label: Any, labels: tuple[Label, ...]) -> int:
    state = state_of(label, labels)
    if state is None:
        raise UnknownStateError(name, label, labels)
    return state


def _likelihood(name: Name, likelihood: Any, labels: tuple[Label, ...]) -> Floats:
    """One number for each state, in order."""
    if isinstance(likelihood, Mapping):
        numbers = np.zeros(len(labels))
        for label, number in likelihood.items():
            try:
                numbers[_state(name, label, labels)] = number
            except (TypeError, ValueError):
                raise ValueError(f"the likelihood of {name!r} = {label!r} must be a number, not {number!r}") from None
    else:
        try:
            numbers = np.array(likelihood, np.float64)
        except (TypeError, ValueError):
            raise ValueError(f"the likelihood of {name!r} must be a number for each state, not {likelihood!r}") from None
    if numbers.shape != (len(labels),):
        raise ValueError(f"the likelihood of {name!r} has shape {numbers.shape}; it has {len(labels)} states: {labels!r}")
    if not np.isfinite(numbers).all() or (numbers < 0).any():
        raise ValueError(f"the likelihood of {name!r} must be finite and not negative, not {numbers.tolist()!r}")
    return numbers


def read_numbers(dag: Dag, evidence: Mapping[Name, Any] | None, soft: Mapping[Name, Any] | None) -> Evidence:
    """Check names and numbers."""
    check_mapping("evidence", evidence)
    check_mapping("soft", soft)
    for name in soft or ():
        dag.index_of(name)
        raise ValueError(f"there is a likelihood for {name!r}; soft and set-valued evidence is for discrete networks")
    known = _known(dag, evidence)
    found = sorted((variable, _number(name, value)) for variable, name, value in known if not is_missing(value))
    return Evidence(tuple(variable for variable, _ in found), numbers=tuple(number for _, number in found))


def _number(name: Name, value: Any) -> float:
    if isinstance(value, set | frozenset | list | tuple):
        raise ValueError(f"{name!r} is observed as {value!r}; soft and set-valued evidence is for discrete networks")
    plain = value.item() if isinstance(value, np.generic | np.ndarray) and value.ndim == 0 else value
    try:
        number = float(plain) if isinstance(plain, Real) else np.nan
    except OverflowError:
        number = np.inf
    if not np.isfinite(number):
        raise ValueError(f"{name!r} can only be observed as a finite number, not as {value!r}")
    return number
