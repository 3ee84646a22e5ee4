from __future__ import annotations

from sennit.cli.phases import how_it_ended
from sennit_protocol.states import TicketState


def test_how_a_ticket_ended_is_told_in_words() -> None:
    said = {state: how_it_ended(state) for state in TicketState}
    assert said[TicketState.FAILED] == "has failed"
    assert said[TicketState.COMPLETED] == "is completed"
    assert len(set(said.values())) == len(TicketState)
