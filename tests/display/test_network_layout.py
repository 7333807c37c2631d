from __future__ import annotations

import itertools

import pytest
from display.curves import along, enters, overlapping
from hypothesis import given
from hypothesis import strategies as st
from strategies import dags

from dconvex.display.geometry import Size, around
from dconvex.display.network_layout import GAP, arrange_network, nearest_rising


@st.composite
def graphs(draw):
    dag = draw(dags(max_nodes=12))
    index = {name: number for number, name in enumerate(dag.nodes)}
    sizes = [Size(draw(st.floats(10, 120)), draw(st.floats(8, 30))) for _ in dag.nodes]
    return sizes, [(index[tail], index[head]) for tail, head in dag.edges]


@given(graphs())
def test_nodes_keep_apart(graph):
    layout = arrange_network(*graph)
    assert not overlapping(layout.nodes, GAP)
    assert [(box.width, box.height) for box in layout.nodes] == graph[0]


@given(graphs())
def test_edges_lead_from_the_lower_side_to_the_upper_side_around_all_nodes(graph):
    layout = arrange_network(*graph)
    for (tail, head), route in zip(graph[1], layout.routes, strict=True):
        points = list(along(route, flows_down=True))
        assert points[0].y == pytest.approx(layout.nodes[tail].bottom)
        assert points[-1].y == pytest.approx(layout.nodes[head].top)
        assert abs(points[0].x - layout.nodes[tail].x) < layout.nodes[tail].width / 2
        assert abs(points[-1].x - layout.nodes[head].x) < layout.nodes[head].width / 2
        assert all(one.y <= other.y + 1e-9 for one, other in itertools.pairwise(points))
        assert not any(enters(points, box) for box in layout.nodes)


@given(graphs())
def test_everything_lies_in_the_frame_and_nothing_is_random(graph):
    layout = arrange_network(*graph)
    frame = around(layout.nodes, layout.routes)
    assert (frame.left, frame.top) == pytest.approx((0, 0), abs=1e-6)
    assert (frame.width, frame.height) == pytest.approx(layout.size)
    assert arrange_network(*graph) == layout


def test_ports_do_not_coincide():
    layout = arrange_network([Size(50, 16)] * 4, [(0, 3), (1, 3), (2, 3)])
    ends = sorted(route[-1].x for route in layout.routes)
    assert all(other - one > 5 for one, other in itertools.pairwise(ends))


def test_a_long_edge_runs_straight():
    chain = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5)]
    layout = arrange_network([Size(50, 16)] * 6, [*chain, (0, 5)])
    inner = layout.routes[-1][1:-1]
    assert len(inner) == 8
    assert max(x for x, _ in inner) - min(x for x, _ in inner) < 2


WISHES = st.lists(st.tuples(st.floats(-50, 50), st.floats(0.1, 5)), min_size=1, max_size=8)


@given(WISHES, st.lists(st.floats(-50, 50), min_size=8, max_size=8))
def test_nearest_rising(wishes, other):
    found = nearest_rising(wishes)
    assert all(one <= next_one + 1e-9 for one, next_one in itertools.pairwise(found))

    def cost(numbers):
        return sum(weight * (number - wish) ** 2 for number, (wish, weight) in zip(numbers, wishes, strict=True))

    rivals = [sorted(other[: len(wishes)]), sorted(wish for wish, _ in wishes)]
    rivals += [[level + step for level in found] for step in (-0.1, 0.1)]
    rivals += [[found[0] - 0.1, *found[1:]], [*found[:-1], found[-1] + 0.1]]
    assert all(cost(found) <= cost(rival) + 1e-6 for rival in rivals)
