from __future__ import annotations

from pathlib import Path

import pytest
from sennit.cli.applying import accepted, application_lines, patch_bytes, write_patch
from sennit.cli.failures import UsageError
from sennit_protocol.ids import ApplicationId, TicketId, UnitId
from sennit_protocol.proposals import ApplicationView, AppliedFile
from sennit_protocol.states import ApplicationState, Decision, Review, Target

from tests.cli.builders import a_file, a_hunk, a_proposal


def an_application(**given: object) -> ApplicationView:
    values: dict[str, object] = {
        "id": ApplicationId("a_1"),
        "state": ApplicationState.APPLIED,
        "target": Target.DISK,
        "at": "2020-01-01T00:00:00Z",
        "ticket": TicketId("t_1"),
        **given,
    }
    return ApplicationView(**values)  # type: ignore[arg-type]  keywords of any test


def test_only_proposals_with_something_accepted_are_applied() -> None:
    whole = a_proposal("a", review=Review.ACCEPTED)
    part = a_proposal("b", a_file("f", a_hunk(decision=Decision.ACCEPTED), a_hunk("u2", 9)))
    nothing = a_proposal("c", a_file("f", a_hunk(decision=Decision.REJECTED)))
    assert [each.proposal for each in accepted([whole, part, nothing])] == ["p_a", "p_b"]


def test_an_application_tells_files_reasons_and_how_to_take_it_back() -> None:
    file = AppliedFile("a\nb", "file:///a", ApplicationState.FAILED, "It is read-only.")
    view = an_application(files=(file,), conflicts=(UnitId("u"),), already_there=(UnitId("v"),))
    assert [line.plain for line in application_lines(view)] == [
        "Application a_1: applied, 0 files",
        "  a\\nb: failed: It is read-only.",
        "  left out, because the text changed there: 1 accepted change",
        "  there already: 1 change",
        "  To take it back: sennit undo a_1",
    ]


def test_an_undo_names_what_it_takes_back() -> None:
    view = an_application(undoes=ApplicationId("a_0"), state=ApplicationState.UNDONE)
    assert next(application_lines(view)).plain == "Undo of a_0: undone, 0 files"


def test_patches_travel_as_text_or_as_bytes() -> None:
    assert patch_bytes(an_application(patch="ä\n")) == "ä\n".encode()
    assert patch_bytes(an_application(patch_base64="/w==")) == b"\xff"


def test_a_patch_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be written"):
        write_patch(tmp_path / "missing" / "p.patch", b"")
