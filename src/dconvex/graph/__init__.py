"""Graphs without numbers: the DAG, and the questions that it answers alone."""
