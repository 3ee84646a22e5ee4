"""An agent that is spoken with; work that is revised by a follow-up; a conflict that is settled."""

from __future__ import annotations

import re

import pytest

from tests.editors.neovim.neovim import Neovim
from tests.editors.neovim.scene import (
    LINES,
    Scene,
    accept_all,
    applied,
    dispatch,
    done,
    on_panel,
    panel,
    proposals,
    review,
    sed,
    settled,
    until_panel,
)
from tests.editors.neovim.shared import Shared, furnish


@pytest.fixture
def scene(shared: Shared) -> Scene:
    return shared.scene


@pytest.fixture
def editor(shared: Shared, scene: Scene) -> Neovim:
    scene.write("a.txt", "one\n")
    scene.write("clash.txt", LINES)
    scene.commit()
    return shared.editor


def _begun(editor: Neovim, name: str, prompt: str) -> str:
    return dispatch(editor, [{"id": name, "agent": "peer", "prompt": prompt}], label=name)


def _until_waiting(editor: Neovim, ticket: str, name: str, what: str) -> None:
    editor.until_lua(
        "local ticket, name, what = ...;"
        " local task = (require('sennit.state').known.tasks[ticket] or {})[name];"
        " return task and task.waitingFor == what",
        ticket, name, what,
    )  # fmt: skip


def _files(editor: Neovim, ticket: str) -> dict[str, str]:
    """What a ticket proposes, by the names of the files."""
    (one,) = proposals(editor, ticket)
    view = editor.ask("sennit/proposal", {"proposal": one["id"]})
    texts = {file["path"]: {"uri": file["proposedUri"]} for file in view["files"]}
    return {path: editor.ask("sennit/content", uri)["text"] for path, uri in texts.items()}


def _text_with(editor: Neovim, part: str) -> str | None:
    """The text of the current buffer, once it holds a part."""
    text = "\n".join(editor.lines())
    return text if part in text else None


def test_an_agent_is_interrupted_waits_and_goes_on_with_what_it_is_told(
    scene: Scene, editor: Neovim
) -> None:
    place = scene.root / "here"
    ticket = _begun(editor, "talker", f"write first 1\nat {place}")
    editor.until(place.with_name("here.at").exists, "the agent")
    editor.sennit("interrupt")
    editor.until_notice("talker is interrupted")
    _until_waiting(editor, ticket, "talker", "user")
    editor.sennit("tickets")
    editor.until(lambda: "waits for what you say" in "".join(editor.lines()), "the panel")
    editor.sennit("tickets")
    editor.lua("vim.ui.input = function(options, done) done('write second 2') end")
    editor.sennit("steer")
    editor.until_notice("talker was told")
    assert settled(editor, ticket) == "completed"
    assert _files(editor, ticket) == {"first": "1\n", "second": "2\n"}
    editor.sennit(f"steer {ticket} talker too late")
    editor.until_notice("talker was not told", "You wrote: too late")
    editor.sennit(f"details {ticket} talker")
    text = editor.until(lambda: _text_with(editor, "sandbox: none (off)"), "the details")
    assert "write first 1" in text
    assert "is told: write second 2" in text
    editor.command("close")


def test_what_is_said_in_the_middle_of_a_turn_is_queued(scene: Scene, editor: Neovim) -> None:
    place = scene.root / "queue"
    ticket = _begun(editor, "busy", f"at {place}")
    editor.until(place.with_name("queue.at").exists, "the agent")
    editor.sennit("steer write late 3")
    editor.until_notice("busy is told as soon as its turn has ended")
    place.with_name("queue.go").touch()
    assert settled(editor, ticket) == "completed"
    assert _files(editor, ticket) == {"late": "3\n"}


def test_two_permissions_at_once_are_asked_one_after_the_other(editor: Neovim) -> None:
    editor.choose("Allow once", "Reject")
    ticket = _begun(editor, "twice", "both both.txt")
    assert settled(editor, ticket) == "completed"
    assert set(_files(editor, ticket)["both.txt"].split()) == {"yes", "no"}
    first, second = editor.asked()
    assert first["items"] == second["items"] == ["Allow once", "Reject"]
    assert "wants to" in first["prompt"]


def test_an_answer_that_comes_too_late_is_said_to_be_so(editor: Neovim) -> None:
    editor.lua(
        "_G.former = vim.ui.select; vim.ui.select = function(_, _, done) _G.choose_now = done end"
    )
    ticket = _begun(editor, "late", "permit fetch late.txt page")
    _until_waiting(editor, ticket, "late", "permission")
    editor.until_lua("return _G.choose_now ~= nil")
    editor.sennit(f"answer {ticket} late Reject")
    assert settled(editor, ticket) == "completed"
    editor.lua("_G.choose_now('Allow once', 1); vim.ui.select = _G.former")
    editor.until_notice("“Allow once” was not given")
    assert _files(editor, ticket) == {"late.txt": "no\n"}


def test_a_follow_up_is_the_next_revision_with_the_decisions_that_still_fit(
    editor: Neovim,
) -> None:
    first = _begun(editor, "grown", "write one 1")
    settled(editor, first)
    accept_all(editor, first)
    (proposal,) = proposals(editor, first)
    editor.until(lambda: proposals(editor, first)[0]["review"] == "accepted", "the decision")
    editor.sennit("close")
    editor.sennit(f"follow {first} grown write two 2")
    told = editor.until_notice("grown is followed up as")
    second = next(word for word in told.split() if word.startswith("t_"))
    assert settled(editor, second) == "completed"
    assert _files(editor, second) == {"one": "1\n", "two": "2\n"}
    review(editor, second)
    assert "   revision 2, 1 of 2 changes decided as before" in panel(editor)
    editor.sennit("close")
    editor.sennit(f"since {proposal['id']}")
    editor.until(lambda: any("two" in line for line in editor.lines()), "the difference")
    assert not any("/one" in line for line in editor.lines())
    editor.command("close")
    editor.sennit(f"follow {first} grown again")
    editor.until_notice("was not followed up", f":Sennit follow {second} grown")


def test_lines_that_are_selected_in_a_review_go_along_with_a_follow_up_of_its_proposal(
    editor: Neovim,
) -> None:
    settled(editor, _begun(editor, "other", "write other.txt beta"))
    first = _begun(editor, "marked", "write one.txt alpha")
    settled(editor, first)
    review(editor, first)
    editor.lua("vim.api.nvim_set_current_win(require('sennit.ui.review').get().proposed_window)")
    # No task is named: it is that of the proposal in the review.
    editor.sennit("materialise")
    told = editor.until_notice("the work of marked is in")
    folder = told.split(" is in ")[1].removesuffix(", a copy.")
    editor.until_lua("return #vim.api.nvim_list_tabpages() == 3")
    assert editor.lua("return vim.fn.readfile(... .. '/one.txt')", folder) == ["alpha"]
    editor.command("tabclose")
    editor.command("1,1Sennit follow write two.txt 2")
    second = next(
        word for word in editor.until_notice("marked is followed up as").split()
        if word.startswith("t_")
    )  # fmt: skip
    assert settled(editor, second) == "completed"
    prompt = editor.ask("sennit/run", {"ticket": second, "task": "marked"})["prompt"]
    assert re.search("Lines 1 to 1 of .*one.txt:\n```+\nalpha", prompt), prompt


def _settle(editor: Neovim, line: str, *choices: str) -> None:
    """Press the key on a line of the panel, and answer so."""
    until_panel(editor, line)
    editor.forget_notices()
    editor.choose(*choices)
    on_panel(editor, [one.strip() for one in panel(editor)].index(line) + 1)
    editor.type("c")


def test_the_agents_own_text_of_a_settled_file_is_shown_from_the_panel_and_by_its_command(
    scene: Scene, editor: Neovim
) -> None:
    editor.edit(scene.path("clash.txt"))
    ticket = done(editor, sed("3s/.*/THREE/", "clash.txt"), sed("4s/.*/FOUR/", "clash.txt"))
    review(editor, ticket)
    _settle(editor, "! clash.txt (content) with task-1", "suggestion (likely)", "take it")
    editor.until_notice("clash.txt is settled", "no conflict left")
    _settle(editor, "= clash.txt settled: by", "show what the agent itself")
    shown = "return vim.wo.diff and vim.wo.winbar:match('^what the agent left') ~= nil"
    editor.until_lua(shown)
    assert editor.lines() == LINES.replace("four", "FOUR").splitlines()
    editor.command("tabclose")
    editor.sennit("agent-text")
    editor.until_lua(shown)
    editor.type("q")
    editor.until_lua("return #vim.api.nvim_tabpage_list_wins(0) == 3")


def test_a_conflict_is_settled_by_a_suggestion_taken_back_and_settled_by_a_text(
    scene: Scene, editor: Neovim
) -> None:
    path = scene.path("clash.txt")
    editor.edit(path)
    ticket = done(editor, sed("3s/.*/THREE/", "clash.txt"), sed("4s/.*/FOUR/", "clash.txt"))
    review(editor, ticket)
    conflict = "! clash.txt (content) with task-1"
    _settle(editor, conflict, "suggestion (likely)", "take it")
    editor.until_notice("clash.txt is settled", "no conflict left")
    _settle(editor, "= clash.txt settled: by", "take the resolution back")
    editor.until_notice("is in conflict")
    _settle(editor, conflict, "edit")
    editor.until_lua("return vim.api.nvim_buf_get_name(0):match('^sennit://resolve/')")
    assert editor.lines()[2:9] == [
        "<<<<<<< what is there", "THREE", "four", "=======", "three", "FOUR",
        ">>>>>>> what is proposed",
    ]  # fmt: skip
    editor.command("write")
    editor.until_notice("still holds marks")
    editor.lua("vim.api.nvim_buf_set_lines(0, 2, 9, true, { 'three and four' })")
    editor.command("write")
    editor.until_notice("clash.txt is settled", "no conflict left")
    editor.until_lua("return not vim.bo.modified")
    editor.command("close")
    editor.sennit("accept all")
    assert applied(editor)["state"] == "applied"
    assert editor.text(path) == LINES.replace("three\nfour", "three and four")
    editor.sennit("close")


def test_a_role_finds_its_agent_and_what_cannot_be_used_is_shown_with_the_reason(
    editor: Neovim,
) -> None:
    editor.choose("role scripted")
    editor.sennit("dispatch budget=20turns write role 4")
    [ticket] = re.findall(r"t_\w+", editor.until_notice("1 task begun"))
    (asked,) = editor.asked()
    names = [item.split(":")[0].split(" (")[0] for item in asked["items"]]
    # Whoever runs the tests may have other agents installed.
    ours = [name for name in names if name in {"command", "peer", "role scripted", "broken"}]
    assert ours == ["command", "peer", "role scripted", "broken"]
    assert "not usable: " in asked["items"][names.index("broken")]
    assert settled(editor, ticket) == "completed"
    (task,) = editor.ask("sennit/ticket", {"ticket": ticket})["tasks"]
    assert task["agent"] == "peer"


def test_a_question_of_an_editor_that_was_closed_ends_and_its_work_is_kept(own: Scene) -> None:
    furnish(own)
    own.commit()
    other = own.start("vim.g.sennit = { trusted = true, ask = 'notify' }")
    ticket = _begun(other, "left", "write kept 5\npermit fetch left.txt page")
    _until_waiting(other, ticket, "left", "permission")
    other.close()
    again = own.start()

    def is_interrupted() -> bool:
        return bool(again.ask("sennit/ticket", {"ticket": ticket})["state"] == "interrupted")

    again.until(is_interrupted, "the end of the task")
    assert [one["integration"] for one in proposals(again, ticket)] == ["retained"]
    again.sennit(f"answer {ticket} left Reject")
    again.until_notice("no question waits for an answer")
