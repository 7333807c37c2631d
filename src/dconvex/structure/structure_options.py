"""The options of `learn_structure`, checked once, and the constraints on edges by index."""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from dconvex._core import EdgeConstraints, Ragged
from dconvex.arrays import Indices
from dconvex.errors import NetworkError, UnknownVariableError
from dconvex.graph.dag import Dag, DagLike, as_dag
from dconvex.learning.estimation.priors import BDeu, BGe
from dconvex.learning.learning_options import Kind
from dconvex.names import Name, as_names
from dconvex.structure.problem import StructureMethod

Edges: TypeAlias = Iterable[tuple[Name, Name]]
StructureScore: TypeAlias = Literal["bic", "aic", "bdeu", "bge"] | BDeu | BGe

OF_KIND: dict[Kind, tuple[str, ...]] = {"discrete": ("bic", "aic", "bdeu"), "gaussian": ("bic", "aic", "bge")}
"""The scores of each kind of data."""


@dataclass(frozen=True, slots=True)
class ScoreChoice:
    """A score by name, and its prior."""

    criterion: str
    prior: BDeu | BGe | None = None

    @classmethod
    def of(cls, score: object) -> ScoreChoice:
        """The score that `score=` asks for.

        Raises:
            ValueError: There is no such score.
        """
        if isinstance(score, BDeu):
            return cls("bdeu", score)
        if isinstance(score, BGe):
            return cls("bge", score)
        if score not in ("bic", "aic", "bdeu", "bge"):
            raise ValueError(f"score={score!r} is unknown; use 'bic', 'aic', 'bdeu', 'bge', dc.BDeu(10) or dc.BGe()")
        return cls(str(score), BDeu() if score == "bdeu" else BGe() if score == "bge" else None)

    def check_kind(self, kind: Kind) -> None:
        """Refuse a score that data of this kind does not have."""
        if self.criterion not in OF_KIND[kind]:
            known = " or ".join(repr(name) for name in OF_KIND[kind])
            raise ValueError(f"score={self.criterion!r} does not fit {kind} data; use {known}")


@dataclass(frozen=True, slots=True, eq=False)
class EdgeRules:
    """What the caller says about edges, by name."""

    required: tuple[tuple[Name, Name], ...] = ()
    forbidden: tuple[tuple[Name, Name], ...] = ()
    tiers: tuple[tuple[Name, ...], ...] | None = None
    max_parents: int | None = None
    start: Dag | None = None
    target: Name | None = None
    edge_penalty: float = 0.0

    @classmethod
    def of(
        cls,
        required: Edges,
        forbidden: Edges,
        tiers: Sequence[Name | Iterable[Name]] | None,
        max_parents: int | None,
        start: DagLike | None,
        target: Name | None,
        edge_penalty: float = 0.0,
    ) -> EdgeRules:
        """The rules, as far as they can be checked without the data."""
        if max_parents is not None and (isinstance(max_parents, bool) or int(max_parents) != max_parents or max_parents < 0):
            raise ValueError(f"max_parents={max_parents!r} must be a whole number, zero or more; None is no limit")
        if not 0 <= edge_penalty < math.inf:
            raise ValueError(f"edge_penalty={edge_penalty!r} must be a number, zero or more")
        return cls(
            _pairs("required", required),
            _pairs("forbidden", forbidden),
            None if tiers is None else tuple(as_names(tier) for tier in tiers),
            max_parents,
            None if start is None else as_dag(start),
            target,
            edge_penalty,
        )

    def given(self) -> frozenset[str]:
        """The names of the rules that say something."""
        said = {
            "required": bool(self.required),
            "forbidden": bool(self.forbidden),
            "tiers": self.tiers is not None,
            "max_parents": self.max_parents is not None,
            "start": self.start is not None,
            "target": self.target is not None,
            "edge_penalty": self.edge_penalty > 0,
        }
        return frozenset(name for name, is_said in said.items() if is_said)


@dataclass(frozen=True, slots=True, eq=False)
class IndexedRules:
    """The same by index, for the core."""

    constraints: EdgeConstraints
    required: Indices
    forbidden: Indices
    start: Ragged
    target: int | None

    @classmethod
    def of(cls, rules: EdgeRules, names: Sequence[Name], apart: Indices) -> IndexedRules:
        """The rules of these variables; pairs that are `apart` get no edge either way.

        Raises:
            UnknownVariableError: A rule names a variable that the data does not have.
            ValueError: Rules contradict each other.
            CycleError: Required edges, with those of the start, make a cycle.
        """
        index = {name: number for number, name in enumerate(names)}

        def number_of(name: Name, where: str) -> int:
            try:
                return index[name]
            except (KeyError, TypeError):
                raise UnknownVariableError(name, names, where=f"variable (in {where}=)") from None

        def pairs_of(edges: Iterable[tuple[Name, Name]], where: str) -> Indices:
            found = [(number_of(parent, where), number_of(child, where)) for parent, child in edges]
            return np.array(found, np.int32).reshape(-1, 2)

        required = pairs_of(rules.required, "required")
        tiers = _pairs_against_tiers(rules.tiers, number_of)
        forbidden = np.concatenate([pairs_of(rules.forbidden, "forbidden"), tiers, apart, apart[:, ::-1]])
        forbidden = np.unique(forbidden, axis=0)
        most = -1 if rules.max_parents is None else min(rules.max_parents, len(names))
        own = cls(
            EdgeConstraints(len(names), required, np.ascontiguousarray(forbidden, np.int32), most),
            required,
            forbidden,
            Ragged.from_lists([[]] * len(names)),
            None if rules.target is None else number_of(rules.target, "target"),
        )
        for name in () if rules.start is None else rules.start:
            number_of(name, "start")
        return own._with_start(rules, names)

    def _with_start(self, rules: EdgeRules, names: Sequence[Name]) -> IndexedRules:
        if rules.start is None and not rules.required:
            return self
        required = {(names[parent], names[child]) for parent, child in self.required.tolist()}
        forbidden = {(names[parent], names[child]) for parent, child in self.forbidden.tolist()}
        for parent, child in required & forbidden:
            raise ValueError(f"the edge {parent!r} → {child!r} is required, and not allowed by forbidden=, tiers= or the data")
        given = set() if rules.start is None else set(rules.start.edges)
        for parent, child in given & forbidden:
            raise ValueError(f"start= has the edge {parent!r} → {child!r}, which forbidden=, tiers= or the data do not allow")
        for edges, what in ((required, "the required edges"), (required | given, "the required edges and those of start=")):
            start = Dag(edges, names)
            _check_max_parents(start, rules.max_parents, what)
        return IndexedRules(self.constraints, self.required, self.forbidden, start.graph.parents, self.target)


def check_honoured(name: str, method: StructureMethod, rules: EdgeRules, max_seconds: float | None, score: ScoreChoice) -> None:
    """Refuse what a method cannot honour.

    Raises:
        ValueError: It cannot; the message says what it can.
    """
    given = rules.given() | (frozenset({"max_seconds"}) if max_seconds is not None else frozenset())
    for option in sorted(given - method.honours):
        can = ", ".join(sorted(method.honours)) or "none of these options"
        raise ValueError(f"method={name!r} cannot honour {option}=; it honours {can} (the guide has a table)")
    if method.needs_target and rules.target is None:
        raise ValueError(f"method={name!r} needs target=, the variable to classify")
    if method.criteria and score.criterion not in method.criteria:
        raise ValueError(f"method={name!r} cannot use score={score.criterion!r}; it uses {', '.join(sorted(method.criteria))}")
    if max_seconds is not None and not (max_seconds > 0 and not math.isnan(max_seconds)):
        raise ValueError(f"max_seconds={max_seconds!r} must be positive")


def method_named(name: object, methods: dict[str, StructureMethod]) -> StructureMethod:
    """The method of this name.

    Raises:
        ValueError: There is none.
    """
    if isinstance(name, str) and name in methods:
        return methods[name]
    near = difflib.get_close_matches(str(name), methods, 1)
    hint = f"did you mean {near[0]!r}? " if near else ""
    raise ValueError(f"method={name!r} is unknown; {hint}There are {', '.join(methods)}")


def _pairs(what: str, edges: Edges) -> tuple[tuple[Name, Name], ...]:
    try:
        return tuple(Dag([edge]).edges[0] for edge in edges)
    except (NetworkError, TypeError) as error:
        raise ValueError(f"{what}= holds (parent, child) pairs: {error}") from None


def _pairs_against_tiers(tiers: Sequence[Sequence[Name]] | None, number_of: object) -> Indices:
    """From each variable to all of earlier tiers."""
    assert callable(number_of)
    numbered = [[number_of(name, "tiers") for name in tier] for tier in tiers or ()]
    members = [number for tier in numbered for number in tier]
    if len(set(members)) < len(members):
        raise ValueError("tiers= has a variable in two tiers; a tier is a list of variables, the earliest first")
    found: list[tuple[int, int]] = []
    for later, tier in enumerate(numbered):
        found += [(parent, child) for earlier in numbered[:later] for child in earlier for parent in tier]
    return np.array(found, np.int32).reshape(-1, 2)


def _check_max_parents(start: Dag, max_parents: int | None, what: str) -> None:
    for name in start:
        if max_parents is not None and len(start.parents(name)) > max_parents:
            raise ValueError(f"{what} give {name!r} {len(start.parents(name))} parents, more than max_parents={max_parents}")
