from __future__ import annotations

from attrs import evolve

from sennit.core.operation import canonical_request, request_hash
from sennit_protocol.states import Offer
from sennit_protocol.tasks import DispatchParams, Task

CALL = DispatchParams(tasks=(Task(id="a", prompt="pröbe \ud800"),), operation_id="one")


def test_how_the_answer_is_waited_for_is_no_other_request() -> None:
    again = evolve(CALL, operation_id="two", wait=True, work_done_token=1, partial_result_token=2)
    assert request_hash(again) == request_hash(CALL)


def test_everything_else_makes_another_request() -> None:
    others = (
        evolve(CALL, brief="x"),
        evolve(CALL, label="x"),
        evolve(CALL, offer=Offer.MANUAL),
        evolve(CALL, max_concurrent=1),
        evolve(CALL, tasks=(*CALL.tasks, Task(id="b", prompt="x"))),
        evolve(CALL, tasks=(Task(id="a", prompt="x"),)),
    )
    assert len({request_hash(each) for each in (CALL, *others)}) == len(others) + 1


def test_the_canonical_form_is_sorted_ascii_without_nulls() -> None:
    assert canonical_request(CALL) == (
        '{"defaults":{},"tasks":[{"attach":[],"depends_on":[],"id":"a",'
        '"prompt":"pr\\u00f6be \\ud800"}]}'
    )
