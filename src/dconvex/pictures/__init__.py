"""Pictures of networks, cluster trees, models, questions and answers, with layouts of our own.

The layouts are pure functions from sizes and edges to places; drawings are shapes as data (`drawing`), which `svg` writes and
`canvas` paints with matplotlib, imported only then. This package knows neither `Dag` nor `ClusterTree`, only what it reads of
them (`subjects`): so it stands below them, and they may show themselves (`showing`).
"""
