"""What files hold: sections of arrays, each with its name, its type and its number of axes.

A file lists its sections and says which of them a reader must know. One that is not known here is ignored, or the file is
refused by the name of the section: later versions can add to files that this one still reads. What can be derived is not
stored.
"""

from __future__ import annotations

from typing import Final, TypeAlias

from dconvex.arrays import Array

VERSION: Final = 2

Arrays: TypeAlias = dict[str, Array]
"""Arrays by their full names, as `names.text`."""
Record: TypeAlias = dict[str, object]
"""What a file says in JSON."""
Section: TypeAlias = dict[str, str]

SECTIONS: Final[dict[str, Section]] = {
    # the names of the variables in canonical order: their text in UTF-8 and where each begins
    "names": {"text": "U8", "offsets": "I64"},
    # the parents of each variable, in the order of its table's axes
    "graph": {"offsets": "I64", "parents": "I32"},
    # the members of each cluster, ascending; the two clusters of each edge, the lower first, by rows; the undecided ones
    "tree": {"offsets": "I64", "members": "I32", "ends": "I32", "undecided": "I64"},
    # sets of labels: the text of each label, where it begins, its kind; where each set begins; the set of each variable
    "labels": {"text": "U8", "offsets": "I64", "kinds": "U8", "sets": "I64", "of": "I32"},
    # the numbers of all tables that are not derived, one after the other, and a checksum for each cluster
    "tables": {"numbers": "F64", "checksums": "U64"},
    # the variables whose states were declared
    "learned": {"declared": "I32"},
    # what the model was learned from, in JSON
    "report": {"json": "U8"},
    # for each family the tables with all its columns, their rows, and those without a missing cell; which columns there were
    "coverage": {"tables": "I64", "offered": "I64", "used": "I64", "has_column": "BOOL"},
    # where the order of states comes from; counts of the small tables; of the others the cells that were seen, and how often
    "counts": {"orders": "U8", "cells": "I64", "seen_rows": "I64", "seen_cells": "I64", "seen_counts": "I64"},
    # as counts, for the expected counts of EM
    "expected": {"orders": "U8", "cells": "F64", "seen_rows": "I64", "seen_cells": "I64", "seen_counts": "F64"},
    # means of the members of each family, what a float is too coarse for in them, and squares of deviations
    "moments": {"mean": "F64", "rest": "F64", "scatter": "F64"},
    # for each family the weight of the rows that it uses, where that is not their number
    "weighted": {"totals": "F64"},
}

LAZY: Final = frozenset({"tables.numbers"})
"""Arrays that are read in parts: the checksums of the clusters cover them."""
OPTIONAL: Final = frozenset({"report", "coverage", "counts", "expected", "moments", "weighted"})
"""Sections without which a model still answers."""
PAIRS: Final = frozenset({"tree.ends"})
"""Arrays with two columns; all others have one axis."""


def type_of(name: str) -> str | None:
    """The type of an array by its full name; None where there is no such array."""
    section, _, part = name.partition(".")
    return SECTIONS.get(section, {}).get(part)
