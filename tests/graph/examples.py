"""DAGs of the paper and counterexamples to it, with what is known of them."""

from __future__ import annotations


def edges(text: str) -> list[tuple[str, str]]:
    """`a→b, b→c` as pairs."""
    return [(tail, head) for tail, head in (edge.strip().split("→") for edge in text.split(","))]


FIGURE_1 = edges("c→d, d→g, i→g, i→s, g→l, g→h, l→j, s→j, k→h, m→k")
"""Its figure 1(a)."""

CROSSING = edges("s1→r, s1→t, r→p, s2→p, t→q, s2→q")
"""A triangulation can leave {s1, r, t, s2}, which {s1, s2} splits."""

SATELLITE = edges("z→s1, z→s2, s1→d, s2→d, s1→p, s2→p, z→p, s1→q, s2→q, z→q")
"""Algorithm 2 leaves {d, p, z, s1, s2}, which {z, s1, s2} splits: a separator elsewhere in the tree."""

TWO_TREES = edges("a→r, r→p, t→p, b→t, b→q, a→q")
"""Two different trees are irreducible."""

NOT_MINIMAL = edges("w→s1, w→s2, s1→p, s2→p, s1→q, s2→q")
"""Only a separator that is not minimal, {w, s1, s2}, splits it."""
