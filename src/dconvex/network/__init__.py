"""Bayesian networks with numbers: families, sampling, likelihood, intervention."""
