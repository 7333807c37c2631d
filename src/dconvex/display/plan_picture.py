"""The picture of a question: the clusters that answer are lit, the others grey; what is asked and what is known is marked."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from numpy.typing import NDArray

from dconvex.amounts import amount, readable_bytes
from dconvex.display.charts import histogram
from dconvex.display.colours import DARK, LIGHT
from dconvex.display.drawing import BETWEEN, Drawing, Look, Ruler, below_each_other
from dconvex.display.labels import label
from dconvex.display.panels import GAP, caption, caption_scale, legend
from dconvex.display.subjects import Clusters
from dconvex.display.tree_picture import painted_tree
from dconvex.display.wording import Word
from dconvex.names import Name

LIT = Look(fill="#ffe08a", line="#d18f00", width=1.4)
GREY = Look(line=BETWEEN, width=0.6)
NEEDLESS = "#8a7640"
"""Text in a lit cluster that plays no part."""
RED = "#c4452a"
ASKED = Look(fill="#1d5fa8")
OBSERVED = Look(fill=RED)
LIKELY = Look(fill="#ffffff", line=RED, width=1.2)
IDLE = Look(line=RED, width=0.8, is_dashed=True)
"""Around evidence that does not matter."""


class Tree(Clusters, Protocol):
    """A tree of which parts can be taken."""

    def part(self, places: Iterable[int]) -> Clusters: ...
    @property
    def degrees(self) -> NDArray[Any]: ...


class Plan(Protocol):
    """What was asked and what the answer takes; see `QueryPlan`."""

    @property
    def tree(self) -> Tree: ...
    @property
    def question(self) -> str: ...
    @property
    def variables(self) -> Sequence[Name]: ...
    @property
    def evidence(self) -> Sequence[Name]: ...
    @property
    def likelihoods(self) -> Sequence[Name]: ...
    @property
    def requisite(self) -> Sequence[Name]: ...
    @property
    def kept(self) -> Sequence[int]: ...
    @property
    def variables_kept(self) -> Sequence[Name]: ...
    @property
    def network(self) -> str: ...
    @property
    def method(self) -> str: ...
    @property
    def multiplications(self) -> int: ...
    @property
    def peak_bytes(self) -> int: ...


def plan_picture(plan: Plan, ruler: Ruler, most: int) -> Drawing:
    """The whole tree; where it has more than `most` clusters those that answer, with the branches beside them counted."""
    tree = plan.tree
    if len(tree) <= most:
        drawing = painted_tree(tree, _Lit.of(plan, tree, range(len(tree))), ruler)
    elif len(plan.kept) <= most:
        part = tree.part(plan.kept)
        drawing = painted_tree(part, _Lit.of(plan, part, plan.kept), ruler)
    else:
        drawing = histogram("Variables of the clusters that answer", tree.sizes[list(plan.kept)], ruler)
    scale = caption_scale(drawing)
    return below_each_other([_caption(plan, ruler, scale), legend(_meanings(plan), ruler, scale), drawing], scale * GAP)


def _caption(plan: Plan, ruler: Ruler, scale: float) -> Drawing:
    answer = "answers" if len(plan.kept) == 1 else "answer"
    clusters = f"{len(plan.kept):,} of {amount(len(plan.tree), 'cluster')}"
    answering = f"{clusters} {answer}, with {amount(len(plan.variables_kept), 'variable')}"
    cost = f"{amount(plan.multiplications, 'multiplication')}, {readable_bytes(plan.peak_bytes)}"
    return caption(label(plan.question), [answering, f"{plan.method} on the {plan.network} network: {cost}"], ruler, scale)


def _meanings(plan: Plan) -> list[tuple[Look, str]]:
    """What there is to explain."""
    matters = set(plan.requisite)
    entries = [
        (LIT, "answers", bool(plan.kept)),
        (GREY, "plays no part", len(plan.kept) < len(plan.tree)),
        (ASKED, "asked for", bool(plan.variables)),
        (OBSERVED, "observed", not matters.isdisjoint(plan.evidence)),
        (LIKELY, "likelihood", not matters.isdisjoint(plan.likelihoods)),
        (IDLE, "does not matter", not matters.issuperset([*plan.evidence, *plan.likelihoods])),
    ]
    return [(look, meaning) for look, meaning, is_there in entries if is_there]


@dataclass(frozen=True)
class _Lit:
    """The clusters that answer are lit."""

    tree: Clusters
    places: Sequence[int]
    """Of its clusters in the whole tree."""
    lit: frozenset[int]
    marks_of: dict[Name, tuple[Look, str]]
    """For each variable that the question names its mark, and the colour of text on it."""
    needed: frozenset[Name]
    folded: Sequence[int]
    """How many branches beside each cluster are not drawn."""

    @classmethod
    def of(cls, plan: Plan, tree: Clusters, places: Sequence[int]) -> _Lit:
        """For a part of the plan's tree: the clusters at these places."""
        kept, matters = frozenset(plan.kept), set(plan.requisite)
        marks = {name: (LIKELY if name in matters else IDLE, RED) for name in plan.likelihoods}
        marks |= {name: (OBSERVED, LIGHT) if name in matters else (IDLE, RED) for name in plan.evidence}
        marks |= dict.fromkeys(plan.variables, (ASKED, LIGHT))
        drawn = [0] * len(places)
        for one, other in tree.edges:
            drawn[one] += 1
            drawn[other] += 1
        folded = [int(degree) - own for degree, own in zip(plan.tree.degrees[list(places)], drawn, strict=True)]
        lit = frozenset(number for number, place in enumerate(places) if place in kept)
        return cls(tree, places, lit, marks, frozenset(plan.variables_kept), folded)

    def number(self, place: int) -> int:
        return self.places[place]

    def words(self, place: int, names: Iterable[Name], *, is_shared: bool) -> list[Word]:
        return [self._word(name, is_lit=place in self.lit) for name in names]

    def _word(self, name: Name, *, is_lit: bool) -> Word:
        look, colour = self.marks_of.get(name, (None, DARK if name in self.needed else NEEDLESS))
        if is_lit:
            return Word(label(name), colour, look)
        return Word(label(name), BETWEEN, IDLE if look is IDLE else None)

    def marks(self, place: int) -> list[Word]:
        count = self.folded[place]
        return [Word(f"+ {count:,} {'branch' if count == 1 else 'branches'}", NEEDLESS)] if count else []

    def cluster(self, place: int) -> Look:
        return LIT if place in self.lit else GREY

    def separator(self, edge: int) -> tuple[Look, str]:
        return (Look(LIT.fill, LIT.line, 0.6), DARK) if self._joins_lit(edge) else (Look(line=BETWEEN, width=0.4), BETWEEN)

    def link(self, edge: int) -> Look:
        return Look(line=LIT.line, width=1.8) if self._joins_lit(edge) else GREY

    def kinds(self, place: int) -> tuple[str, ...]:
        return ("lit" if place in self.lit else "grey",)

    def _joins_lit(self, edge: int) -> bool:
        return self.lit.issuperset(self.tree.edges[edge])
