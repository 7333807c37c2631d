"""What variables and states may be called, and the one order in which ties are broken.

Variable names are str or int, state labels str, int, bool or `Interval`, and no two of one set compare equal (so `1` and
`True` cannot both be states of one variable). The canonical order is by type name, then by value.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import TypeAlias, TypeVar, cast

from dconvex.errors import NetworkError
from dconvex.intervals import Interval

Name: TypeAlias = str | int
Label: TypeAlias = str | int | bool | Interval

AnyLabel = TypeVar("AnyLabel", bound=Label)


def checked_name(name: Hashable) -> Name:
    """`name` itself if it may name a variable; numpy's integers become int."""
    if type(name) is str or type(name) is int:
        return name
    plain = _plain(name)
    if isinstance(plain, bool) or not isinstance(plain, str | int):
        raise NetworkError(f"a variable name must be a str or an int, not {name!r} ({type(name).__name__})")
    return plain


def checked_labels(variable: Name, labels: Iterable[Hashable]) -> tuple[Label, ...]:
    """The labels as a tuple of str, int, bool and `Interval`, all different."""
    if isinstance(labels, str | bytes | set | frozenset) or not isinstance(labels, Iterable):
        raise NetworkError(f"the states of {variable!r} must be a list of labels in order, not {labels!r}")
    checked = tuple(_checked_label(variable, label) for label in labels)
    if not checked:
        raise NetworkError(f"{variable!r} has no states")
    if len(set(checked)) < len(checked):
        twice = next(label for index, label in enumerate(checked) if label in checked[:index])
        raise NetworkError(f"two states of {variable!r} compare equal: {twice!r} comes twice in {checked!r}")
    return checked


def canonical(names: Iterable[AnyLabel]) -> list[AnyLabel]:
    """The names or labels sorted by type name, then by value."""
    found = list(names)
    if len(set(map(type, found))) == 1:  # the rule below, in a third of the time
        return sorted(found)
    kinds = (Interval, int, str)
    return [name for kind in kinds for name in sorted(own for own in found if isinstance(own, kind))]


def as_names(names: Name | Iterable[Name]) -> tuple[Name, ...]:
    """The names as a tuple; a single name counts as one."""
    if isinstance(names, (tuple, list)):  # most often, and looked at first: this is part of every question
        return tuple(names)
    if isinstance(names, str | int):
        return (names,)
    plain = _plain(names)
    return (plain,) if isinstance(plain, int) else tuple(names)


def in_one_line(name: object) -> str:
    r"""A name, label or number as text in one line, escaped where it cannot be printed.

    >>> in_one_line("a\nb"), in_one_line(7), in_one_line("")
    ('a\\nb', '7', "''")
    """
    text = "".join(sign if sign.isprintable() else repr(sign)[1:-1] for sign in str(name))
    return text if text.strip() else repr(text)


def check_mapping(what: str, given: object) -> None:
    """Raise a `TypeError` unless it is None or a mapping."""
    if given is not None and not hasattr(given, "items"):
        raise TypeError(f"{what} must be a mapping with variables as keys, not {given!r}")


def _checked_label(variable: Name, label: Hashable) -> Label:
    plain = plain_label(label)
    if plain is None:
        kind = type(label).__name__
        way_out = "; dc.Interval and dc.discretize make states of numbers" if isinstance(label, float) else ""
        raise NetworkError(
            f"a state must be a str, an int or a bool, or a dc.Interval; {variable!r} has {label!r} ({kind}){way_out}"
        )
    return plain


def plain_label(value: object) -> Label | None:
    """The value as a label, an interval of pandas as ours and a whole float as an int; None if it cannot be a state."""
    plain = _plain(value)
    if isinstance(plain, float) and plain.is_integer():
        return int(plain)
    if isinstance(plain, str | int):
        return plain
    try:
        return Interval.of(plain)
    except ValueError:
        return None


def _plain(value: object) -> Hashable:
    """The scalars of numpy as Python's own; str and int subclasses (enums, numpy strings) as plain str and int."""
    item = getattr(value, "item", None)
    plain = item() if callable(item) and getattr(value, "ndim", None) == 0 else value
    if isinstance(plain, str):
        return str.__str__(plain)
    if isinstance(plain, int) and not isinstance(plain, bool):
        return int(plain)
    return cast("Hashable", plain)
