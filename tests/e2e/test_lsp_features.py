"""Plain LSP for every editor: lenses, actions, diagnostics, texts, commands."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve

from tests.e2e.client import PATIENCE_S
from tests.e2e.desk import Desk, new_desk, start
from tests.e2e.editor import BARE, REVIEWS, Abilities, Editor, uri_of

pytestmark = pytest.mark.e2e
Json = dict[str, Any]
LINES = "one\ntwo\nthree\nfour\nfive\nsix\n"
MORE = {
    "workspace": {"codeLens": {"refreshSupport": True}, "textDocumentContent": {}},
    "textDocument": {"codeAction": {"codeActionLiteralSupport": {
        "codeActionKind": {"valueSet": ["", "quickfix"]}
    }}},
    "window": {"showDocument": {"support": True}},
}  # fmt: skip
FULL = evolve(BARE, more=MORE)
AGENT = f"""[agents.fixer]
argv = [{sys.executable!r}, "-c", "import sys; open('told', 'w').write(sys.argv[1])", "{{prompt}}"]
"""


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Callable[[Abilities], Desk]]:
    editors: list[Editor] = []

    def make(abilities: Abilities) -> Desk:
        root = tmp_path / "machine"
        editors.append(start(abilities, root, tmp_path / "repo", settings=AGENT))
        return new_desk(editors[0], tmp_path / "repo", {"a": LINES, "b": LINES})

    yield make
    for editor in editors:
        editor.__exit__(None, None, None)


def lenses(made: Desk, name: str) -> list[Json]:
    document = {"uri": uri_of(made.path(name))}
    found: list[Json] = made.editor.ask("textDocument/codeLens", {"textDocument": document})
    return found


def actions(made: Desk, name: str, first: int, last: int, **context: object) -> list[Json]:
    place = {"start": {"line": first, "character": 0}, "end": {"line": last, "character": 0}}
    params = {
        "textDocument": {"uri": uri_of(made.path(name))},
        "range": place,
        "context": {"diagnostics": [], **context},
    }
    found: list[Json] = made.editor.ask("textDocument/codeAction", params)
    return found


def run(made: Desk, command: Json) -> Any:
    params = {"command": command["command"], "arguments": command["arguments"]}
    return made.editor.ask("workspace/executeCommand", params)


TWO_HUNKS = "sub('a', b'two', b'TWO'); sub('a', b'six', b'SIX')"


def test_lenses_show_what_waits_where_it_is_now(desk: Callable[[Abilities], Desk]) -> None:
    made = desk(FULL)
    uri = made.editor.open(made.path("a"))
    made.dispatch(made.task(TWO_HUNKS))
    made.editor.type(uri, "one\n", "zero\nzero\none\n")
    found = lenses(made, "a")
    titles = [(one["range"]["start"]["line"], one["command"]["title"]) for one in found]
    assert titles == [
        (0, "Sennit, one: 2 changes"),
        (0, "Accept file"),
        (0, "Reject file"),
        (3, "Accept change of one (+1 -1)"),
        (7, "Accept change of one (+1 -1)"),
    ]
    assert lenses(made, "b") == []


def test_a_bare_editor_accepts_a_change_by_one_click(desk: Callable[[Abilities], Desk]) -> None:
    made = desk(FULL)
    uri = made.editor.open(made.path("a"))
    ticket = made.dispatch(made.task(TWO_HUNKS))
    run(made, lenses(made, "a")[3]["command"])
    assert made.editor.buffers[uri].text == LINES.replace("two", "TWO")
    run(made, lenses(made, "a")[1]["command"])
    assert made.editor.buffers[uri].text == LINES.replace("two", "TWO").replace("six", "SIX")
    assert lenses(made, "a") == []
    assert made.proposals(ticket)[0]["review"] == "accepted"


def test_a_rejected_file_has_no_lenses(desk: Callable[[Abilities], Desk]) -> None:
    made = desk(FULL)
    ticket = made.dispatch(made.task(TWO_HUNKS))
    run(made, lenses(made, "a")[2]["command"])
    assert lenses(made, "a") == []
    assert made.proposals(ticket)[0]["review"] == "rejected"


def test_a_review_editor_accepts_without_applying(desk: Callable[[Abilities], Desk]) -> None:
    made = desk(evolve(REVIEWS, more=MORE))
    made.editor.open(made.path("a"))
    made.dispatch(made.task(TWO_HUNKS))
    run(made, lenses(made, "a")[1]["command"])
    assert made.editor.edits == []
    (lens,) = lenses(made, "a")
    assert lens["command"]["title"] == "Sennit, one: apply 2 accepted changes"
    view = run(made, lens["command"])
    assert made.editor.text(made.path("a")) == LINES.replace("two", "TWO").replace("six", "SIX")
    run(made, {"command": "sennit.server.undo", "arguments": [{"application": view["id"]}]})
    assert made.editor.text(made.path("a")) == LINES


def test_lenses_are_asked_for_anew_when_proposals_change(
    desk: Callable[[Abilities], Desk],
) -> None:
    made = desk(FULL)
    made.dispatch(made.task(TWO_HUNKS))
    assert made.editor.refreshes > 0


def test_actions_decide_about_the_change_at_the_cursor(
    desk: Callable[[Abilities], Desk],
) -> None:
    made = desk(FULL)
    uri = made.editor.open(made.path("a"))
    ticket = made.dispatch(made.task(TWO_HUNKS))
    titles = [one["title"] for one in actions(made, "a", 1, 1)]
    assert titles == [
        "Accept this change of one",
        "Reject this change of one",
        "Accept 2 changes of one in this file",
        "Reject all changes of one in this file",
        "Show the proposal of one",
    ]
    run(made, actions(made, "a", 1, 1)[0]["command"])
    assert made.editor.buffers[uri].text == LINES.replace("two", "TWO")
    run(made, actions(made, "a", 5, 5)[1]["command"])
    assert made.proposals(ticket)[0]["review"] == "partlyAccepted"


def test_an_editor_without_action_literals_gets_commands(
    desk: Callable[[Abilities], Desk],
) -> None:
    made = desk(BARE)
    made.dispatch(made.task(TWO_HUNKS))
    assert actions(made, "a", 1, 1)[0]["command"] == "sennit.server.accept"


def test_diagnostics_comments_and_selections_can_be_delegated(
    desk: Callable[[Abilities], Desk],
) -> None:
    made = desk(FULL)
    made.write("b", "x = 1\n# TODO: name it\n")
    made.editor.open(made.path("b"))
    place = {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 1}}
    diagnostic = {"range": place, "message": "too short", "source": "lint", "code": "E1"}
    found = actions(made, "b", 0, 1, diagnostics=[diagnostic])
    assert [one["title"] for one in found] == [
        "Delegate to an agent: too short",
        "Delegate to an agent: TODO: name it",
        "Delegate the selection to an agent",
    ]
    assert [one["kind"] for one in found] == ["quickfix", "", ""]
    only = actions(made, "b", 0, 1, diagnostics=[diagnostic], only=["quickfix"])
    assert [one["title"] for one in only] == ["Delegate to an agent: too short"]
    ticket = run(made, found[0]["command"])["ticket"]
    waited = made.editor.ask("sennit/wait", {"ticket": ticket, "timeoutMs": PATIENCE_S * 1000})
    assert not waited["timedOut"], waited
    (proposal,) = made.proposals(ticket)
    view = made.editor.ask("sennit/proposal", {"proposal": proposal["id"]})
    told = view["files"][0]["units"][0]["afterText"]
    assert told.startswith(f"Solve this problem at {made.path('b')}:1: too short [E1] (lint)\n\n")


def clash(made: Desk) -> str:
    first = made.task("sub('a', b'two', b'TWO')", "first")
    return made.dispatch(first, made.task("sub('a', b'two', b'Zwei')", "second"))


def test_conflicts_are_diagnostics_until_they_are_gone(
    desk: Callable[[Abilities], Desk],
) -> None:
    made = desk(FULL)
    uri = made.editor.open(made.path("a"))
    ticket = clash(made)
    shown = made.editor.next_of("textDocument/publishDiagnostics")["params"]
    assert shown["uri"] == uri
    (diagnostic,) = shown["diagnostics"]
    assert (diagnostic["source"], diagnostic["code"]) == ("sennit", "content")
    assert "second and first change" in diagnostic["message"]
    in_conflict = next(p for p in made.proposals(ticket) if p["integration"] == "conflict")
    everything = {"proposal": in_conflict["id"], "revision": in_conflict["revision"]}
    run(made, {"command": "sennit.server.reject", "arguments": [everything]})
    cleared = made.editor.next_of("textDocument/publishDiagnostics")["params"]
    assert cleared == {"uri": uri, "diagnostics": []}


def test_texts_of_proposals_can_be_read_and_opened(desk: Callable[[Abilities], Desk]) -> None:
    made = desk(FULL)
    made.dispatch(made.task(TWO_HUNKS))
    shown: list[Json] = []

    def show(params: Json) -> Json:
        shown.append(params)
        return {"success": True}

    made.editor.replies["window/showDocument"] = show
    result = run(made, lenses(made, "a")[0]["command"])
    assert result["shown"] is True
    assert shown[0]["uri"] == result["uri"]
    assert result["uri"].startswith("sennit:/")
    text = made.editor.ask("workspace/textDocumentContent", {"uri": result["uri"]})
    assert text == {"text": LINES.replace("two", "TWO").replace("six", "SIX")}
    error = made.editor.refusal("workspace/textDocumentContent", {"uri": "sennit:/x?rev=no"})
    assert error["code"] == 15


def test_an_editor_that_reads_no_texts_of_ours_is_shown_a_patch(
    desk: Callable[[Abilities], Desk],
) -> None:
    made = desk(BARE)
    made.dispatch(made.task(TWO_HUNKS))
    result = run(made, lenses(made, "a")[0]["command"])
    assert result["shown"] is False
    assert "+TWO" in Path(result["uri"].removeprefix("file://")).read_text()
    assert result["uri"] in made.editor.next_of("window/showMessage")["params"]["message"]


def test_a_moved_head_is_asked_about(desk: Callable[[Abilities], Desk]) -> None:
    made = desk(FULL)
    made.dispatch(made.task(TWO_HUNKS))
    made.git("commit", "-q", "--allow-empty", "-m", "elsewhere")
    accept = lenses(made, "a")[1]["command"]
    params = {"command": accept["command"], "arguments": accept["arguments"]}
    assert made.editor.refusal("workspace/executeCommand", params)["code"] == 12
    assert "HEAD" in made.editor.asked[0]["message"]
    made.editor.habits.chooses = lambda _: "Apply anyway"
    run(made, accept)
    assert "TWO" in made.editor.text(made.path("a"))


@pytest.mark.parametrize("name", [
    "accept", "acceptFile", "answer", "apply", "cancel", "delegate", "open", "reject", "undo",
])  # fmt: skip
def test_wrong_arguments_of_commands_are_named(shared: Editor, name: str) -> None:
    command = f"sennit.server.{name}"
    wrong: list[object] = [[], [3], [{}, {}], [{"nonsense": 1}], None]
    for arguments in wrong:
        params = {"command": command, "arguments": arguments}
        error = shared.refusal("workspace/executeCommand", params)
        assert error["code"] == -32602, (arguments, error)
        assert error["data"]["problems"]


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Editor]:
    with start(BARE, tmp_path_factory.mktemp("machine")) as editor:
        yield editor
