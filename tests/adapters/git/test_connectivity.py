"""Objects that kept work needs are looked for within a time."""

from __future__ import annotations

import pytest

from sennit.adapters.git.connectivity import Looked, Work, look_at_works
from sennit.adapters.git.git import Git
from sennit.adapters.git.store import Store
from sennit.core.objects import GitFailed
from tests.adapters.git.bench import Bench

pytestmark = pytest.mark.anyio

PLENTY = 60.0


async def made(bench: Bench) -> tuple[Store, Work, Work]:
    """A store with two bases, each with what was not committed then."""
    found = []
    for name in ("one", "two"):
        bench.tree.write(name, f"{name}\n")
        base = await bench.snapshot()
        found.append(Work(name, base.commit, base.commit))
    return await bench.store(), found[0], found[1]


async def looked(git: Git, store: Store, *works: Work, seconds: float = PLENTY) -> Looked:
    answer = await look_at_works(git, store, works, seconds, lambda _: None)
    assert not isinstance(answer, GitFailed), answer
    return answer


async def test_what_is_whole_is_not_damaged(bench: Bench) -> None:
    store, one, two = await made(bench)
    assert await looked(bench.git, store, one, two) == Looked()


async def test_only_the_work_that_needs_what_is_gone_is_told(bench: Bench) -> None:
    store, one, two = await made(bench)
    lost = bench.tree.git("hash-object", "two").decode().strip()
    (store.objects / lost[:2] / lost[2:]).unlink()
    found = await looked(bench.git, store, one, two)
    assert found.damaged.keys() == {"two"}
    assert lost in found.damaged["two"]


async def test_without_time_nothing_is_said_to_be_damaged(bench: Bench) -> None:
    store, one, two = await made(bench)
    found = await looked(bench.git, store, one, two, seconds=-1.0)
    assert (found.damaged, found.unlooked) == ({}, ())
    assert found.unread > 0
    (store.objects / one.commit[:2] / one.commit[2:]).unlink()
    found = await looked(bench.git, store, one, two, seconds=-1.0)
    assert (found.damaged, found.unlooked) == ({}, ("one", "two"))
