"""From tables to models. It reads from top to bottom: `columns`, then `statistics` of families, then `estimation`.

`fitting` puts the three together.
"""
