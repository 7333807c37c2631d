"""Pictures of networks, cluster trees, models, questions and answers, with layouts of our own.

The layouts are pure functions from sizes and edges to positions. Drawings are shapes as data (`drawing`); `svg` writes them,
and `canvas` paints them with matplotlib, which is imported only then. Display looks at values (`drawable` says what it needs
of them), values do not know it: `showing` says which function draws what, and the methods `plot` and `save_picture` find it
through `dconvex.shown`.
"""
