"""From a question to its program: prune, drop what does not matter, order, and write the steps down."""

from __future__ import annotations

import numpy as np

from dconvex.kernels.clusters import (
    ancestral_families,
    keep,
    kept_families,
    source_families,
    unpacked,
    unpacked_scratch,
)
from dconvex.kernels.compiling import kernel, part
from dconvex.kernels.ordering import BY_FILL, BY_GROWTH, BY_SIZE, elimination_order, sort
from dconvex.kernels.programs import (
    DERIVED,
    DERIVED_COST,
    DERIVED_PEAK,
    IS_ALL_MET,
    LARGE_RESULT,
    MOST,
    differentiated,
    normalized_early,
    sketched,
    written,
)
from dconvex.kernels.requisite import (
    ASKED,
    ASKED_LIKELY,
    GIVEN,
    LIKELY,
    OBSERVED,
    ancestral,
    factors_of,
    requisite,
    small_network,
)

ANSWER, MARGINALS, TRACE = 0, 1, 2
"""What a program ends in: one table, a table for each variable, or all tables left as they are."""
WORTH_ANOTHER_TRY = 3000.0
"""Above so many multiplications a program is sketched by every rule, and the cheapest is taken."""


@kernel
def small_question(clusters, families, arcs, scratch, asked, observed, likely, beside, is_whole, is_free):
    """The small network of a question with the roles in it: (network, roles, tables needed, variables met).

    On the whole network the ancestors matter, otherwise the clusters kept, those of the variables `beside` too. Where the
    plan is free, evidence that does not matter is left out and pruning begins anew.
    """
    wanted = _joined(asked, observed, likely, beside)
    observed_now, likely_now = observed, likely
    while True:
        if is_whole:
            nodes, tables = ancestral_families(arcs, scratch, wanted)
        else:
            kept = keep(clusters, scratch, wanted)
            nodes, tables = kept_families(clusters, scratch, kept)
        small = small_network(families, scratch, nodes, tables)
        roles = np.zeros(len(nodes), np.int8)
        for v in observed_now:
            roles[scratch.local[v]] = OBSERVED
        for v in likely_now:
            roles[scratch.local[v]] = LIKELY
        for v in asked:
            local = scratch.local[v]
            roles[local] = ASKED_LIKELY if roles[local] == LIKELY else ASKED
        if len(asked) == 0:
            needed = ancestral(small, roles)
            return small, roles, needed, needed
        needed, met = requisite(small, roles)
        left_observed, left_likely = _met_ones(scratch, met, observed_now), _met_ones(scratch, met, likely_now)
        if not is_free or is_whole or len(left_observed) + len(left_likely) == len(observed_now) + len(likely_now):
            return small, roles, needed, met
        observed_now, likely_now = left_observed, left_likely
        wanted = _joined(asked, observed_now, likely_now, beside)


@part
def _joined(first, second, third, fourth):
    joined = np.empty(len(first) + len(second) + len(third) + len(fourth), np.int32)
    at = 0
    for array in (first, second, third, fourth):
        joined[at : at + len(array)] = array
        at += len(array)
    sort(joined)  # the order in which they are named must not matter
    return joined


@part
def _met_ones(scratch, met, nodes):
    left = np.empty(len(nodes), np.int32)
    count = 0
    for v in nodes:
        if met[scratch.local[v]]:
            left[count] = v
            count += 1
    return left[:count]


@kernel
def plan(
    model,
    room_for_walks,
    states,
    cost,
    peak,
    asked,
    observed,
    likely,
    latest,
    beside,
    table,
    is_whole,
    is_free,
    shows_impossible,
    ending,
    limit,
):
    """The program of a question, or the one that derives a table (from 0 on; a question has -1).

    `model` and `room_for_walks` are packed. `latest` are the variables to be eliminated last (by maximum), `beside` others
    whose clusters are kept; `limit` bounds the memory. With `shows_impossible` observed variables whose parents are all
    observed are looked up too, though they do not matter for the answer. The head says what derived tables cost (-1: not
    known yet) and the most memory that one takes.
    """
    clusters, families, arcs = unpacked(model)
    scratch = unpacked_scratch(room_for_walks, len(states))
    if table >= 0:
        small, roles, needed, met, outputs = _table_question(clusters, families, scratch, table)
    else:
        small, roles, needed, met = small_question(
            clusters, families, arcs, scratch, asked, observed, likely, beside, is_whole, is_free
        )
        outputs = np.empty(len(asked) if ending == ANSWER else 0, np.int32)
        for k in range(len(outputs)):
            outputs[k] = scratch.local[asked[k]]
    size = len(small.nodes)
    card, turn = np.empty(size, np.int64), np.zeros(size, np.int8)
    for v in range(size):
        card[v] = states[small.nodes[v]]
    for v in outputs:
        turn[v] = -1
    for v in latest:
        turn[scratch.local[v]] = 1
    evidence, likelihood = np.full(size, -1, np.int64), np.full(size, -1, np.int64)
    stamp = scratch.stamp[0]
    is_all_met = True
    for k in range(len(observed)):
        v = scratch.local[observed[k]]
        if scratch.variable[observed[k]] == stamp and roles[v] == OBSERVED:
            evidence[v] = k
            if shows_impossible and not needed[v] and _is_seen(small, roles, v):
                needed[v] = 1
            is_all_met &= needed[v] == 1
        else:
            is_all_met = False
    for k in range(len(likely)):
        v = scratch.local[likely[k]]
        if scratch.variable[likely[k]] == stamp and (roles[v] == LIKELY or roles[v] == ASKED_LIKELY):
            likelihood[v] = k
            is_all_met &= met[v] == 1
        else:
            is_all_met = False
    factors = factors_of(small, roles, needed, likelihood)
    program = best_program(small, card, factors, roles, turn, outputs, evidence, ending, limit)
    program[IS_ALL_MET] = is_all_met
    dearest, most = 0.0, 0.0
    for source in factors.source:
        if source >= len(states):
            program[DERIVED] += 1
            dearest += cost[source]
            if peak[source] > most:
                most = peak[source]
    program[DERIVED_COST] = -1 if np.isnan(dearest) else np.int64(min(dearest, MOST))
    program[DERIVED_PEAK] = np.int64(min(most, MOST))
    return program


@part
def _table_question(clusters, families, scratch, table):
    """What derives a table: of its variable given its parents, in the cluster next to where it is used."""
    nodes, tables = source_families(clusters, scratch, table, families)
    small = small_network(families, scratch, nodes, tables)
    roles = np.zeros(len(nodes), np.int8)
    first, last = families.parent_start[table], families.parent_start[table + 1]
    outputs = np.empty(last - first + 1, np.int32)
    for k in range(last - first):
        outputs[k] = scratch.local[families.parents[first + k]]
        roles[outputs[k]] = GIVEN
    outputs[last - first] = scratch.local[families.variable[table]]
    roles[outputs[last - first]] = ASKED
    needed, met = requisite(small, roles)
    return small, roles, needed, met, outputs


@part
def _is_seen(small, roles, v):
    """Whether all parents of a variable are observed."""
    for parent in small.parents[small.parent_start[v] : small.parent_start[v + 1]]:
        if roles[parent] != OBSERVED:
            return False
    return True


@part
def best_program(small, card, factors, roles, turn, outputs, evidence, ending, limit):
    """Sketch by one rule, by the others too where it is worth it, and write the cheapest that fits the limit."""
    active = np.full(len(card), -1, np.int32)
    count = 0
    for v in factors.scope:
        if active[v] < 0:
            active[v] = count
            count += 1
    for v in outputs:
        if active[v] < 0:
            active[v] = count
            count += 1
    member = np.empty(count, np.int32)
    for v in range(len(card)):
        if active[v] >= 0:
            member[active[v]] = v
    width, own_turn = np.empty(count), np.empty(count, np.int8)
    for k in range(count):
        width[k], own_turn[k] = np.log2(card[member[k]]), turn[member[k]]
    scope = active[factors.scope]
    place, states, variable, turn, eliminated = _axes(card, factors, outputs, member, scope, width, own_turn, BY_FILL)
    sketch, pool, scalars, answer = sketched(factors, states, turn, place, eliminated, ending == MARGINALS)
    if sketch.cost[0] > WORTH_ANOTHER_TRY:
        for other in (BY_SIZE, BY_GROWTH):
            place2, states2, variable2, turn2, eliminated2 = _axes(
                card, factors, outputs, member, scope, width, own_turn, other
            )
            sketch2, pool2, scalars2, answer2 = sketched(factors, states2, turn2, place2, eliminated2, ending == MARGINALS)
            if _worth(sketch2, limit) < _worth(sketch, limit):
                place, states, variable, turn, eliminated = place2, states2, variable2, turn2, eliminated2
                sketch, pool, scalars, answer = sketch2, pool2, scalars2, answer2
    total = -1
    is_out = np.zeros(len(sketch.begin), np.uint8)
    if ending == ANSWER:
        if sketch.size[answer] > LARGE_RESULT and sketch.size[answer] < MOST:
            pool, total = normalized_early(sketch, pool, states, 0)
        is_out[answer] = 1
    elif ending == MARGINALS:
        wanted = np.zeros(len(states), np.uint8)
        for p in range(len(states)):
            wanted[p] = roles[variable[p]] == ASKED or roles[variable[p]] == ASKED_LIKELY
        pool, marginal = differentiated(sketch, pool, states, 0, len(factors.source), wanted)
        for table in marginal:
            if table >= 0:
                is_out[table] = 1
    return written(
        sketch,
        pool,
        states,
        variable,
        eliminated,
        small,
        card,
        factors,
        roles,
        evidence,
        scalars,
        is_out,
        ending == TRACE,
        total,
    )


@part
def _worth(sketch, limit):
    """The multiplications, and far behind whatever makes a table that does not fit."""
    largest = 0.0
    for table in range(sketch.made[0]):
        largest = max(largest, sketch.size[table])
    return sketch.cost[0] * (1e30 if 8.0 * largest > limit else 1.0)


@part
def _axes(card, factors, outputs, member, scope, width, own_turn, rule):
    """One order for all axes, the eliminated ones first: (axis by variable, sizes, variables, turns, how many eliminated)."""
    order = elimination_order(factors.scope_start, scope, width, own_turn, rule)
    eliminated = len(order)
    axes = eliminated + len(outputs)
    place = np.full(len(card), -1, np.int32)
    states, variable, turn = np.empty(axes), np.empty(axes, np.int32), np.full(axes, -1, np.int8)
    for k in range(eliminated):
        variable[k], turn[k] = member[order[k]], own_turn[order[k]]
    for k in range(len(outputs)):
        variable[eliminated + k] = outputs[k]
    for p in range(axes):
        place[variable[p]] = p
        states[p] = card[variable[p]]
    return place, states, variable, turn, eliminated
