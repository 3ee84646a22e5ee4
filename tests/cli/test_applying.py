from __future__ import annotations

from pathlib import Path

import pytest
from attrs import evolve

from sennit.cli.applying import accepted, application_lines, patch_bytes, write_patch
from sennit.cli.failures import UsageError
from sennit_protocol.applications import ApplicationView, AppliedFile
from sennit_protocol.ids import ApplicationId, TicketId, UnitId
from sennit_protocol.states import ApplicationState, Decision, Review, Target
from sennit_protocol.views import Notice
from tests.cli.builders import a_file, a_hunk, a_proposal

AN_APPLICATION = ApplicationView(
    ApplicationId("a_1"),
    ApplicationState.APPLIED,
    Target.DISK,
    "2020-01-01T00:00:00Z",
    TicketId("t_1"),
)


def test_only_proposals_with_something_accepted_are_applied() -> None:
    whole = a_proposal("a", review=Review.ACCEPTED)
    part = a_proposal("b", a_file("f", a_hunk(decision=Decision.ACCEPTED), a_hunk("u2", 9)))
    nothing = a_proposal("c", a_file("f", a_hunk(decision=Decision.REJECTED)))
    assert [each.proposal for each in accepted([whole, part, nothing])] == ["p_a", "p_b"]


def test_an_application_tells_files_reasons_and_how_to_take_it_back() -> None:
    file = AppliedFile("a\nb", "file:///a", ApplicationState.FAILED, "It is read-only.")
    view = evolve(
        AN_APPLICATION, files=(file,), conflicts=(UnitId("u"),), already_there=(UnitId("v"),)
    )
    assert [line.plain for line in application_lines(view)] == [
        "Application a_1: applied, none of 1 file",
        "  a\\nb: failed: It is read-only.",
        "  left out: 1 accepted change",
        "  there already: 1 change",
        "  To take it back: sennit undo a_1",
    ]


def test_what_was_left_out_is_named_by_file_and_task_with_what_can_be_done() -> None:
    unit = a_hunk("u1", decision=Decision.ACCEPTED)
    of = [a_proposal("x", a_file("a\nb", unit, a_hunk("u2", 9)), a_file("c", a_hunk("u3")))]
    view = evolve(AN_APPLICATION, conflicts=(UnitId("u1"),))
    lines = [line.plain for line in application_lines(view, of=of)]
    assert lines[1] == "  left out of x: 1 accepted change of a\\nb"
    assert lines[2:] == [
        "    To see it: sennit show p_x",
        "    Make the text there fit, then: sennit apply p_x",
        "    Or let its agent do it on your text: sennit follow t_1/x",
    ]


def test_what_was_left_out_is_told_once_with_one_reason() -> None:
    failed = AppliedFile("f", "file:///f", ApplicationState.FAILED, "It does not go together.")
    held = AppliedFile("h", "file:///h", ApplicationState.FAILED, "It is open elsewhere.")
    notices = (Notice("It is open elsewhere.", path="h"), Notice("A unit was left out.", path="f"))
    view = evolve(
        AN_APPLICATION,
        state=ApplicationState.PARTLY_APPLIED,
        files=(failed, held),
        conflicts=(UnitId("f1"), UnitId("h1")),
        notices=notices,
    )
    of = [a_proposal("x", a_file("f", a_hunk("f1")), a_file("h", a_hunk("h1")))]
    assert [line.plain for line in application_lines(view, of=of)][:5] == [
        "Application a_1: partly applied, none of 2 files",
        "  h: failed: It is open elsewhere.",
        "  note: f: A unit was left out.",
        "  left out of x: 1 accepted change of f",
        "  left out of x: 1 accepted change of h",
    ]


def test_an_undo_names_what_it_takes_back() -> None:
    view = evolve(AN_APPLICATION, undoes=ApplicationId("a_0"), state=ApplicationState.UNDONE)
    assert next(application_lines(view)).plain == "Undo of a_0: undone, 0 files"


def test_an_undo_tells_how_to_take_it_back() -> None:
    file = AppliedFile("a", "file:///a", ApplicationState.APPLIED)
    view = evolve(AN_APPLICATION, undoes=ApplicationId("a_0"), files=(file,))
    assert list(application_lines(view))[-1].plain == "  To take the undo back: sennit undo a_1"


PATCH = """\
diff --git a/x b/x
--- a/x
+++ b/x
@@ -1,2 +1,3 @@
 same
--- looks like a header
+++ looks like one, too
+new
diff --git a/y b/y
new file mode 100644
--- /dev/null
+++ b/y
@@ -0,0 +1 @@
+only
\\ No newline at end of file
"""


def test_a_patch_is_told_with_its_place_and_what_it_holds() -> None:
    view = evolve(AN_APPLICATION, state=ApplicationState.NONE, target=Target.PATCH, patch=PATCH)
    assert [line.plain for line in application_lines(view, Path("p.patch"))] == [
        "The patch is in p.patch: 2 files, +3 -1. No other file was changed."
    ]


def test_an_empty_patch_is_told_as_such() -> None:
    view = evolve(AN_APPLICATION, state=ApplicationState.NONE, target=Target.PATCH, patch="")
    assert "empty" in next(application_lines(view, Path("p.patch"))).plain


def test_patches_travel_as_text_or_as_bytes() -> None:
    assert patch_bytes(evolve(AN_APPLICATION, patch="ä\n")) == "ä\n".encode()
    assert patch_bytes(evolve(AN_APPLICATION, patch_base64="/w==")) == b"\xff"


def test_a_patch_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be written"):
        write_patch(tmp_path / "missing" / "p.patch", b"")
