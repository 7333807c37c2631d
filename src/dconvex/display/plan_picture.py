"""The picture of a question: the clusters that answer are lit, the others grey; targets and evidence are marked."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from dconvex.amounts import amount, readable_bytes
from dconvex.display.charts import histogram
from dconvex.display.colours import DARK, LIGHT
from dconvex.display.drawable import DrawablePlan, DrawableTree
from dconvex.display.drawing import BETWEEN, SECONDARY, Drawing, Look, Ruler, below_each_other
from dconvex.display.labels import label
from dconvex.display.panels import GAP, caption, caption_scale, legend
from dconvex.display.text_block import Word
from dconvex.display.tree_picture import painted_tree
from dconvex.names import Name

LIT = Look(fill="#ffe08a", line="#d18f00", width=1.4)
GREY = Look(line=BETWEEN, width=0.6)
UNUSED = "#6b5a26"
"""Text in a lit cluster for variables that are not kept."""
RED = "#c4452a"
TARGET = Look(fill="#1d5fa8")
OBSERVED = Look(fill=RED)
SOFT = Look(fill="#ffffff", line=RED, width=1.2)
NOT_REQUISITE = Look(line=RED, width=0.8, is_dashed=True)
"""Evidence that does not matter."""


def plan_picture(plan: DrawablePlan, ruler: Ruler, most: int) -> Drawing:
    """The whole tree; of more than `most` clusters those that answer, with the number of branches left out at each."""
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


def _caption(plan: DrawablePlan, ruler: Ruler, scale: float) -> Drawing:
    answer = "answers" if len(plan.kept) == 1 else "answer"
    clusters = f"{len(plan.kept):,} of {amount(len(plan.tree), 'cluster')}"
    answering = f"{clusters} {answer}, with {amount(len(plan.variables_kept), 'variable')}"
    cost = f"{amount(plan.multiplications, 'multiplication')}, {readable_bytes(plan.peak_bytes)}"
    return caption(label(plan.question), [answering, f"{plan.method} on the {plan.network} network: {cost}"], ruler, scale)


def _meanings(plan: DrawablePlan) -> list[tuple[Look, str]]:
    """The entries of the legend."""
    requisite = set(plan.requisite)
    entries = [
        (LIT, "answers", bool(plan.kept)),
        (GREY, "plays no part", len(plan.kept) < len(plan.tree)),
        (TARGET, "asked for", bool(plan.variables)),
        (OBSERVED, "observed", not requisite.isdisjoint(plan.evidence)),
        (SOFT, "likelihood", not requisite.isdisjoint(plan.likelihoods)),
        (NOT_REQUISITE, "does not matter", not requisite.issuperset([*plan.evidence, *plan.likelihoods])),
    ]
    return [(look, meaning) for look, meaning, is_there in entries if is_there]


@dataclass(frozen=True)
class _Lit:
    """The clusters that answer are lit."""

    tree: DrawableTree
    indices: Sequence[int]
    """The indices of its clusters in the whole tree."""
    lit: frozenset[int]
    marks_of: dict[Name, tuple[Look, str]]
    """For each target and each piece of evidence its mark, and the colour of text on it."""
    kept: frozenset[Name]
    folded: Sequence[int]
    """For each cluster the number of its branches that are not drawn."""

    @classmethod
    def of(cls, plan: DrawablePlan, tree: DrawableTree, indices: Sequence[int]) -> _Lit:
        """For a part of the plan's tree: the clusters with these indices."""
        answering, requisite = frozenset(plan.kept), set(plan.requisite)
        marks = {name: (SOFT if name in requisite else NOT_REQUISITE, RED) for name in plan.likelihoods}
        marks |= {name: (OBSERVED, LIGHT) if name in requisite else (NOT_REQUISITE, RED) for name in plan.evidence}
        marks |= dict.fromkeys(plan.variables, (TARGET, LIGHT))
        drawn = [0] * len(indices)
        for one, other in tree.edges:
            drawn[one] += 1
            drawn[other] += 1
        folded = [int(degree) - own for degree, own in zip(plan.tree.degrees[list(indices)], drawn, strict=True)]
        lit = frozenset(number for number, index in enumerate(indices) if index in answering)
        return cls(tree, indices, lit, marks, frozenset(plan.variables_kept), folded)

    def number(self, index: int) -> int:
        return self.indices[index]

    def words(self, index: int, names: Iterable[Name], *, is_shared: bool) -> list[Word]:
        return [self._word(name, is_lit=index in self.lit) for name in names]

    def _word(self, name: Name, *, is_lit: bool) -> Word:
        look, colour = self.marks_of.get(name, (None, DARK if name in self.kept else UNUSED))
        if is_lit:
            return Word(label(name), colour, look)
        return Word(label(name), SECONDARY, NOT_REQUISITE if look is NOT_REQUISITE else None)

    def marks(self, index: int) -> list[Word]:
        count = self.folded[index]
        return [Word(f"+ {count:,} {'branch' if count == 1 else 'branches'}", UNUSED)] if count else []

    def cluster(self, index: int) -> Look:
        return LIT if index in self.lit else GREY

    def separator(self, edge: int) -> tuple[Look, str]:
        return (Look(LIT.fill, LIT.line, 0.6), DARK) if self._joins_lit(edge) else (Look(line=BETWEEN, width=0.4), SECONDARY)

    def link(self, edge: int) -> Look:
        return Look(line=LIT.line, width=1.8) if self._joins_lit(edge) else GREY

    def kinds(self, index: int) -> tuple[str, ...]:
        return ("lit" if index in self.lit else "grey",)

    def _joins_lit(self, edge: int) -> bool:
        return self.lit.issuperset(self.tree.edges[edge])
