"""What is said to an agent, what it answers, and what becomes of the conversation."""

from __future__ import annotations

import json

import anyio
import pytest

from sennit.adapters.agents.acp.script import text_block
from sennit.core.agent_events import Failed, Finished, SessionOpened, UsageTotal, Warned
from sennit_protocol.states import FailureKind, Phase
from tests.adapters.agents.acp.conftest import Table

pytestmark = pytest.mark.anyio


async def test_a_turn_ends_with_its_reason_usage_and_session(table: Table) -> None:
    talk = await table.whole("say hello\nwrite a.txt hi")
    assert (talk.text, talk.finished) == ("hello\n", "end_turn")
    assert (table.folder / "a.txt").read_text() == "hi\n"
    assert talk.of(SessionOpened)[0].session.startswith("s-")
    [usage] = talk.of(UsageTotal)
    assert (usage.usage.input, usage.usage.output) == (10, 20)
    assert talk.openings
    assert not talk.of(Failed)


async def test_an_unknown_stop_reason_is_told_as_it_is(table: Table) -> None:
    assert (await table.whole("stop for_lunch")).finished == "for_lunch"


@pytest.mark.parametrize(
    ("reason", "kind"),
    [("refusal", FailureKind.REFUSED), ("max_tokens", FailureKind.LIMIT),
     ("max_turn_requests", FailureKind.LIMIT), ("cancelled", FailureKind.PROTOCOL)],
)  # fmt: skip
async def test_a_turn_that_stops_short_has_failed(
    table: Table, reason: str, kind: FailureKind
) -> None:
    assert (await table.whole(f"stop {reason}")).failed.kind is kind


async def test_a_newer_version_is_refused_with_both_named(table: Table) -> None:
    failed = (await table.whole("say x", "future")).failed
    assert failed.kind is FailureKind.PROTOCOL
    assert "version 7" in failed.text
    assert "version 1" in failed.text


async def test_no_version_is_the_first(table: Table) -> None:
    assert (await table.whole("say x", "no-version")).text == "x\n"


@pytest.mark.parametrize(
    ("habit", "step"), [("silent", "initialize"), ("slow-session", "session/new")]
)
async def test_a_step_without_an_answer_is_named(table: Table, habit: str, step: str) -> None:
    failed = (await table.whole("say x", habit, start_s=1.0)).failed
    assert (failed.kind, failed.phase) == (FailureKind.TIMEOUT, Phase.STARTING)
    assert f"`{step}`" in failed.text


async def test_one_that_is_not_signed_in_tells_its_ways_in(table: Table) -> None:
    failed = (await table.whole("say x", "signed-out")).failed
    assert failed.kind is FailureKind.NOT_SIGNED_IN
    assert "Sign in with a browser (`browser`)" in failed.text


async def test_the_way_to_sign_in_that_was_chosen_is_used(table: Table) -> None:
    assert (await table.whole("say x", "signed-out", sign_in="key")).text == "x\n"


@pytest.mark.parametrize(
    ("way", "kind", "words"),
    [("browser", FailureKind.NOT_SIGNED_IN, "There is no browser"),
     ("letter", FailureKind.SELECTION, "no way to sign in that it calls 'letter'")],
)  # fmt: skip
async def test_a_way_to_sign_in_that_fails_or_is_not_offered_names_those_that_are(
    table: Table, way: str, kind: FailureKind, words: str
) -> None:
    failed = (await table.whole("say x", "signed-out", sign_in=way)).failed
    assert failed.kind is kind
    assert words in failed.text
    assert "Use a key (`key`)" in failed.text


@pytest.mark.parametrize("habits", [(), ("resumes",), ("resumes-badly",)], ids=str)
async def test_a_session_is_gone_on_with_by_the_way_that_works_without_its_old_story(
    table: Table, habits: tuple[str, ...]
) -> None:
    first = await table.whole("say one")
    session = first.of(SessionOpened)[0].session
    table.executor._runs.clear()
    (table.executor.runs_folder / "r-1").rename(table.executor.runs_folder / "r-0")
    anew = (text_block("say anew"),)
    second = await table.whole("say two", *habits, resume=session, anew=anew)
    assert second.text == "two\n"
    assert second.of(SessionOpened) == [SessionOpened(session, resumed=True)]
    said = (table.home / ".peer" / session).read_text().splitlines()
    assert [json.loads(line) for line in said] == [["say one"], ["say two"]]


async def test_a_session_that_is_gone_begins_anew_with_a_warning(table: Table) -> None:
    talk = await table.whole("say x", resume="s-none", anew=(text_block("say what was before"),))
    assert (talk.text, talk.finished) == ("what was before\n", "end_turn")
    assert not talk.of(SessionOpened)[0].resumed
    assert any("no such session" in event.text for event in talk.of(Warned))


async def test_a_mode_that_is_offered_is_set_and_another_is_warned_of(table: Table) -> None:
    talk = await table.whole("say x", mode="edit", model="large")
    assert (table.home / ".peer" / "mode").read_text() == "edit"
    [warned] = talk.of(Warned)
    assert "'large'" in warned.text


async def test_a_cancel_ends_the_turn_and_fails_nothing(table: Table) -> None:
    async with table.begun("at here") as talk:
        await talk.until("here.at")
        await talk.conversation.cancel()
    assert talk.finished == "cancelled"
    assert not talk.of(Failed)


@pytest.mark.parametrize("habit", ["silent", "slow-session"])
async def test_a_cancel_before_the_session_is_over_at_once(table: Table, habit: str) -> None:
    async with table.begun("write a.txt hi", habit) as talk:
        await anyio.lowlevel.checkpoint()
        await talk.conversation.cancel()
        assert talk.openings
    assert not talk.of(Finished)
    assert not (table.folder / "a.txt").exists()


async def test_words_that_are_said_during_a_turn_are_a_turn_after_it(table: Table) -> None:
    async with table.begun("at here\nsay one") as talk:
        await talk.until("here.at")
        assert talk.conversation.steer("say two")
        assert talk.conversation.steer("say three")
        (table.folder / "here.go").touch()
    assert talk.text == "one\ntwo\nthree\n"
    assert not talk.conversation.steer("say four")


async def test_an_interrupted_turn_waits_for_words(table: Table) -> None:
    async with table.begun("at here\nsay never") as talk:
        await talk.until("here.at")
        assert await talk.conversation.interrupt()
        assert talk.conversation.steer("say two")
    assert (talk.text, talk.finished) == ("two\n", "end_turn")


async def test_one_that_dies_while_it_waits_for_words_has_failed(table: Table) -> None:
    async with table.begun("at here") as talk:
        await talk.until("here.at")
        assert await talk.conversation.interrupt()
        with anyio.fail_after(30):
            while not talk.of(Finished):  # noqa: ASYNC110  told by nobody else
                await anyio.sleep(0.01)
        await talk.executor.stop("r-1", force=True)
    assert talk.failed.kind is FailureKind.PROTOCOL


async def test_a_cancel_while_it_waits_for_words_ends_it(table: Table) -> None:
    async with table.begun("at here") as talk:
        await talk.until("here.at")
        assert await talk.conversation.interrupt()
        await talk.conversation.cancel()
    assert not talk.of(Failed)
