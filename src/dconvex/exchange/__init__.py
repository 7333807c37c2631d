"""Networks to and from pgmpy and pyAgrum; each library is imported when it is first used."""
