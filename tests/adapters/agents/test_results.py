"""Results are checked by a real process of their own, which ends whatever they are."""

from __future__ import annotations

import json

import anyio
import pytest

from sennit.adapters.agents.results import result_of
from sennit.core.agent_events import MessageSaid
from sennit.core.agent_report import LONGEST_TEXT, Report, take
from sennit.core.structured import Fitting, Unfitting

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(120)]
SCHEMA = json.dumps({"type": "object", "required": ["a"], "properties": {"a": {"type": "integer"}}})


def said(text: str) -> Report:
    return take(Report(), MessageSaid(text))


async def test_a_result_that_fits_is_given_and_another_told() -> None:
    assert await result_of(said('```json\n{"a": 1}\n```'), SCHEMA) == Fitting('{"a": 1}')
    found = await result_of(said('{"a": "x", "b": "😀"}'), SCHEMA)
    assert found == Unfitting("$.a: 'x' is not of type 'integer'")
    assert isinstance(await result_of(said("no JSON"), SCHEMA), Unfitting)


async def test_a_pattern_that_takes_for_ever_holds_nobody_up() -> None:
    schema = json.dumps({"pattern": "^(a+)+$"})
    answered = 0
    async with anyio.create_task_group() as group:

        async def answer() -> None:
            nonlocal answered
            while True:
                await anyio.sleep(0.01)
                answered += 1

        group.start_soon(answer)
        found = await result_of(said(json.dumps("a" * 40 + "!")), schema, seconds=1)
        group.cancel_scope.cancel()
    assert isinstance(found, Unfitting)
    assert "could not be checked within" in found.why
    assert answered > 10


async def test_what_is_too_large_to_be_checked_is_told() -> None:
    schema = json.dumps({"items": {"$ref": "#"}})
    nested = "[" * 100 + "]" * 100
    for _ in range(200):
        schema = f'{{"allOf":[{schema}]}}'
    found = await result_of(said(nested), schema)
    assert isinstance(found, Unfitting)
    assert "too large, or nested too deeply" in found.why


async def test_a_result_that_is_longer_than_what_is_kept_is_told_as_such() -> None:
    found = await result_of(said(json.dumps("x" * (3 * LONGEST_TEXT))), SCHEMA)
    assert isinstance(found, Unfitting)
    assert "is no JSON" in found.why
    assert f"only the last {LONGEST_TEXT} characters are kept" in found.why
