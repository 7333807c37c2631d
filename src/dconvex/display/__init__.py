"""Pictures of networks, cluster trees, models, questions and answers, with layouts of our own.

The layouts are pure functions from sizes and edges to positions; drawings are shapes as data (`drawing`), which `svg` writes
and `canvas` paints with matplotlib, imported only then. Display looks at values, values do not know it: `showing` says who
draws what, and `dconvex.shown` hands it down to the methods `plot` and `save_picture`.
"""
