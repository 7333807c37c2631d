"""Pictures of networks and cluster trees, with layouts of our own; matplotlib is imported only when something is drawn.

The layouts are pure functions from sizes and edges to places. This package knows neither `Dag` nor `ClusterTree`, only what
it reads of them (`subjects`): so it stands below them, and their `plot` methods may reach down to it.
"""
