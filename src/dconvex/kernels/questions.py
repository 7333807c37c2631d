"""From a question to its program: prune, drop what does not matter, order, and write the steps down."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dconvex.kernels.clusters import (
    ancestral_families,
    keep,
    kept_families,
    source_families,
    unpacked,
    unpacked_scratch,
)
from dconvex.kernels.compiling import bare_kernel, bare_part, inlined
from dconvex.kernels.ordering import BY_FILL, BY_GROWTH, BY_SIZE, elimination_order
from dconvex.kernels.programs import ARENA, DERIVED, MOST, MULTIPLICATIONS, OUT, Subject, written
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
from dconvex.kernels.room import filled, floats, longs, packed_together, sort, whole_room
from dconvex.kernels.sketches import MANY_TABLES, TABLES_MADE, Axes, differentiated, normalized_early, sketched
from dconvex.kernels.walks import Longs

ANSWER, MARGINALS, TRACE = 0, 1, 2
"""What a program ends in: one table, a table for each variable, or all tables left as they are."""
COST, PEAK = 0, 1
"""The prices of a table that is derived: multiplications and bytes, NaN where they are not known yet."""
LARGEST = 2.0**62
"""Larger numbers of multiplications and of bytes are not told apart."""
LARGE_RESULT = 4096
"""Above so many entries an answer is normalised before its last multiplication, not after."""
WORTH_ANOTHER_TRY = 10_000.0
"""Above so many multiplications, the writing of the answer left out, a program is sketched by every rule."""


class Question(NamedTuple):
    """The variables of a question by what it does with them: asked for, observed, with a likelihood.

    `latest` are those to be eliminated last (by maximum), `beside` others whose clusters are kept.
    """

    asked: Longs
    observed: Longs
    likely: Longs
    latest: Longs
    beside: Longs
    is_whole: int
    is_free: int
    shows_impossible: int
    """Observed variables whose parents are all observed are looked up too, though they do not matter for the answer."""
    ending: int
    limit: int
    """Bytes of memory."""
    table: int
    """The table to derive instead of all this, or -1."""


@bare_part
def _unpacked_question(image):
    """The lengths of its lists come first, then the numbers, then the lists."""
    a = 11 + image[0]
    b = a + image[1]
    c = b + image[2]
    d = c + image[3]
    return Question(
        image[11:a], image[a:b], image[b:c], image[c:d], image[d : d + image[4]],
        image[5], image[6], image[7], image[8], image[9], image[10],
    )  # fmt: skip


@bare_kernel
def small_question(memory, float_memory, model, room_for_walks, question):
    """The small network of a question, the roles in it, the tables needed and the variables met, packed: (begin, end)."""
    clusters, families, arcs = unpacked(model)
    scratch = unpacked_scratch(room_for_walks, len(arcs.rank))
    room = whole_room(memory, float_memory)
    small, roles, needed, met = _small_question(room, clusters, families, arcs, scratch, _unpacked_question(question))
    return packed_together(
        room,
        (
            small.nodes,
            small.tables,
            small.parent_start,
            small.parents,
            small.child_start,
            small.children,
            roles,
            needed,
            met,
        ),
    )


@bare_part
def _small_question(room, clusters, families, arcs, scratch, question):
    """The small network of a question with the roles in it: (network, roles, tables needed, variables met).

    On the whole network the ancestors matter, otherwise the clusters kept, those of the variables `beside` too. Where the
    plan is free, evidence that does not matter is left out and pruning begins anew.
    """
    asked, observed, likely = question.asked, question.observed, question.likely
    while True:
        wanted = _joined(room, asked, observed, likely, question.beside)
        if question.is_whole:
            nodes, tables = ancestral_families(room, arcs, scratch, wanted)
        else:
            nodes, tables = kept_families(room, clusters, scratch, keep(room, clusters, scratch, wanted)[0])
        small = small_network(room, families, scratch, nodes, tables)
        roles = filled(room, len(nodes), 0)
        for v in observed:
            roles[scratch.local[v]] = OBSERVED
        for v in likely:
            roles[scratch.local[v]] = LIKELY
        for v in asked:
            local = scratch.local[v]
            roles[local] = ASKED_LIKELY if roles[local] == LIKELY else ASKED
        if len(asked) == 0:
            needed = ancestral(room, small, roles)
            return small, roles, needed, needed
        needed, met = requisite(room, small, roles)
        left_observed, left_likely = _met_ones(room, scratch, met, observed), _met_ones(room, scratch, met, likely)
        is_all_met = len(left_observed) + len(left_likely) == len(observed) + len(likely)
        if is_all_met or question.is_whole or not question.is_free:
            return small, roles, needed, met
        observed, likely = left_observed, left_likely


@inlined
def _joined(room, first, second, third, fourth):
    joined = longs(room, len(first) + len(second) + len(third) + len(fourth))
    at = 0
    for array in (first, second, third, fourth):
        for v in array:
            joined[at] = v
            at += 1
    sort(joined)  # the order in which they are named must not matter
    return joined


@inlined
def _met_ones(room, scratch, met, nodes):
    left = longs(room, len(nodes))
    count = 0
    for v in nodes:
        if met[scratch.local[v]]:
            left[count] = v
            count += 1
    return left[:count]


@bare_kernel
def plan(memory, float_memory, model, room_for_walks, question, states, prices):
    """The program of a question, or the one that derives a table: where it stands in the memory, and what it takes.

    `model`, `room_for_walks` and `question` are packed. Returns (begin, end, entries of the arena, entries of the result,
    multiplications, what derived tables cost by their `prices`, or -1 where that is not known yet, the most bytes that are
    taken at once, by the program or by one that derives a table, whether all evidence is looked at).
    """
    clusters, families, arcs = unpacked(model)
    scratch = unpacked_scratch(room_for_walks, len(states))
    room = whole_room(memory, float_memory)
    given = _unpacked_question(question)
    if given.table >= 0:
        small, roles, needed, met, outputs = _table_question(room, clusters, families, scratch, given.table)
    else:
        small, roles, needed, met = _small_question(room, clusters, families, arcs, scratch, given)
        outputs = longs(room, len(given.asked) if given.ending == ANSWER else 0)
        for k in range(len(outputs)):
            outputs[k] = scratch.local[given.asked[k]]
    size = len(small.nodes)
    card, turn = longs(room, size), filled(room, size, 0)
    for v in range(size):
        card[v] = states[small.nodes[v]]
    for v in outputs:
        turn[v] = -1
    for v in given.latest:
        turn[scratch.local[v]] = 1
    evidence, likelihood = filled(room, size, -1), filled(room, size, -1)
    is_all_met = _find_evidence(scratch, given, small, roles, needed, met, evidence, likelihood)
    about = Subject(small, card, factors_of(room, small, roles, needed, likelihood), roles, evidence)
    begin, end = _best_program(room, about, turn, outputs, given.ending, given.limit)
    program = memory[begin:end]
    cost, most = 0.0, 8.0 * program[ARENA] + 8.0 * program[OUT]
    for source in about.factors.source:
        if source >= len(states):
            program[DERIVED] += 1
            cost += prices[source, COST]
            if prices[source, PEAK] > most:
                most = prices[source, PEAK]
    cost = -1.0 if np.isnan(cost) else min(cost, LARGEST)
    taken = program[ARENA], program[OUT], program[MULTIPLICATIONS], np.int64(cost), np.int64(min(most, LARGEST))
    return begin, end, *taken, is_all_met


@bare_part
def _find_evidence(scratch, given, small, roles, needed, met, evidence, likelihood):
    """Note where the evidence on each variable stands; whether all of it matters."""
    stamp = scratch.stamp[0]
    is_all_met = True
    for k in range(len(given.observed)):
        v = scratch.local[given.observed[k]]
        if scratch.variable[given.observed[k]] == stamp and roles[v] == OBSERVED:
            evidence[v] = k
            if given.shows_impossible and not needed[v] and _is_seen(small, roles, v):
                needed[v] = 1
            is_all_met &= needed[v] == 1
        else:
            is_all_met = False
    for k in range(len(given.likely)):
        v = scratch.local[given.likely[k]]
        if scratch.variable[given.likely[k]] == stamp and (roles[v] == LIKELY or roles[v] == ASKED_LIKELY):
            likelihood[v] = k
            is_all_met &= met[v] == 1
        else:
            is_all_met = False
    return is_all_met


@bare_part
def _table_question(room, clusters, families, scratch, table):
    """What derives a table: of its variable given its parents, in the cluster next to where it is used."""
    nodes, tables = source_families(room, clusters, scratch, table, families)
    small = small_network(room, families, scratch, nodes, tables)
    roles = filled(room, len(nodes), 0)
    first, last = families.parent_start[table], families.parent_start[table + 1]
    outputs = longs(room, last - first + 1)
    for k in range(last - first):
        outputs[k] = scratch.local[families.parents[first + k]]
        roles[outputs[k]] = GIVEN
    outputs[last - first] = scratch.local[families.variable[table]]
    roles[outputs[last - first]] = ASKED
    needed, met = requisite(room, small, roles)
    return small, roles, needed, met, outputs


@bare_part
def _is_seen(small, roles, v):
    """Whether all parents of a variable are observed."""
    for k in range(small.parent_start[v], small.parent_start[v + 1]):
        if roles[small.parents[k]] != OBSERVED:
            return False
    return True


@bare_part
def _best_program(room, about, turn, outputs, ending, limit):
    """Sketch by one rule, by the others too where it is worth it, and write the cheapest that fits the limit."""
    active = _active(room, about, turn, outputs)
    best = np.inf
    for rule in (BY_FILL, BY_SIZE, BY_GROWTH):
        new_axes, place = _ordered_axes(room, about, active, outputs, rule)
        new_sketch, new_scalars, new_answer = sketched(room, about.factors, new_axes, place, ending == MARGINALS)
        worth = _worth(new_sketch, limit)
        if rule == BY_FILL or worth < best:
            axes, sketch, scalars, answer, best = new_axes, new_sketch, new_scalars, new_answer, worth
        if sketch.cost[0] - 2.0 * sketch.size[answer] <= WORTH_ANOTHER_TRY:
            break
    total = -1
    is_out = filled(room, len(sketch.begin), 0)
    if ending == ANSWER:
        if LARGE_RESULT < sketch.size[answer] < MOST:
            total = normalized_early(room, sketch, axes, 0)
        is_out[answer] = 1
    elif ending == MARGINALS:
        wanted = longs(room, len(axes.states))
        for p in range(len(axes.states)):
            role = about.roles[axes.variable[p]]
            wanted[p] = role == ASKED or role == ASKED_LIKELY
        differentiated(room, sketch, axes, 0, len(about.factors.source), wanted, is_out)
    return written(room, sketch, axes, about, scalars, is_out, ending == TRACE, total)


class Active(NamedTuple):
    """The variables that stand in a factor or in the answer, numbered anew, and the scopes of the factors by these numbers."""

    member: Longs
    number: Longs
    """The place of each variable in `member`, -1 for one that is not active."""
    width: NDArray[np.float64]
    """Logarithms (base 2) of the numbers of states."""
    turn: Longs
    scope: Longs


@bare_part
def _active(room, about, turn, outputs):
    card, scope = about.card, about.factors.scope
    number, member, own = filled(room, len(card), -1), longs(room, len(card)), longs(room, len(scope))
    count = 0
    for k in range(len(scope)):
        v = scope[k]
        if number[v] < 0:
            number[v] = count
            member[count] = v
            count += 1
        own[k] = number[v]
    for v in outputs:
        if number[v] < 0:
            number[v] = count
            member[count] = v
            count += 1
    width, own_turn = floats(room, count), longs(room, count)
    for k in range(count):
        width[k], own_turn[k] = np.log2(np.float64(card[member[k]])), turn[member[k]]
    return Active(member[:count], number, width, own_turn, own)


@bare_part
def _ordered_axes(room, about, active, outputs, rule):
    """The axes in the order that a rule gives, and the axis of each variable."""
    order = longs(room, len(active.member))
    eliminated = elimination_order(room, about.factors.scope_start, active.scope, active.width, active.turn, rule, order)
    count = eliminated + len(outputs)
    place, variable = filled(room, len(about.card), -1), longs(room, count)
    states, width, turn = floats(room, count), floats(room, count), filled(room, count, -1)
    for k in range(eliminated):
        variable[k], turn[k] = active.member[order[k]], active.turn[order[k]]
    for k in range(len(outputs)):
        variable[eliminated + k] = outputs[k]
    for p in range(count):
        place[variable[p]] = p
        states[p] = about.card[variable[p]]
        width[p] = active.width[active.number[variable[p]]]
    many = min(len(about.factors.source), MANY_TABLES)
    wide = floats(room, many * MANY_TABLES)
    return Axes(variable, states, width, turn, filled(room, count, 0), wide, eliminated), place


@bare_part
def _worth(sketch, limit):
    """The multiplications, and far behind whatever makes a table that does not fit."""
    largest = 0.0
    for table in range(sketch.made[TABLES_MADE]):
        largest = max(largest, sketch.size[table])
    return sketch.cost[0] * (1e30 if 8.0 * largest > limit else 1.0)
