"""What an answer is about, in one line: `P(lung | smoke = yes)`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dconvex.names import Label, Name, in_one_line

MOST_VARIABLES = 12
"""The most variables that a title names."""
MOST_SIGNS = 72
"""The longest list of evidence in a title, in signs; a longer one is cut."""

KnownValue = object
"""What is known of a variable: a label or a number, a tuple of labels of which one was seen, or likelihoods by label."""


def title_of(variables: Sequence[Name], evidence: Mapping[Name, KnownValue], measure: str = "P") -> str:
    """The question as one reads it aloud; long lists are cut.

    >>> title_of(["lung", "bronc"], {"smoke": "yes", "xray": {"yes": 0.9, "no": 0.2}})
    'P(lung, bronc | smoke = yes, xray ~ yes:0.9, no:0.2)'
    >>> title_of(["lung"], {f"symptom {number}": "present" for number in range(40)})
    'P(lung | symptom 0 = present, symptom 1 = present, symptom 2 = present, … 40 in all)'
    """
    shown = ", ".join(map(in_one_line, variables[:MOST_VARIABLES])) or "nothing"
    targets = f"{shown}, … {len(variables)} in all" if len(variables) > MOST_VARIABLES else shown
    return f"{measure}({targets} | {_listed(evidence)})" if evidence else f"{measure}({targets})"


def finding(name: Name, value: KnownValue) -> str:
    """What is known of one variable.

    >>> finding("smoke", "yes"), finding("pressure", ("low", "normal")), finding("x", 1.25)
    ('smoke = yes', 'pressure in {low, normal}', 'x = 1.25')
    """
    if isinstance(value, Mapping):
        if all(number == 1 for number in value.values()):
            return f"{in_one_line(name)} in {_braced(tuple(value))}"
        return f"{in_one_line(name)} ~ " + ", ".join(f"{in_one_line(label)}:{number:.3g}" for label, number in value.items())
    if isinstance(value, tuple):
        return f"{in_one_line(name)} in {_braced(value)}"
    if isinstance(value, float):
        return f"{in_one_line(name)} = {value:.6g}"
    return f"{in_one_line(name)} = {in_one_line(value)}"


def _braced(labels: Sequence[Label]) -> str:
    return f"{{{', '.join(map(in_one_line, labels))}}}"


def _listed(evidence: Mapping[Name, KnownValue]) -> str:
    """As many findings as fit into `MOST_SIGNS`, at least one, and how many there are."""
    said = [finding(name, value) for name, value in evidence.items()]
    count, length = 1, len(said[0])
    while count < len(said) and length + 2 + len(said[count]) <= MOST_SIGNS:
        length += 2 + len(said[count])
        count += 1
    return ", ".join(said) if count == len(said) else f"{', '.join(said[:count])}, … {len(said)} in all"
