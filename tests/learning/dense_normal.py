"""EM of a linear Gaussian network by the joint normal distribution of all variables: an oracle without any graph algorithm."""

from __future__ import annotations

import numpy as np

import dconvex as dc


def joint(network):
    """The mean and the covariance of all variables, in the order of the graph's nodes."""
    names = network.dag.nodes
    size = len(names)
    slopes, intercept, variance = np.zeros((size, size)), np.zeros(size), np.zeros(size)
    for k, name in enumerate(names):
        family = network.family(name)
        intercept[k], variance[k] = family.intercept, family.variance
        for parent, slope in family.coefficients.items():
            slopes[k, names.index(parent)] = slope
    whole = np.linalg.inv(np.eye(size) - slopes)
    return whole @ intercept, whole @ np.diag(variance) @ whole.T


def expected(network, rows, weights):
    """The log-likelihood, and by variable the weight, sums and sums of products of its family (the parents, then itself).

    A row counts for the ancestors of its observed cells.
    """
    dag, names = network.dag, network.dag.nodes
    mean, covariance = joint(network)
    members = {name: [names.index(own) for own in (*dag.parents(name), name)] for name in names}
    found = {name: [0.0, np.zeros(len(own)), np.zeros((len(own), len(own)))] for name, own in members.items()}
    log_likelihood = 0.0
    for row, weight in zip(rows.to_numpy(float), weights.tolist(), strict=True):
        there = np.flatnonzero(~np.isnan(row))
        shown = [names[k] for k in there.tolist()]
        counted = {*shown, *dag.ancestors(shown)} if shown else set()
        inner = covariance[np.ix_(there, there)]
        apart = row[there] - mean[there]
        gain = np.linalg.solve(inner, covariance[there]).T if len(there) else np.zeros((len(names), 0))
        middle = mean + gain @ apart
        middle[there] = row[there]
        rest = covariance - gain @ covariance[there]
        rest[there] = rest[:, there] = 0
        if len(there):
            _, height = np.linalg.slogdet(2 * np.pi * inner)
            log_likelihood += weight * -0.5 * (height + apart @ np.linalg.solve(inner, apart))
        for name in counted:
            own, into = members[name], found[name]
            into[0] += weight
            into[1] += weight * middle[own]
            into[2] += weight * (np.outer(middle[own], middle[own]) + rest[np.ix_(own, own)])
    return log_likelihood, found


def estimated(network, found, prior=None):
    """Least squares, or posterior means, from what `expected` gives."""
    regressions = {}
    for name, (weight, sums, products) in found.items():
        mean = sums / weight
        scatter = products - weight * np.outer(mean, mean)
        inner = scatter[:-1, :-1] + (0 if prior is None else prior.precision * np.eye(len(sums) - 1))
        slopes = np.linalg.solve(inner, scatter[:-1, -1])
        rest = scatter[-1, -1] - slopes @ scatter[:-1, -1]
        variance = rest / weight
        if prior is not None:
            variance = (prior.scale + rest / 2) / (prior.shape - 1 + max(weight - 1, 0) / 2)
        parents = network.dag.parents(name)
        coefficients = dict(zip(parents, slopes.tolist(), strict=True))
        regressions[name] = (mean[-1] - slopes @ mean[:-1], coefficients, variance)
    return dc.BayesianNetwork.gaussian(network.dag, regressions)
