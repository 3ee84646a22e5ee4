"""The first command of a session, which knows as much as any later one."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from attrs import frozen

from tests.editors.neovim.neovim import Neovim
from tests.editors.neovim.scene import Scene, done, proposals, sed


@frozen
class Kept:
    """What an earlier session has left: two tickets that have ended."""

    scene: Scene
    tickets: tuple[str, str]
    proposal: str


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kept]:
    scene = Scene(tmp_path_factory.mktemp("machine"))
    scene.write("a.txt", "one\n")
    scene.commit()
    editor = scene.start()
    tickets = (done(editor, "true"), done(editor, sed("s/one/ONE/", "a.txt")))
    (proposal,) = proposals(editor, tickets[1])
    editor.close()
    yield Kept(scene, tickets, proposal["id"])
    scene.close()


@pytest.fixture
def editor(kept: Kept) -> Iterator[Neovim]:
    started = kept.scene.start()
    yield started
    started.close()


@pytest.mark.parametrize("command", ["details", "follow", "materialise"])
def test_tasks_that_have_ended_can_be_chosen(editor: Neovim, command: str) -> None:
    editor.sennit(command)
    asked = editor.until(editor.asked, "a question")
    assert [one.split("  ")[:2] for one in asked[0]["items"]] == [["task-1", "completed"]] * 2
    assert editor.notices() == []


@pytest.mark.parametrize("command", ["drop", "output"])
def test_tickets_that_have_ended_can_be_chosen(kept: Kept, editor: Neovim, command: str) -> None:
    editor.sennit(command)
    asked = editor.until(editor.asked, "a question")
    assert {one.split("  ")[0] for one in asked[0]["items"]} == set(kept.tickets)
    assert editor.notices() == []


def test_a_proposal_can_be_named(kept: Kept, editor: Neovim) -> None:
    editor.sennit(f"apply {kept.proposal}")
    editor.until_notice("Nothing was applied", "accepted")
    editor.sennit(f"follow {kept.proposal} true")
    editor.until_notice("task-1 is followed up as")


def test_nothing_to_choose_is_said_once_the_server_was_asked(kept: Kept, editor: Neovim) -> None:
    editor.sennit("cancel")
    editor.until_notice("nothing is running")
    known = editor.lua("return vim.tbl_keys(require('sennit.state').known.tickets)")
    assert set(kept.tickets) <= set(known)
