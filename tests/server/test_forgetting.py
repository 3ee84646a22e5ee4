from __future__ import annotations

import pytest

from sennit.core.engine.rows import RunRow, TicketRow
from sennit.core.engine.step_values import Change, Delete, Put
from sennit.core.objects import OpenDocument
from sennit.server.forgetting import forget
from sennit.server.services import SeenAtDispatch
from sennit_protocol.ids import TicketId
from sennit_protocol.states import FINAL_TICKET_STATES, Offer, TicketState
from tests.core.engine.builders import HERE, TICKET

OTHER = TicketId("t_other")


def seen() -> dict[TicketId, SeenAtDispatch]:
    document = OpenDocument(b"/repo/a", 1, "text")
    held = SeenAtDispatch({b"/repo/a": document}, {"fixer": {"A": "b"}}, {})
    return {TICKET: held, OTHER: held}


def now(state: TicketState) -> Change:
    row = TicketRow(
        TICKET, state, HERE, created_at=0, tasks=("one",), offer=Offer.MANUAL, ask_deadline_ms=1
    )
    return Put(row)


@pytest.mark.parametrize("state", sorted(FINAL_TICKET_STATES))
def test_the_texts_of_a_settled_ticket_go_and_what_else_is_known_of_it_stays(
    state: TicketState,
) -> None:
    known = seen()
    forget(known, now(state))
    assert known[TICKET].documents == {}
    assert known[TICKET].environments == {"fixer": {"A": "b"}}
    assert known[OTHER] == seen()[OTHER]


@pytest.mark.parametrize("state", sorted(set(TicketState) - FINAL_TICKET_STATES))
def test_what_an_open_ticket_began_with_stays(state: TicketState) -> None:
    known = seen()
    forget(known, now(state))
    assert known == seen()


def test_of_a_dropped_ticket_nothing_stays() -> None:
    known = seen()
    forget(known, Delete(RunRow, TICKET))
    assert known == seen()
    for _ in range(2):
        forget(known, Delete(TicketRow, TICKET))
        assert known == {OTHER: seen()[OTHER]}
