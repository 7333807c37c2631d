"""What a model was learned from, and what the data leaves open."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from dconvex.amounts import amount
from dconvex.names import Name
from dconvex.shown import Shown

SHOWN = 8


@dataclass(frozen=True, slots=True)
class EmReport(Shown):
    """How expectation maximisation went; its picture is the log-likelihood by iteration."""

    objective: tuple[float, ...]
    """After each iteration: the log-likelihood, with a prior that and the pseudo-counts times the logarithms of the cells."""
    log_likelihood: tuple[float, ...]
    """After each iteration, that of the cells that are there."""
    converged: bool
    filled: float
    """The missing cells (their weight, where rows have weights)."""
    restarts: tuple[float, ...] = ()
    """The objective that each start came to."""
    best: int = 0
    """The start that won."""
    clusters: int = 0
    """The clusters that were learned each on its own, where EM was local; then the objective is the sum over them."""
    alike: tuple[Name, ...] = ()
    """Hidden variables with states that could not be distinguished."""

    @property
    def iterations(self) -> int:
        """The number of iterations, of the cluster with most of them where EM was local."""
        return len(self.objective)

    def lines(self) -> list[str]:
        """The report in words."""
        how = f" in {amount(self.clusters, 'cluster')}, each on its own" if self.clusters else ""
        ended = "converged after" if self.converged else "stopped, not converged, after"
        lines = [
            f"EM filled {amount(round(self.filled), 'missing cell')}{how}; it {ended} {amount(self.iterations, 'iteration')}:",
            f"  objective       {self.objective[0]:.6f} … {self.objective[-1]:.6f}",
            f"  log-likelihood  {self.log_likelihood[0]:.6f} … {self.log_likelihood[-1]:.6f}",
        ]
        if len(self.restarts) > 1:
            lines.append(f"start {self.best + 1} of {len(self.restarts)} won")
        if self.alike:
            lines.append(f"states that could not be distinguished: {', '.join(map(str, self.alike))}")
        return lines


@dataclass(frozen=True, slots=True, repr=False)
class Report:
    """By family, written as `wet | rain, sprinkler`: what was unobserved, missing or singular."""

    kind: Literal["discrete", "gaussian"]
    rows: int
    families: int
    unobserved: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    """Configurations of the parents that no row has, of how many; their rows in the table are uniform, or the prior's."""
    missing: Mapping[str, int] = field(default_factory=dict)
    """Rows left out because a cell of the family is missing."""
    partial: Mapping[str, int] = field(default_factory=dict)
    """Rows of the tables that have all columns of the family, where these are not all rows."""
    singular: tuple[str, ...] = ()
    """Regressions that the data does not determine."""
    constant: tuple[Name, ...] = ()
    """Variables whose variance is zero."""
    em: EmReport | None = None
    """How expectation maximisation went, where cells were missing and it was asked for."""
    suspicious: Mapping[str, str] = field(default_factory=dict)
    """By column what looks wrong in it: spellings of one state, one value only, an identifier, numbers as text, rare states."""

    def record(self) -> dict[str, Any]:
        """The report in plain words, for a file."""
        return asdict(self)

    def __str__(self) -> str:
        lines = [f"learned from {amount(self.rows, 'row')}, {amount(self.families, 'family', 'families')}"]
        if self.em is not None:
            lines += self.em.lines()
        if self.unobserved:
            cells = sum(count for count, _ in self.unobserved.values())
            where = amount(len(self.unobserved), "family", "families")
            lines.append(
                f"{amount(cells, 'configuration')} of parents in {where} {'was' if cells == 1 else 'were'} never seen:"
            )
            lines += _listed({title: f"{count:,} of {of:,}" for title, (count, of) in self.unobserved.items()})
        if self.missing:
            bias = "biased unless missing completely at random; missing='em' uses them"
            lines.append(
                f"{amount(len(self.missing), 'family leaves', 'families leave')} out rows with missing cells ({bias}):"
            )
            lines += _listed({title: amount(count, "row") for title, count in self.missing.items()})
        if self.partial:
            incomplete = amount(len(self.partial), "family has all its columns", "families have all their columns")
            lines.append(f"{incomplete} in some tables only:")
            lines += _listed({title: amount(count, "row") for title, count in self.partial.items()})
        if self.singular:
            undetermined = amount(len(self.singular), "regression is", "regressions are")
            lines.append(f"{undetermined} not determined by the data (least-norm coefficients taken):")
            lines += _listed(dict.fromkeys(self.singular, ""))
        if self.constant:
            lines.append(
                f"variance zero: {', '.join(map(str, self.constant[:SHOWN]))}{', …' if len(self.constant) > SHOWN else ''}"
            )
        if self.suspicious:
            lines.append(f"{amount(len(self.suspicious), 'column')} to look at (nothing was changed):")
            lines += _listed(self.suspicious)
        if len(lines) == 1:
            lines.append(
                "every configuration was seen, and no cell is missing"
                if self.kind == "discrete"
                else "nothing is missing or singular"
            )
        return "\n".join(lines)

    def __repr__(self) -> str:
        return str(self)


def _listed(entries: Mapping[str, str]) -> list[str]:
    worst = list(entries.items())[:SHOWN]
    width = max(len(title) for title, _ in worst)
    rest = [f"  … and {len(entries) - SHOWN:,} more"] if len(entries) > SHOWN else []
    return [*(f"  {title:<{width}}  {what}".rstrip() for title, what in worst), *rest]
