"""Graphs from data: `learn_structure`, the methods that it has, and what they come to."""
