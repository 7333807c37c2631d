"""Which table each cluster of a tree has for each of its variables; inference, learning and storage build on it."""
