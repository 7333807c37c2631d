"""Graphs without numbers: the DAG, and the questions that can be asked of it alone."""
