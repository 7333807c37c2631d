"""Networks to and from the libraries next door: pgmpy and pyAgrum, neither of which is imported before it is needed."""
