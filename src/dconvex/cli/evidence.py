"""Evidence as it is typed, `BP=LOW`, `BP=LOW,NORMAL` or `BP=LOW:0.7,NORMAL:0.2`, read against the labels of a network."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

import typer

from dconvex.bins import state_of
from dconvex.cli.sources import Subject, variables_by_spelling
from dconvex.errors import UnknownStateError, UnknownVariableError
from dconvex.formats.evidence_files import read_evidence
from dconvex.inference.titles import finding
from dconvex.names import Label, Name

Found = TypeVar("Found")


@dataclass(frozen=True)
class CommandEvidence:
    """What `--given` and `--soft` say: by variable a label, a tuple of labels or a number, and likelihoods of labels."""

    observed: dict[Name, Label | tuple[Label, ...] | float] = field(default_factory=dict)
    soft: dict[Name, dict[Label, float]] = field(default_factory=dict)
    settings: dict[Name, Label | float] = field(default_factory=dict)
    """What an intervention sets."""

    def __str__(self) -> str:
        """`BP = LOW, CVP in {LOW, NORMAL}, HR ~ HIGH:0.7`."""
        said = [f"do({finding(name, value)})" for name, value in self.settings.items()]
        said += [finding(name, value) for name, value in [*self.observed.items(), *self.soft.items()]]
        return ", ".join(said if len(said) <= 8 else [*said[:7], f"… {len(said) - 7} more"])

    def __bool__(self) -> bool:
        return bool(self.observed or self.soft or self.settings)


NOTHING = CommandEvidence()


def read_given(network: Subject, given: Sequence[str], soft: Sequence[str]) -> CommandEvidence:
    """Evidence as it was typed, read against the labels of the network."""
    if soft and network.kind == "gaussian":
        raise typer.BadParameter("likelihoods of states are for discrete networks", param_hint="--soft")
    read = _states if network.kind == "discrete" else _number
    return CommandEvidence(_by_variable(network, given, "--given", read), _by_variable(network, soft, "--soft", _likelihood))


def given_in(file: Path | None) -> list[str]:
    """The evidence of a file, as it would be typed."""
    if file is None:
        return []
    return [
        f"{name}={','.join(map(str, value)) if isinstance(value, frozenset) else value}"
        for name, value in read_evidence(file).items()
    ]


def read_settings(network: Subject, settings: Sequence[str]) -> dict[Name, Label | float]:
    """What an intervention sets, `BP=LOW`, read against the labels of the network."""
    read = _states if network.kind == "discrete" else _number
    found: dict[Name, Label | float] = {}
    for name, value in _by_variable(network, settings, "--set", read).items():
        if isinstance(value, tuple):
            raise typer.BadParameter(f"{name} is set to one state, not to one of several", param_hint="--set")
        found[name] = value
    return found


def read_costs(network: Subject, costs: Sequence[str]) -> dict[Name, float]:
    """`ama=10`: what observing a variable costs."""
    return _by_variable(network, costs, "--cost", _cost)


def labels_by_spelling(labels: Sequence[Label]) -> dict[str, Label]:
    """The labels by what a user types for them: 1, True or true for those that are no text, 'x' in quotes where in doubt.

    >>> labels_by_spelling(["1", 1])["1"], labels_by_spelling(["1", 1])["'1'"], labels_by_spelling([True])["true"]
    (1, '1', True)
    """
    found: dict[str, Label] = {}
    spellings: list[Callable[[Label], str]] = [repr, str]  # the first one is different for each label
    if not all(isinstance(label, str) for label in labels):
        spellings += [lambda label: str(label).lower(), lambda label: str(label).upper()]
        spellings += [lambda label: f"{label}.0"]  # what integers with a gap among them become in a table
    for spell in spellings:
        for label in labels:
            found.setdefault(spell(label), label)
    return found


def _by_variable(
    network: Subject, words: Sequence[str], option: str, read: Callable[[Subject, Name, str], Found]
) -> dict[Name, Found]:
    known = variables_by_spelling(network)
    found: dict[Name, Found] = {}
    for word in words:
        name, value = _halves(word, network, known, option)
        if name in found:
            raise typer.BadParameter(f"{name} is given twice; several states of one variable are {name}=A,B", param_hint=option)
        found[name] = read(network, name, value)
    return found


def _halves(word: str, network: Subject, known: dict[str, Name], option: str) -> tuple[Name, str]:
    """The variable and what is said of it; a name may hold a `=` itself, and there may be spaces around the one that counts."""
    for index, sign in enumerate(word):
        name = _meant(word[:index], known) if sign == "=" else None
        if name is not None:
            return name, word[index + 1 :]
    spelled, equals, _ = word.partition("=")
    if not equals:
        raise typer.BadParameter(f"{word!r} is not of the form VARIABLE=STATE", param_hint=option)
    raise UnknownVariableError(spelled.strip(), network.dag.nodes)


def _states(network: Subject, name: Name, text: str) -> Label | tuple[Label, ...]:
    known = labels_by_spelling(network.states[name])
    labels: list[Label]
    labels, rest = _taken_apart(text, lambda part: _state(part, known, network.states[name]))
    if rest is not None:
        raise UnknownStateError(name, rest.strip(), network.states[name])
    different = tuple(dict.fromkeys(labels))
    return different[0] if len(different) == 1 else different


def _number(network: Subject, name: Name, text: str) -> float:
    number = _finite(text)
    if number is None:
        raise typer.BadParameter(f"{name} takes a number, not {text!r}", param_hint="--given")
    return number


def _cost(network: Subject, name: Name, text: str) -> float:
    number = _finite(text)
    if number is None or number <= 0:
        raise typer.BadParameter(f"the cost of {name} is a number above 0, not {text!r}", param_hint="--cost")
    return number


def _likelihood(network: Subject, name: Name, text: str) -> dict[Label, float]:
    known = labels_by_spelling(network.states[name])

    def read(part: str) -> tuple[Label, float] | None:
        spelled, _, number = part.rpartition(":")
        label, likelihood = _meant(spelled, known), _finite(number)
        return None if label is None or likelihood is None or likelihood < 0 else (label, likelihood)

    pairs, rest = _taken_apart(text, read)
    if rest is None:
        return dict(pairs)
    spelled, colon, _ = rest.rpartition(":")
    if not colon or _meant(spelled, known) is not None:
        problem = f"{rest!r} is not of the form STATE:LIKELIHOOD with a likelihood of 0 or more"
        raise typer.BadParameter(problem, param_hint="--soft")
    raise UnknownStateError(name, spelled.strip(), network.states[name])


def _state(spelled: str, known: Mapping[str, Label], labels: tuple[Label, ...]) -> Label | None:
    """The label with this spelling, or the interval that the number falls into."""
    label = _meant(spelled, known)
    if label is None and (number := _finite(spelled)) is not None:
        state = state_of(number, labels)
        return None if state is None else labels[state]
    return label


def _meant(spelled: str, known: Mapping[str, Found]) -> Found | None:
    """The value with this spelling, if necessary without the spaces around it."""
    return known.get(spelled, known.get(spelled.strip()))


def _taken_apart(text: str, read: Callable[[str], Found | None]) -> tuple[list[Found], str | None]:
    """What is read between commas, as far as possible the whole, since a label may hold a comma; and what cannot be read."""
    parts, found = text.split(","), list[Found]()
    while parts:
        for size in range(len(parts), 0, -1):
            value = read(",".join(parts[:size]))
            if value is not None:
                found.append(value)
                del parts[:size]
                break
        else:
            return found, parts[0]
    return found, None


def _finite(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None
