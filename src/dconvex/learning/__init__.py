"""From tables to models: additive statistics of families, and estimates from them."""
