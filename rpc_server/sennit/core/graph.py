"""Graphs of needs: who comes before whom, who is ready, and which tasks wait for each other.

A graph is a mapping from each node to the nodes that it needs; its order is the order of the
tasks. Needs that are no node of the graph are left out of account: validation reports them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from heapq import heapify, heappop, heappush

from attrs import frozen

Needs = Mapping[str, Sequence[str]]


@frozen
class Cyclic:
    """The graph has no order. Each cycle begins with its first node in the order of the graph."""

    cycles: tuple[tuple[str, ...], ...]


def topological_order(needs: Needs) -> tuple[str, ...] | Cyclic:
    """Order the nodes so that each comes after what it needs, else in the order of the graph."""
    place = {node: index for index, node in enumerate(needs)}
    nodes = tuple(needs)
    open_needs = {node: len(_known(needs, node)) for node in needs}
    needed_by = _reversed(needs)
    free = [place[node] for node, count in open_needs.items() if count == 0]
    heapify(free)
    ordered: list[str] = []
    while free:
        node = nodes[heappop(free)]
        ordered.append(node)
        for dependent in needed_by[node]:
            open_needs[dependent] -= 1
            if open_needs[dependent] == 0:
                heappush(free, place[dependent])
    return tuple(ordered) if len(ordered) == len(nodes) else Cyclic(cycles(needs))


def cycles(needs: Needs) -> tuple[tuple[str, ...], ...]:
    """Name cycles so that breaking each of them leaves none; every cycle is named once.

    A walk in the order of the graph gives one cycle for every step back to a node on the way, so
    that there are never more cycles than needs, and always the same ones. ``(a, b)`` says that a
    needs b and b needs a.
    """
    place = {node: index for index, node in enumerate(needs)}
    done: set[str] = set()
    found: dict[tuple[str, ...], None] = {}
    for start in needs:
        for cycle in _cycles_from(start, needs, done):
            first = min(range(len(cycle)), key=lambda index: place[cycle[index]])
            found[cycle[first:] + cycle[:first]] = None
    return tuple(sorted(found, key=lambda cycle: [place[node] for node in cycle]))


def ready(needs: Needs, *, done: Collection[str], begun: Collection[str]) -> tuple[str, ...]:
    """Name the nodes that have not begun and whose needs are all done, in the graph's order."""
    return tuple(
        node
        for node in needs
        if node not in begun and node not in done and all(need in done for need in needs[node])
    )


def ancestors(needs: Needs, node: str) -> frozenset[str]:
    """Name everything that the node needs, however far away, without the node itself."""
    return _reachable(needs, node)


def descendants(needs: Needs, node: str) -> frozenset[str]:
    """Name everything that needs the node, however far away, without the node itself."""
    return _reachable(_reversed(needs), node)


def _known(needs: Needs, node: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(need for need in needs[node] if need in needs))


def _reversed(needs: Needs) -> dict[str, list[str]]:
    turned: dict[str, list[str]] = {node: [] for node in needs}
    for node in needs:
        for need in _known(needs, node):
            turned[need].append(node)
    return turned


def _cycles_from(start: str, needs: Needs, done: set[str]) -> Iterator[tuple[str, ...]]:
    """Walk from ``start`` without recursion; ``done`` grows by every node that was left behind."""
    if start in done:
        return
    path, on_path = [start], {start}
    branches = [iter(_known(needs, start))]
    while branches:
        following = next(branches[-1], None)
        if following is None:
            branches.pop()
            left = path.pop()
            on_path.remove(left)
            done.add(left)
        elif following in on_path:
            yield tuple(path[path.index(following) :])
        elif following not in done:
            path.append(following)
            on_path.add(following)
            branches.append(iter(_known(needs, following)))


def _reachable(edges: Mapping[str, Sequence[str]], start: str) -> frozenset[str]:
    found: set[str] = set()
    open_ends = list(edges.get(start, ()))
    while open_ends:
        node = open_ends.pop()
        if node not in found:
            found.add(node)
            open_ends.extend(edges.get(node, ()))
    return frozenset(found - {start})
