"""What is asked of an engine: names are indices and evidence is read, once, where a question enters."""

from __future__ import annotations

from typing import NamedTuple

from dconvex.inference.evidence import Evidence, Variables


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
