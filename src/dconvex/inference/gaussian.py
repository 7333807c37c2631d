"""Questions about continuous variables of a linear Gaussian network.

A question is answered on the small network of the clusters that it keeps, piece by piece (see `gaussian_pieces`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NoReturn, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from dconvex._core import NetworkPart, Question, small_network
from dconvex.clusters.cluster_index import ClusterIndex
from dconvex.errors import ImpossibleEvidenceError, TooLargeError
from dconvex.inference.conflict import smallest_conflict
from dconvex.inference.distribution import GaussianDistribution
from dconvex.inference.gaussian_evidence import NumberEvidence, read_numbers
from dconvex.inference.gaussian_marginals import posterior_variances
from dconvex.inference.gaussian_pieces import LOG_2_PI, LinearNetwork, Piece, Shape
from dconvex.inference.gaussian_question import GaussianQuestion
from dconvex.inference.gaussian_store import RegressionStore
from dconvex.inference.patterns import row_patterns
from dconvex.inference.plan import QueryPlan
from dconvex.names import Name
from dconvex.network.frame_columns import Columns
from dconvex.network.linear_regressions import Regressions
from dconvex.network.network import BayesianNetwork

if TYPE_CHECKING:
    import pandas as pd

Floats: TypeAlias = NDArray[np.float64]
Key: TypeAlias = tuple[int, ...]

MANY = 1000
"""Above so many variables a question is answered in the whole network, where that is the same: they keep most clusters."""


class GaussianAnswers:
    """Answers about the regressions of a model.

    `coherent` says that all clusters agree, so that any plan is right.
    """

    kind: ClassVar[Literal["gaussian"]] = "gaussian"
    queries: ClassVar[None] = None

    def __init__(self, store: RegressionStore, *, coherent: bool) -> None:
        self.store, self.index, self.coherent = store, store.index, coherent
        self.names = self.index.dag.names

    @classmethod
    def of(cls, index: ClusterIndex, network: BayesianNetwork) -> GaussianAnswers:
        regressions = cast("Regressions", network.parameters)
        own = (regressions.intercept, regressions.coefficients, regressions.variance)
        return cls(RegressionStore(index, *own), coherent=True)

    def read_evidence(self, evidence: Mapping[Name, Any] | None, soft: Mapping[Name, Any] | None) -> NumberEvidence:
        return read_numbers(self.index.dag, evidence, soft)

    def query(self, asked: Key, evidence: NumberEvidence, limit: int, *, assume_possible: bool) -> GaussianDistribution:
        question = self._question(evidence.hidden(asked), evidence.observed)
        pieces = self._pieces(question, limit)
        values = question.values(evidence)
        self._check_possible(question, pieces, evidence, limit, assume_possible=assume_possible)
        place = {node: number for number, node in enumerate(asked)}
        mean, covariance = np.zeros(len(asked)), np.zeros((len(asked), len(asked)))
        for node, value in evidence.pairs():
            if node in place:
                mean[place[node]] = value
        for piece in pieces:
            own = question.asked_in(piece)
            where = [place[question.shape.nodes[variable]] for variable in own]
            posterior = piece.posterior(own)
            mean[where] = posterior.mean(values)[:, 0]
            covariance[np.ix_(where, where)] = posterior.covariance
        return GaussianDistribution(self._named(asked), mean, covariance)

    def estimate(
        self, asked: Key, evidence: NumberEvidence, limit: int, samples: int, rng: np.random.Generator
    ) -> GaussianDistribution:
        """The exact answer, as that of `query`: nothing would be gained by sampling."""
        return self.query(asked, evidence, limit, assume_possible=False)

    def marginals(
        self, asked: Key, evidence: NumberEvidence, limit: int, *, assume_possible: bool
    ) -> dict[Name, GaussianDistribution]:
        if not self.coherent:  # each variable has its own small network
            single = (self.query((place,), evidence, limit, assume_possible=assume_possible) for place in asked)
            return {answer.variables[0]: answer for answer in single}
        question = self._question(evidence.hidden(asked), evidence.observed)
        pieces = self._pieces(question, limit, each_for_itself=True)
        self._check_possible(question, pieces, evidence, limit, assume_possible=assume_possible)
        means, variances = dict(evidence.pairs()), dict.fromkeys(evidence.observed, 0.0)
        expected = question.expected(self.store.network(question.shape), pieces, evidence)
        means.update(zip(question.shape.nodes, expected.tolist(), strict=True))
        for piece in pieces:
            own = question.asked_in(piece)
            found = posterior_variances(self.store, piece, own, limit)
            variances.update(zip((question.shape.nodes[variable] for variable in own), found.tolist(), strict=True))
        return {
            self.names[node]: GaussianDistribution((self.names[node],), np.array([means[node]]), np.array([[variances[node]]]))
            for node in asked
        }

    def most_probable(
        self, asked: Key | None, evidence: NumberEvidence, limit: int, *, assume_possible: bool
    ) -> tuple[dict[Name, float], float]:
        """The posterior mean, and the logarithm of its density; a variable that others determine counts nothing."""
        if asked is None:
            return self._most_probable_of_all(evidence, limit)
        question = self._question(evidence.hidden(asked), evidence.observed)
        pieces = self._pieces(question, limit)
        self._check_possible(question, pieces, evidence, limit, assume_possible=assume_possible)
        values, means = question.values(evidence), dict(evidence.pairs())
        density = 0.0
        for piece in pieces:
            own = question.asked_in(piece)
            posterior = piece.posterior(own)
            means.update(zip((question.shape.nodes[v] for v in own), posterior.mean(values)[:, 0].tolist(), strict=True))
            density -= posterior.log_volume
        return {self.names[node]: means[node] for node in asked}, density

    def log_evidence(self, evidence: NumberEvidence, limit: int) -> float:
        """The logarithm of the density of the evidence, -inf off its support.

        A variable that those before it (parents first) determine counts nothing, as in `BayesianNetwork.log_likelihood`.
        """
        question = self._question((), evidence.observed)
        values = question.values(evidence)
        return float(sum(piece.log_density(values)[0] for piece in self._pieces(question, limit)))

    def sample(
        self, rows: int, evidence: NumberEvidence, rng: np.random.Generator, limit: int, *, network: BayesianNetwork
    ) -> pd.DataFrame:
        """Noises of all variables are drawn, and what the evidence tells about them is put in its place."""
        import pandas as pd

        question = self._whole_question(evidence.observed)
        pieces = self._informed(question, limit)
        self._check_possible(question, pieces, evidence, limit, assume_possible=False)
        what = f"{rows:,} rows of {len(self.names):,} variables"
        _refuse_above(limit, 4 * 8 * rows * len(self.names), what, "Draw fewer rows at once.")
        noises = rng.standard_normal((len(self.names), rows))
        values = question.values(evidence)
        for piece in pieces:
            _, noises[piece.members] = piece.basis.split(noises[piece.members])
            noises[piece.members] += piece.standard_noises(values)
        found = np.empty_like(noises)
        found[question.shape.nodes] = self.store.network(question.shape).values(noises, values)
        return pd.DataFrame(found.T, columns=pd.Index(self.names), copy=False)

    def predict_columns(
        self, data: Columns, targets: Key, *, impossible: Literal["raise", "nan"], max_bytes: int
    ) -> tuple[Floats, Floats]:
        """Means and standard deviations of the targets, a row for each row of the data; NaN cells are not observed."""
        present = [place for place, name in enumerate(self.names) if name in data and place not in set(targets)]
        cells = np.array([data.numbers_or_missing(self.names[place]) for place in present]).reshape(len(present), len(data))
        means, deviations = (np.empty((len(data), len(targets))) for _ in range(2))
        is_impossible = np.zeros(len(data), bool)
        for rows, there in row_patterns(~np.isnan(cells).T):
            observed = tuple(present[place] for place in there)
            part = cells[there][:, rows]
            found = self._predicted(targets, observed, part, max_bytes)
            means[rows], deviations[rows], is_impossible[rows] = found
        if impossible == "raise" and is_impossible.any():
            row = int(np.argmax(is_impossible))
            told = {place: float(value) for place, value in zip(present, cells[:, row], strict=True) if not np.isnan(value)}
            evidence = NumberEvidence(tuple(told), tuple(told.values()))
            asked = next(((target,) for target in targets if not self._is_possible(evidence, max_bytes, (target,))), targets)
            self._raise_impossible(evidence, max_bytes, asked, f" in row {row}")
        means[is_impossible], deviations[is_impossible] = np.nan, np.nan
        return means, deviations

    def explain(self, asked: Key, evidence: NumberEvidence, limit: int, *, assume_possible: bool) -> QueryPlan:
        hidden = evidence.hidden(asked)
        question = self._question(hidden, evidence.observed)
        shape = question.shape
        wanted = [*hidden, *(question.requisite if self.coherent else evidence.observed)]
        flags = zip(shape.nodes, shape.is_observed, question.is_asked, strict=True)
        inner = [node for node, is_observed, is_asked in flags if not (is_observed or is_asked)]
        return QueryPlan(
            tree=self.index.tree,
            variables=self._named(asked),
            evidence=self._named(evidence.observed),
            likelihoods=(),
            requisite=self._named(question.requisite),
            kept=tuple(self.index.kept_clusters(wanted).tolist()),
            variables_kept=self._named(sorted({*shape.nodes, *question.requisite})),
            barren=self._named(sorted(set(question.looked_at) - {*shape.nodes, *question.requisite})),
            network="whole" if question.is_whole else "pruned",
            method="elimination",
            order=self._named(reversed(inner)),
            derived=self._derived(shape),
            peak_bytes=question.peak_bytes(),
            multiplications=question.multiplications(),
        )

    def _derived(self, shape: Shape) -> int:
        """How many regressions come from other clusters."""
        if not self.coherent:
            return 0
        return sum(table >= len(self.names) for table, own in zip(shape.tables, shape.is_needed, strict=True) if own)

    def _may_be_impossible(self, observed: Key) -> bool:
        """Whether values of these variables may be impossible: where some variable has no noise.

        In a model from a file only the variables above them are looked at, or none where clusters disagree.
        """
        known = self.store.is_degenerate
        if known is not None or not self.coherent:
            return known is not False
        return self.store.are_degenerate(self.index.dag.graph.ancestors(np.array(observed, np.int32)).tolist())

    def _named(self, places: Iterable[int]) -> tuple[Name, ...]:
        return tuple([self.names[place] for place in places])

    def _question(self, asked: Key, observed: Key, beside: Key = ()) -> GaussianQuestion:
        """The small network of a question: only the evidence that matters, without barren variables.

        Where clusters disagree it lies within the clusters that are kept for the variables `beside`, too.
        """
        wanted = len(asked) + len(observed)
        if not wanted:
            return GaussianQuestion(asked, observed, Shape([], [], [], [], []), (), ())
        is_whole = self.coherent and wanted > MANY
        kept = () if self.coherent else beside
        network = NetworkPart.WHOLE if is_whole else NetworkPart.PRUNED
        question = Question(asked, observed, context=kept, network=network, coherent=self.coherent)
        small = small_network(self.index.core, question)
        reached = set(small.nodes[small.is_reached].tolist())
        requisite = tuple(place for place in observed if place in reached)
        shape = self.store.part(small, set(requisite))
        return GaussianQuestion(asked, observed, shape, requisite, small.nodes.tolist(), is_whole)

    def _whole_question(self, observed: Key) -> GaussianQuestion:
        shape = self.store.whole(set(observed))
        return GaussianQuestion((), observed, shape, observed, shape.nodes, is_whole=True)

    def _pieces(self, question: GaussianQuestion, limit: int, *, each_for_itself: bool = False) -> list[Piece]:
        """The pieces of a question, unless they would take too much memory."""
        what = f"the question about {len(question.asked):,} variables given {len(question.observed):,}"
        way_out = "Ask for fewer variables at once, or for marginals, or raise max_bytes."
        _refuse_above(limit, question.peak_bytes(each_for_itself=each_for_itself), what, way_out)
        network = self.store.network(question.shape)
        return [Piece(network, part) for part in question.parts]

    def _informed(self, question: GaussianQuestion, limit: int) -> list[Piece]:
        """The pieces about which the evidence tells something."""
        return [piece for piece in self._pieces(question, limit) if piece.observed]

    def _check_possible(
        self, question: GaussianQuestion, pieces: list[Piece], evidence: NumberEvidence, limit: int, *, assume_possible: bool
    ) -> None:
        values = question.values(evidence)
        is_impossible = any(piece.are_impossible(values)[0] for piece in pieces)
        if not (is_impossible or question.uses_all_evidence or assume_possible):
            is_impossible = self._may_be_impossible(evidence.observed) and not self._is_possible(
                evidence, limit, question.asked
            )
        if is_impossible:
            asked = tuple(range(len(self.names))) if question.is_whole else question.asked
            self._raise_impossible(evidence, limit, asked)

    def _is_possible(self, evidence: NumberEvidence, limit: int, beside: Key) -> bool:
        question = self._question((), evidence.observed, beside)
        values = question.values(evidence)
        return not any(piece.are_impossible(values)[0] for piece in self._pieces(question, limit))

    def _raise_impossible(self, evidence: NumberEvidence, limit: int, asked: Key, where: str = "") -> NoReturn:
        """Name a small part of the evidence that is impossible already, in the network of a question."""
        beside = (*asked, *evidence.observed)

        def is_possible(places: Key) -> bool:
            return self._is_possible(evidence.only(set(places)), limit, beside)

        conflict = smallest_conflict(evidence.observed, is_possible)
        told = dict(evidence.pairs())
        raise ImpossibleEvidenceError({self.names[place]: told[place] for place in conflict}, where)

    def _most_probable_of_all(self, evidence: NumberEvidence, limit: int) -> tuple[dict[Name, float], float]:
        question = self._whole_question(evidence.observed)
        pieces = self._informed(question, limit)
        self._check_possible(question, pieces, evidence, limit, assume_possible=False)
        means = np.empty(len(self.names))
        network = self.store.network(question.shape)
        means[question.shape.nodes] = question.expected(network, pieces, evidence)
        density = _density_of_all(network, pieces, question.values(evidence))
        hidden = evidence.hidden(range(len(self.names)))
        return {self.names[place]: float(means[place]) for place in hidden}, density

    def _predicted(self, targets: Key, observed: Key, cells: Floats, limit: int) -> tuple[Floats, Floats, NDArray[np.bool_]]:
        """Means and standard deviations of the targets, and whether each row is impossible; `cells` has a column for each."""
        if not self.coherent and len(targets) > 1:  # each target has its own small network
            each = [self._predicted((target,), observed, cells, limit) for target in targets]
            means, deviations = (np.concatenate([found[part] for found in each], axis=1) for part in (0, 1))
            return means, deviations, np.any([found[2] for found in each], axis=0)
        question = self._question(targets, observed)
        values = question.spread(observed, cells)
        means, deviations = (np.empty((cells.shape[1], len(targets))) for _ in range(2))
        is_impossible = np.zeros(cells.shape[1], bool)
        for piece in self._pieces(question, limit):
            own = question.asked_in(piece)
            where = [targets.index(question.shape.nodes[variable]) for variable in own]
            posterior = piece.posterior(own)
            means[:, where], deviations[:, where] = posterior.mean(values).T, np.sqrt(posterior.variance)
            is_impossible |= piece.are_impossible(values)
        if not question.uses_all_evidence and self._may_be_impossible(observed):
            whole = self._question((), observed, targets)
            values = whole.spread(observed, cells)
            for piece in self._pieces(whole, limit):
                is_impossible |= piece.are_impossible(values)
        return means, deviations, is_impossible


def _density_of_all(network: LinearNetwork, pieces: list[Piece], values: Floats) -> float:
    """The logarithm of the density of all expected values given the evidence, which the pieces hold."""
    noisy = network.variance > 0
    height = np.zeros(len(noisy))
    height[noisy] = -0.5 * (LOG_2_PI + np.log(network.variance[noisy]))
    density = 0.0
    for piece in pieces:
        if piece.basis.is_full and noisy[piece.observed].all():
            height[piece.members] -= 0.5 * piece.standard_noises(values)[:, 0] ** 2
            density -= float(piece.log_density(values)[0])
        else:  # the evidence may determine what is asked for
            height[piece.members] = 0.0
            density -= piece.posterior([v for v in piece.members if not network.shape.is_observed[v]]).log_volume
    return density + float(height.sum())


def _refuse_above(limit: int, estimate: int, what: str, way_out: str) -> None:
    if estimate > limit:
        raise TooLargeError(what, estimate, limit, way_out)
