"""The types of arrays, each defined once."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
"""Probabilities, coefficients and other numbers."""
Integers: TypeAlias = NDArray[np.int64]
"""Counts and other whole numbers."""
Indices: TypeAlias = NDArray[np.int32]
"""Indices of variables or clusters."""
Offsets: TypeAlias = NDArray[np.int64]
"""Where each of many lists starts in one long array, and where the last one ends."""
Sizes: TypeAlias = NDArray[np.int32] | NDArray[np.int64]
"""Sizes of many things, of either width."""
Codes: TypeAlias = NDArray[np.intp]
"""States of one variable by row, as indices into its labels; -1 for a missing cell."""
Flags: TypeAlias = NDArray[np.bool_]
"""Whether something holds, item by item."""
StateCodes: TypeAlias = NDArray[np.int8] | NDArray[np.int32]
"""States as the counters of the core take them, in one byte or four; -1 for a missing cell."""
AnyIntegers: TypeAlias = NDArray[np.integer[Any]]
"""Whole numbers of any width, as a table has them."""
Objects: TypeAlias = NDArray[np.object_]
"""Python objects."""
Bytes: TypeAlias = NDArray[np.uint8]
"""Text or bits in memory."""
Checksums: TypeAlias = NDArray[np.uint64]
"""Checksums of parts of a file."""
Array: TypeAlias = NDArray[Any]
"""An array whose type is known only when it is there, as in a file."""
