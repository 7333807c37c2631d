"""The native core: graphs, inference and learning over plain numbers, without names, labels or files.

A test compares this description with the module.
"""

from collections.abc import Iterable
from types import TracebackType
from typing import Any, TypeAlias, final

import numpy as np
from numpy.typing import NDArray

_Codes: TypeAlias = NDArray[np.int8] | NDArray[np.int32]

# --- common ---------------------------------------------------------------------------------------------------------

def allocated_bytes() -> int:
    """Bytes that the core holds now."""

def peak_bytes() -> int:
    """The most bytes that the core has held at once since `reset_peak_bytes`."""

def reset_peak_bytes() -> None: ...

@final
class Cancellation:
    """Work that can be called off: native loops in a thread that has entered it stop with KeyboardInterrupt."""

    def __init__(self) -> None: ...
    def cancel(self) -> None: ...
    @property
    def is_cancelled(self) -> bool: ...
    def __enter__(self) -> None: ...
    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None: ...

@final
class Ragged:
    """Lists of lists in two arrays: list i is `values[offsets[i]:offsets[i + 1]]`. The arrays are read-only."""

    def __init__(self, offsets: NDArray[np.int64], values: NDArray[np.int32]) -> None:
        """Raises ValueError unless the offsets begin at 0, never fall and end at the number of values."""
    @staticmethod
    def from_lists(lists: Iterable[Iterable[int]]) -> Ragged: ...
    @staticmethod
    def from_pairs(owners: NDArray[np.int32], values: NDArray[np.int32], size: int) -> Ragged:
        """Pairs (owner, value) grouped by owner; within an owner they keep the order in which they come."""
    @property
    def offsets(self) -> NDArray[np.int64]: ...
    @property
    def values(self) -> NDArray[np.int32]: ...
    def __len__(self) -> int: ...
    def __getitem__(self, index: int) -> NDArray[np.int32]: ...
    def owners(self) -> NDArray[np.int32]:
        """For each value the list that holds it."""
    def reversed(self, size: int) -> Ragged:
        """The same pairs seen from their values, which lie in 0 … size - 1; each list ascends."""

# --- graph ----------------------------------------------------------------------------------------------------------

def find_cycle(parents: Ragged) -> NDArray[np.int32]:
    """A directed cycle, each node a parent of the next and the last of the first; empty if there is none."""

@final
class Graph:
    """A directed acyclic graph over the nodes 0 … len - 1."""

    def __init__(self, parents: Ragged) -> None:
        """Raises ValueError where a parent is no node or is listed twice, or where there is a cycle."""
    @property
    def parents(self) -> Ragged: ...
    @property
    def children(self) -> Ragged:
        """The children of each node, ascending."""
    @property
    def order(self) -> NDArray[np.int32]:
        """The nodes, parents before children."""
    @property
    def rank(self) -> NDArray[np.int32]:
        """The place of each node in `order`."""
    def __len__(self) -> int: ...

# --- clusters -------------------------------------------------------------------------------------------------------

# --- inference ------------------------------------------------------------------------------------------------------

# --- learning -------------------------------------------------------------------------------------------------------

MISSING_CODE: int
"""The code of a missing cell, or of a value that counts as one."""

@final
class IntegerEncoder:
    """_Codes of 64-bit keys: integers, or addresses of objects that the caller keeps alive. One thread uses it at a time."""

    def __init__(self) -> None: ...
    def __len__(self) -> int:
        """The number of keys it knows."""
    def add(self, key: int, code: int) -> None:
        """Give a key its code, -1 or more; a known key gets another one."""
    def encode(self, values: NDArray[np.integer[Any]], out: _Codes, first: int) -> int:
        """Write the codes of the values from `first` on, up to the first value that is unknown.

        `values` are integers of at most 64 bits with a sign, at any stride; `out` has the same length. A code that is too wide
        for `out` is cut.

        Returns:
            The index of the unknown value, or -1 if all are known.

        Raises:
            ValueError: lengths, types or `first` are wrong.

        """

@final
class TextEncoder:
    """_Codes of texts as Arrow holds them: UTF-8 bytes, and where each text begins. One thread uses it at a time."""

    def __init__(self) -> None: ...
    def __len__(self) -> int:
        """The number of texts it knows."""
    def add(self, text: bytes, code: int) -> None:
        """Give a text its code, -1 or more; a known text gets another one."""
    def encode(self, offsets: NDArray[np.int32] | NDArray[np.int64], text: NDArray[np.uint8], out: _Codes, first: int) -> int:
        """As `IntegerEncoder.encode`, for the texts `text[offsets[i]:offsets[i + 1]]`.

        Raises:
            ValueError: lengths, types or `first` are wrong, or offsets fall or leave the bytes.

        """
    def encode_objects(self, values: NDArray[np.object_], out: _Codes, first: int) -> int:
        """As `encode`, for Python objects; None and NaN are missing, and all that is neither these nor str is unknown."""

@final
class CountTables:
    """Families of variables, and where their tables lie among all counts."""

    def __init__(
        self, members: Ragged, states: NDArray[np.int64], may_miss: NDArray[np.bool_], first_cell: NDArray[np.int64]
    ) -> None:
        """A record for `count_cells`.

        Args:
            members: For each family its parents and then its variable.
            states: For each variable the number of its states.
            may_miss: For each variable whether some of its codes are below zero.
            first_cell: For each family where its table begins; below zero if it is not counted.

        Raises:
            ValueError: lengths differ, a member is no variable, or a table has 2**31 cells or more.

        """
    def __len__(self) -> int: ...

def count_cells(
    tables: CountTables,
    codes: _Codes,
    rows: int,
    counts: NDArray[np.int64],
    used: NDArray[np.int64],
    first: int,
    last: int,
) -> None:
    """Add rows to the tables of the families from `first` up to `last`. Threads may share the families.

    Args:
        tables: The families.
        codes: `codes[v, row]` is the state of variable v, below zero where it is missing. int8 or int32.
        rows: The first `rows` rows are counted, each in the families none of whose cells are missing in it.
        counts: All tables, the variable's state running fastest.
        used: For each family the number of rows counted.
        first: The first family.
        last: One more than the last family.

    Raises:
        ValueError: arrays are too short, or a code is no state; some rows may be counted then.

    """

@final
class MomentSums:
    """Sums of the deviations and of their products in families of variables, all zero at first."""

    def __init__(self, members: Ragged) -> None: ...
    def __len__(self) -> int: ...
    @property
    def shift(self) -> NDArray[np.float64]:
        """For each member of each family what its deviations are from: its number in the first row that the family takes."""
    @property
    def sums(self) -> NDArray[np.float64]:
        """For each member of each family the sum of its deviations."""
    @property
    def products(self) -> NDArray[np.float64]:
        """For each family with m members an m × m matrix, of which the lower half is filled."""
    @property
    def used(self) -> NDArray[np.int64]:
        """For each family the number of rows it took."""

def add_moments(
    moments: MomentSums, values: NDArray[np.float64], rows: int, may_miss: NDArray[np.bool_], first: int, last: int
) -> None:
    """Add rows to the sums of the families from `first` up to `last`. Threads may share the families.

    Args:
        moments: The families and their sums.
        values: `values[v, row]` is the number of variable v, NaN where it is missing.
        rows: The first `rows` rows are added, each to the families none of whose cells are missing in it.
        may_miss: For each variable whether some of its numbers are NaN.
        first: The first family.
        last: One more than the last family.

    Raises:
        ValueError: arrays are too short.

    """

def cluster_checksums(
    numbers: NDArray[np.float64],
    table_offsets: NDArray[np.int64],
    cluster_offsets: NDArray[np.int64],
    member_table: NDArray[np.int32],
    known: int,
    first: int,
    last: int,
) -> NDArray[np.uint64]:
    """A mix of the bits of the numbers in the tables of each cluster, as model files hold it.

    Args:
        numbers: Those of table t are `numbers[table_offsets[t]:table_offsets[t + 1]]`.
        table_offsets: Where each table begins.
        cluster_offsets: The tables of cluster c are `member_table[cluster_offsets[c]:cluster_offsets[c + 1]]`.
        member_table: The tables of all clusters.
        known: Only the first `known` tables count.
        first: The first cluster.
        last: One more than the last cluster.

    Raises:
        ValueError: an offset or a table leaves its array.

    """
