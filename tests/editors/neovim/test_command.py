"""``:Sennit`` on the command line, and the selection that goes along."""

from __future__ import annotations

import pytest

from tests.editors.neovim.neovim import PLUGIN, Neovim
from tests.editors.neovim.scene import (
    Scene,
    accept_all,
    applied,
    done,
    new_ticket,
    sed,
    settled,
    tickets_known,
)
from tests.editors.neovim.shared import Shared

PYTHON = "def one():\n    return 1\n\n\ndef two():\n    return 2\n"


@pytest.fixture
def scene(shared: Shared) -> Scene:
    return shared.scene


@pytest.fixture
def editor(shared: Shared, scene: Scene) -> Neovim:
    scene.write("a.py", PYTHON)
    scene.commit()
    return shared.editor


@pytest.fixture
def other(scene: Scene) -> Scene:
    """Another repository of the same machine."""
    (scene.root / "other").mkdir()
    made = Scene(scene.root / "other")
    made.write("a.txt", "one\n")
    made.commit()
    return made


def _completed(editor: Neovim, line: str) -> list[str]:
    found: list[str] = editor.lua("return vim.fn.getcompletion(..., 'cmdline')", line)
    return found


def test_sub_commands_and_what_they_take_are_completed(editor: Neovim) -> None:
    ticket = done(editor, "true")
    assert _completed(editor, "Sennit ap") == ["apply"]
    assert len(_completed(editor, "Sennit ")) == 30
    assert _completed(editor, "Sennit accept ") == ["all", "file", "hunk", "proposal"]
    assert _completed(editor, "Sennit trust g") == ["grant"]
    assert ticket in _completed(editor, "Sennit review t_")
    assert _completed(editor, f"Sennit output {ticket} ") == ["task-1"]
    assert _completed(editor, "Sennit dispatch agent=com") == ["agent=command"]
    assert _completed(editor, "Sennit dispatch role=im") == ["role=implement"]
    editor.command(f"cd {editor.folder}")
    assert _completed(editor, "Sennit dispatch attach=a.") == ["attach=a.py"]
    assert _completed(editor, "Sennit follow ") == [ticket]
    assert _completed(editor, "Sennit cancel ") == []


def test_every_sub_command_says_what_it_does(editor: Neovim) -> None:
    silent = editor.lua(
        "return vim.tbl_filter(function(one) return (one.about or '') == '' end,"
        " vim.tbl_values(require('sennit.command').commands))"
    )
    assert silent == []


def test_an_unknown_sub_command_is_said_with_all_that_there_are(editor: Neovim) -> None:
    editor.sennit("nonsense")
    editor.until_notice("there is no `:Sennit nonsense`", "accept, agent-text, answer, apply")
    editor.sennit("dispatch budget=much true")
    editor.until_notice("nothing was dispatched: `much` is no part of a budget")
    editor.sennit("dispatch access=all true")
    editor.until_notice("nothing was dispatched: `access` is read or write, not `all`")
    editor.sennit("dispatch agnt=command true")
    editor.until_notice("there is no header `agnt`; the nearest is `agent`", ":Sennit dispatch")
    editor.sennit("dispatch label=both agent=command true")
    editor.until_notice("`label` can be said in a draft alone", ":Sennit dispatch")


def test_what_is_wrong_with_a_call_is_said_once_in_the_words_of_a_draft(editor: Neovim) -> None:
    dispatch = "require('sennit').dispatch(...)"
    editor.lua(dispatch, [{"agent": "nobody", "prompt": "x"}])
    told = editor.until_notice("Nothing was dispatched")
    assert told.count("names no agent") == 1
    assert "\n  `agent`: names no agent: 'nobody'" in told
    assert "tasks[" not in told
    editor.forget_notices()
    editor.lua(
        dispatch,
        [{"agent": "nobody", "prompt": "x"},
         {"agent": "command", "id": "last", "after": ["none"], "prompt": "x"}],
    )  # fmt: skip
    told = editor.until_notice("Nothing was dispatched")
    assert "\n  `agent` of task-1: names no agent" in told
    assert "\n  `after` of last: names no task of this call: 'none' (valid: task-1)" in told


def test_a_draft_says_what_counts_for_all_and_completes_what_headers_can_hold(
    editor: Neovim,
) -> None:
    before = tickets_known(editor)
    editor.sennit("dispatch")
    complete = "return require('sennit.completion').draft('', ...)"
    editor.until(lambda: "peer" in editor.lua(complete, "agent"), "the catalogue")
    assert editor.lua(complete, "conflict") == ["setAside", "follow"]
    assert "a.py" in editor.lua(complete, "attach")
    lines = [
        "label: both ways", "conflict: follow", "agent: peer", "---",
        "task: one", "", "write both.txt 1", "---",
        "task: other", "attach: a.py:1-2", "", "write both.txt 2",
    ]  # fmt: skip
    editor.lua("vim.api.nvim_buf_set_lines(0, 0, -1, true, ...); vim.cmd('write')", lines)
    editor.until_notice("2 tasks begun")
    ticket = new_ticket(editor, before)
    assert settled(editor, ticket) == "completed"
    view = editor.ask("sennit/ticket", {"ticket": ticket})
    assert view["label"] == "both ways"
    assert [task["id"] for task in view["tasks"]] == ["one", "other", "other-again"]
    run = editor.ask("sennit/run", {"ticket": ticket, "task": "other"})
    assert "def one" in run["prompt"]
    editor.sennit("tickets")
    editor.until(lambda: "done again as other-again" in "".join(editor.lines()), "the panel")
    editor.sennit("tickets")
    editor.sennit(f"details {ticket} one")
    text = editor.until(lambda: "\n".join(editor.lines()), "the details")
    editor.until(lambda: "workspace: " in "\n".join(editor.lines()), f"a workspace in {text}")


@pytest.mark.parametrize("command", ["accept", "apply", "next"])
def test_what_needs_a_review_says_so(editor: Neovim, command: str) -> None:
    editor.sennit(command)
    editor.until_notice("no review is open")


def test_a_selection_goes_along_with_the_prompt(scene: Scene, editor: Neovim) -> None:
    editor.edit(scene.path("a.py"))
    before = tickets_known(editor)
    editor.command("5,6Sennit dispatch agent=scribe Say three")
    editor.until_notice("1 task begun")
    ticket = new_ticket(editor, before)
    assert settled(editor, ticket) == "completed"
    text = editor.ask("sennit/content", {"uri": f"sennit://ticket/{ticket}/task/task-1/prompt"})
    assert text["text"] == (
        "Say three\n\nContext: lines 5 to 6 of a.py\n```\ndef two():\n    return 2\n```"
    )


def test_the_agent_that_runs_command_lines_takes_no_selection(scene: Scene, editor: Neovim) -> None:
    editor.edit(scene.path("a.py"))
    editor.command("1,2Sennit dispatch agent=command true")
    editor.until_notice("takes no selection")


def test_without_an_agent_the_user_chooses_one(editor: Neovim) -> None:
    editor.choose("scribe")
    editor.sennit("dispatch Say it")
    editor.until_notice("1 task begun")
    (asked,) = editor.asked()
    assert asked["prompt"] == "Which agent?"
    assert {one.split(":")[0] for one in asked["items"]} >= {"command", "scribe"}


def test_tickets_of_other_repositories_are_not_shown(
    scene: Scene, other: Scene, editor: Neovim
) -> None:
    mine = done(editor, "true")
    editor.edit(other.path("a.txt"))
    theirs = done(editor, "true")
    # As in a session that has just begun.
    editor.lua("require('sennit.state').forget()")
    editor.edit(scene.path("a.py"))
    editor.sennit("tickets")
    editor.until(lambda: mine in "".join(editor.lines()), "the ticket")
    assert theirs not in "".join(editor.lines())


def test_where_open_work_meets_is_shown_and_a_ticket_is_dropped_once_that_is_confirmed(
    editor: Neovim,
) -> None:
    ticket = done(editor, sed("s/return 1/return 9/", "a.py"), sed("s/return 1/return 8/", "a.py"))
    editor.sennit("overlaps")
    editor.until(lambda: len(editor.lines()) > 2, "the pair")
    _, _, pair, place = editor.lines()
    assert {word for word in pair.split() if "task-" in word} == {"task-1", "task-2"}
    assert place == "    a.py: the same lines, from 2"
    editor.command("close")
    editor.choose("Keep it")
    editor.sennit(f"drop {ticket}")
    asked = editor.until(editor.asked, "the question")
    assert [one["items"] for one in asked] == [[f"Drop {ticket} for good", "Keep it"]]
    assert ticket in editor.lua("return vim.tbl_keys(require('sennit.state').known.tickets)")
    editor.choose("Drop")
    editor.sennit(f"drop {ticket}")
    editor.until_notice(f"{ticket} was dropped")
    editor.until_lua("return next(require('sennit.state').known.tickets) == nil")


def test_no_key_is_mapped_unasked(editor: Neovim) -> None:
    maps = editor.lua(
        "return vim.tbl_filter(function(one) return (one.rhs or ''):find('Sennit') and"
        " not vim.startswith(one.lhs, '<Plug>') end, vim.api.nvim_get_keymap('n'))"
    )
    assert maps == []


def test_the_help_file_is_whole(editor: Neovim) -> None:
    editor.command(f"helptags {PLUGIN / 'doc'}")
    editor.command("help sennit")
    text = "\n".join(editor.lines())
    commands = editor.lua("return vim.tbl_keys(require('sennit.command').commands)")
    assert [name for name in commands if f":Sennit-{name}*" not in text] == []
    options = editor.lua("return vim.tbl_keys(require('sennit.config').defaults)")
    assert [name for name in options if f"`{name}`" not in text] == []


def test_outside_of_a_repository_nothing_is_dispatched_into_another(
    scene: Scene, editor: Neovim
) -> None:
    done(editor, "true")
    (scene.root / "plain").mkdir()
    editor.command(f"enew | cd {scene.root / 'plain'}")
    editor.forget_notices()
    editor.sennit("dispatch agent=command touch x")
    editor.until_notice("Nothing was dispatched", "git repository")
    assert "touch x" in editor.lines()


def test_undo_is_about_the_repository_where_the_user_is(
    scene: Scene, other: Scene, editor: Neovim
) -> None:
    editor.edit(scene.path("a.py"))
    accept_all(editor, done(editor, sed("s/return 1/return 9/", "a.py")))
    assert applied(editor)["state"] == "applied"
    editor.sennit("close")
    editor.until_lua("return #vim.api.nvim_list_tabpages() == 1")
    editor.edit(other.path("a.txt"))
    editor.forget_notices()
    editor.sennit("undo")
    editor.until_notice("nothing was applied here")
    editor.sennit("undo!")
    editor.until_notice("no edit of Sennit was applied here")
    assert "return 9" in (editor.text(scene.path("a.py")) or "")


def test_an_open_review_applies_by_its_own_server(
    scene: Scene, other: Scene, editor: Neovim
) -> None:
    editor.edit(scene.path("a.py"))
    accept_all(editor, done(editor, sed("s/return 1/return 9/", "a.py")))
    editor.command(f"tabedit {other.path('a.txt')}")
    assert applied(editor)["state"] == "applied"
    assert "return 9" in (editor.text(scene.path("a.py")) or "")


def test_what_is_typed_while_a_draft_is_sent_stays(editor: Neovim) -> None:
    editor.sennit("dispatch")
    editor.lua(
        "vim.api.nvim_buf_set_lines(0, 0, -1, true, { 'agent: command', '', 'true' });"
        " vim.cmd('write'); vim.api.nvim_buf_set_lines(0, -1, -1, true, { '# typed since' })"
    )
    editor.until_notice("the draft was changed while")
    assert editor.lines()[-1] == "# typed since"
    assert editor.lua("return vim.bo.modified")
