"""What a model was learned from, and what the data leaves open."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from dconvex.amounts import amount
from dconvex.names import Name

SHOWN = 8


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

    def record(self) -> dict[str, Any]:
        """The report in plain words, for a file."""
        return asdict(self)

    def __str__(self) -> str:
        lines = [f"learned from {amount(self.rows, 'row')}, {amount(self.families, 'family', 'families')}"]
        if self.unobserved:
            cells = sum(count for count, _ in self.unobserved.values())
            where = amount(len(self.unobserved), "family", "families")
            lines.append(
                f"{amount(cells, 'configuration')} of parents in {where} {'was' if cells == 1 else 'were'} never seen:"
            )
            lines += _listed({title: f"{count:,} of {of:,}" for title, (count, of) in self.unobserved.items()})
        if self.missing:
            bias = "biased unless missing completely at random"
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
