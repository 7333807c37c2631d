"""Draw the pictures of the page "How it works" into docs/pictures: `python tools/draw_how.py`."""

from __future__ import annotations

from pathlib import Path

import dconvex as dc

TARGET = Path(__file__).parents[1] / "docs" / "pictures"
EDGES = ("cd", "dg", "ig", "is", "gl", "gh", "lj", "sj", "kh", "mk")
"""The example of the paper's Figure 1."""


def main() -> None:
    dag = dc.Dag([(edge[0], edge[1]) for edge in EDGES])
    tree = dc.decompose(dag)
    dag.save_picture(TARGET / "how-not-convex.svg", clusters=dc.ClusterTree([set("dgjl")]))
    dag.save_picture(TARGET / "how-convex.svg", clusters=dc.ClusterTree([set("gijls")]))
    dag.save_picture(TARGET / "how-clusters.svg", clusters=tree)
    tree.save_picture(TARGET / "how-tree.svg")
    dc.decompose(dc.load_network("insurance")).save_picture(TARGET / "how-insurance.svg")


if __name__ == "__main__":
    main()
