from __future__ import annotations

from sennit.runtime.clock import SystemClock
from sennit.runtime.ids import Ids
from sennit_protocol.ids import IdKind


def test_an_id_is_made_of_the_randomness_that_is_given() -> None:
    assert Ids(lambda _: 0).new(IdKind.TICKET) == "t_aaaaaaaaaa"


def test_ids_differ() -> None:
    ids = Ids()
    assert len({ids.new(IdKind.RUN) for _ in range(1000)}) == 1000
    assert ids.seed() != ids.seed()


def test_the_clocks_go_forward() -> None:
    clock = SystemClock()
    assert clock.now_ms() > 1_700_000_000_000
    assert clock.monotonic() <= clock.monotonic()
