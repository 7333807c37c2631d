"""What is asked of an engine: names are indices and evidence is read, once, where a question enters."""

from __future__ import annotations

import math
from typing import NamedTuple

from dconvex.inference.evidence import Evidence, Variables

EFFORT = 1e11
"""Multiplications that a question in slices may take unless it says otherwise: a few minutes."""


class Slicing(NamedTuple):
    """How a question may be cut into slices where it does not fit otherwise."""

    effort: float = 0.0
    """The most multiplications; 0: there are no slices."""
    n_jobs: int | None = None
    progress: bool = False


NO_SLICES = Slicing()


def effort_of(effort: float | None) -> float:
    """The most multiplications of a question in slices; None: without end."""
    try:
        found = math.inf if effort is None else float(effort)
    except (TypeError, ValueError):
        found = math.nan
    if math.isnan(found):
        raise ValueError(f"effort must be a number of multiplications, or None for any number, not {effort!r}")
    return found


class Request(NamedTuple):
    """A question about some variables given evidence."""

    variables: Variables
    """Those that the caller names, in order."""
    targets: Variables
    """Those of them that are not observed; the same tuple if none is."""
    evidence: Evidence
    limit: int
    """The most bytes that may be held at once."""
    assume_possible: bool = False
    """Whether evidence that does not matter for the answer is left unchecked."""
    slicing: Slicing = NO_SLICES
