"""A checksum for each cluster of the numbers in its tables."""

from __future__ import annotations

import numpy as np

from dconvex.kernels.compiling import kernel


@kernel
def cluster_checksums(bits, table_at, start, table, known, first, last):
    """Of the clusters from `first` to `last`: a mix of the bits of their tables' numbers, of the first `known` tables."""
    found = np.empty(last - first, np.uint64)
    for cluster in range(first, last):
        mixed = np.uint64(0x9E3779B97F4A7C15)
        for entry in range(start[cluster], start[cluster + 1]):
            t = table[entry]
            if t < known:
                for place in range(table_at[t], table_at[t + 1]):
                    mixed = (mixed ^ bits[place]) * np.uint64(0xBF58476D1CE4E5B9)
                    mixed ^= mixed >> np.uint64(29)
        found[cluster - first] = mixed
    return found
