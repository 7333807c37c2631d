"""The errors that dconvex raises on purpose, under one root; their messages name the culprit and the way out."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any

from dconvex.amounts import readable_bytes


class DconvexError(Exception):
    """Root of every error that dconvex raises on purpose."""

    def __reduce__(self) -> tuple[object, ...]:
        # Exception's own way calls the class with the finished message, which is not what our classes take
        return _restored, (type(self), self.args, self.__dict__)


class NetworkError(DconvexError, ValueError):
    """A graph or a network that cannot be: a duplicate edge, a table of the wrong shape, a row that is no distribution.

    `variable` is the one to blame, where there is one.
    """

    def __init__(self, problem: str, variable: Hashable = None) -> None:
        self.variable = variable
        super().__init__(problem)


class CycleError(NetworkError):
    """The edges contain a directed cycle; `cycle` lists its nodes, the first one not repeated."""

    def __init__(self, cycle: Sequence[Hashable]) -> None:
        self.cycle = tuple(cycle)
        closed = [*self.cycle, self.cycle[0]]
        shown = closed if len(closed) <= 12 else [*closed[:6], "…", *closed[-5:]]
        path = " → ".join(str(node) for node in shown)
        count = f" ({len(self.cycle)} nodes)" if len(closed) > 12 else ""
        super().__init__(f"the edges contain a cycle: {path}{count}")


class UnknownVariableError(DconvexError, LookupError):
    """A variable that the graph or network does not have."""

    def __init__(self, name: Hashable, known: Iterable[Hashable], where: str = "variable", or_else: str = "") -> None:
        self.name = name
        super().__init__(f"unknown {where} {name!r}{_way_out(name, known)}{or_else}")


class UnknownStateError(DconvexError, LookupError):
    """A state label that the variable does not have."""

    def __init__(
        self, variable: Hashable, label: Hashable, known: Iterable[Hashable], where: str = "", or_else: str = ""
    ) -> None:
        self.variable = variable
        self.label = label
        super().__init__(f"unknown state {label!r} of {variable!r}{where}{_way_out(label, known)}{or_else}")


class FormatError(DconvexError, ValueError):
    """A file that cannot be read, or a network that a format cannot hold."""

    def __init__(self, problem: str, *, path: str | None = None, line: int | None = None, column: int | None = None) -> None:
        self.problem, self.path, self.line, self.column = problem, path, line, column
        where = ":".join(str(part) for part in (path, line, column) if part is not None)
        super().__init__(f"{where}: {problem}" if where else problem)


class DataError(DconvexError, ValueError):
    """A data table that cannot be used as it is: the column, what is wrong with it, what to do."""


class ImpossibleEvidenceError(DconvexError, ValueError):
    """Evidence of probability zero; `conflict` is a part that is impossible already, and possible without any one item."""

    def __init__(self, conflict: Mapping[Any, Any], where: str = "") -> None:
        self.conflict = dict(conflict)
        shown = ", ".join(f"{name} = {value!r}" for name, value in list(self.conflict.items())[:8])
        more = f" and {len(self.conflict) - 8} more" if len(self.conflict) > 8 else ""
        together = "cannot happen together" if len(self.conflict) > 1 else "has probability zero"
        super().__init__(f"impossible evidence{where}: {shown}{more} {together}")


class TooLargeError(DconvexError):
    """A question whose answer would take more memory than allowed; nothing has been allocated.

    `estimate` and `limit` are bytes; `cluster` is the index of the cluster to blame in the tree, where there is one.
    """

    def __init__(self, what: str, estimate: int, limit: int, way_out: str, cluster: int | None = None) -> None:
        self.estimate, self.limit, self.cluster = estimate, limit, cluster
        self.what, self.way_out = what, way_out
        super().__init__(f"{what} would take {readable_bytes(estimate)}; the limit is {readable_bytes(limit)}. {way_out}")


def _restored(kind: type[DconvexError], args: tuple[object, ...], attributes: dict[str, object]) -> DconvexError:
    error = kind.__new__(kind, *args)
    error.__dict__.update(attributes)
    return error


def _way_out(name: Hashable, known: Iterable[Hashable]) -> str:
    """`; did you mean 'smoking'?`, or a short list of what there is."""
    choices = list(known)
    near = _near_match(name, choices)
    if near is not None:
        return f"; did you mean {near!r}?"
    if not choices:
        return "; there are none"
    shown = ", ".join(repr(choice) for choice in choices[:8])
    return f"; there are {len(choices)}: {shown}{', …' if len(choices) > 8 else ''}"


def has_near_match(name: Hashable, known: Iterable[Hashable]) -> bool:
    """Whether an error would suggest a known name."""
    return _near_match(name, list(known)) is not None


def _near_match(name: Hashable, choices: Sequence[Hashable]) -> Hashable | None:
    import difflib
    from bisect import bisect

    wanted = str(name).casefold()
    by_text = {str(choice).casefold(): choice for choice in choices}
    if wanted in by_text:
        return by_text[wanted]
    candidates = [text for text in by_text if abs(len(text) - len(wanted)) <= 2 + len(wanted) // 2]
    if len(candidates) > 20_000:  # difflib compares with every one: of a million only those that begin alike
        candidates.sort()
        index = bisect(candidates, wanted)
        candidates = candidates[max(index - 10_000, 0) : index + 10_000]
    close = difflib.get_close_matches(wanted, candidates, n=1, cutoff=0.6)
    return by_text[close[0]] if close else None
