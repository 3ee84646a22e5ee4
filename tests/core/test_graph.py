from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sennit.core.graph import Cyclic, ancestors, cycles, descendants, ready, topological_order

NODES = [f"n{index}" for index in range(8)]


@st.composite
def graphs(draw: st.DrawFn) -> dict[str, tuple[str, ...]]:
    nodes = draw(st.permutations(NODES).map(lambda all_of: all_of[:6]))
    return {node: tuple(draw(st.lists(st.sampled_from(NODES), max_size=3))) for node in nodes}


def test_the_order_of_the_tasks_stays_where_needs_allow_it() -> None:
    assert topological_order({"c": (), "a": (), "b": ()}) == ("c", "a", "b")
    assert topological_order({"a": ("c",), "b": (), "c": ()}) == ("b", "c", "a")


def test_unknown_needs_are_left_out_of_account() -> None:
    assert topological_order({"a": ("nobody",)}) == ("a",)


def test_a_cycle_begins_with_its_first_task_and_is_named_once() -> None:
    graph = {"x": ("z",), "y": ("x",), "z": ("y",), "free": ()}
    assert topological_order(graph) == Cyclic((("x", "z", "y"),))


def test_separate_cycles_are_all_named_in_task_order() -> None:
    graph = {"a": ("b",), "b": ("a",), "c": ("c",), "d": ("e",), "e": ("d",)}
    assert cycles(graph) == (("a", "b"), ("c",), ("d", "e"))


def test_a_long_chain_needs_no_recursion() -> None:
    graph = {str(index): (str(index + 1),) for index in range(5_000)}
    assert not isinstance(topological_order(graph), Cyclic)
    loop = {**graph, "5000": ("0",)}
    assert len(cycles(loop)[0]) == 5_001


@given(graphs())
def test_every_node_comes_after_its_needs_or_there_is_a_cycle(
    graph: dict[str, tuple[str, ...]],
) -> None:
    order = topological_order(graph)
    if isinstance(order, Cyclic):
        assert order.cycles
        return
    assert sorted(order) == sorted(graph)
    for node, needs in graph.items():
        for need in needs:
            if need in graph:
                assert order.index(need) < order.index(node)


@given(graphs())
def test_cycles_are_real_distinct_and_breaking_them_leaves_none(
    graph: dict[str, tuple[str, ...]],
) -> None:
    found = cycles(graph)
    assert len(set(found)) == len(found)
    for cycle in found:
        assert len(set(cycle)) == len(cycle)
        for one, following in zip(cycle, (*cycle[1:], cycle[0]), strict=True):
            assert following in graph[one]
    # One step of each cycle is a step back; without those no cycle is left.
    broken = {node: list(needs) for node, needs in graph.items()}
    for _ in range(100):
        left = cycles({node: tuple(needs) for node, needs in broken.items()})
        if not left:
            return
        for cycle in left:
            follower = cycle[1] if len(cycle) > 1 else cycle[0]
            broken[cycle[0]] = [need for need in broken[cycle[0]] if need != follower]
    raise AssertionError(f"cycles that cannot be broken: {graph}")


@given(graphs(), st.sampled_from(NODES), st.sampled_from(NODES))
def test_ancestors_and_descendants_are_two_views_of_one_thing(
    graph: dict[str, tuple[str, ...]], one: str, other: str
) -> None:
    if one in graph and other in graph:
        assert (other in ancestors(graph, one)) == (one in descendants(graph, other))


def test_a_task_is_ready_when_all_it_needs_is_done_and_it_has_not_begun() -> None:
    graph = {"a": (), "b": ("a",), "c": ("a", "b"), "d": ()}
    assert ready(graph, done=(), begun=()) == ("a", "d")
    assert ready(graph, done={"a"}, begun={"d"}) == ("b",)
    assert ready(graph, done={"a", "b"}, begun={"c"}) == ("d",)
