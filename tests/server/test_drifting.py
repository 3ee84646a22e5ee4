from __future__ import annotations

from attrs import evolve

from sennit.core.engine.rows import BaseRow
from sennit.core.objects import LeftOut, LeftOutReason, Manifest
from sennit.server.drifting import View, _differences, as_at_the_base
from sennit_protocol.ids import BaseId, TicketId
from sennit_protocol.tasks import BaseKind
from tests.core.engine.builders import REPOSITORY

Files = dict[bytes, tuple[int, int] | None]
BEFORE = View("a" * 40, b"main", "refs", "config", "hooks", {b"a.txt": (1, 10), b"b.txt": (1, 10)})
NOTHING_OURS: frozenset[bytes] = frozenset()


def told(now: View, ours: frozenset[bytes] = NOTHING_OURS) -> dict[str, str]:
    return dict(_differences(BEFORE, now, ours))


def test_nothing_is_told_when_nothing_differs() -> None:
    assert told(BEFORE) == {}


def test_a_save_an_undone_change_and_a_deletion_are_files() -> None:
    changed: tuple[Files, ...] = (
        {b"a.txt": (2, 10), b"b.txt": (1, 10)},
        {b"a.txt": (1, 10)},
        {b"a.txt": None, b"b.txt": (1, 10)},
        {**BEFORE.files, b"new.txt": (3, 1)},
    )
    for files in changed:
        assert told(evolve(BEFORE, files=files)).keys() == {"files"}


def test_what_an_application_wrote_is_no_drift() -> None:
    now = evolve(BEFORE, files={**BEFORE.files, b"a.txt": (9, 9)})
    assert told(now, frozenset({b"a.txt"})) == {}


def test_a_moved_head_is_told_once_and_its_files_and_refs_are_not() -> None:
    now = evolve(BEFORE, head="b" * 40, refs="other", files={})
    assert told(now).keys() == {"head"}
    assert "bbbbbbbbbbbb (main)" in told(now)["head"]
    assert told(evolve(BEFORE, branch=None)).keys() == {"head"}


def test_refs_configuration_and_hooks_are_kinds_of_their_own() -> None:
    now = evolve(BEFORE, refs="x", config="x", hooks="x")
    assert told(now).keys() == {"refs", "config", "hooks"}


def test_many_files_are_named_in_part() -> None:
    files: Files = {**BEFORE.files, **{b"n%d" % number: (1, 1) for number in range(20)}}
    assert "and 15 more" in told(evolve(BEFORE, files=files))["files"]


def test_what_was_written_before_the_first_look_is_drift_too() -> None:
    files: Files = {
        b"edited": (5, 1),
        b"a secret": (5, 1),
        b"equal through a filter": (1, 1),
        b"written since": (5, 1),
        b"gone since": None,
    }
    left_out = (LeftOut(b"a secret", LeftOutReason.LOOKS_LIKE_A_SECRET),)
    manifest = Manifest("a" * 40, b"main", modified=(b"edited",), left_out=left_out)
    seen = evolve(BEFORE, files=files)
    base = BaseRow(
        BaseId("b_a"),
        TicketId("t_a"),
        REPOSITORY,
        BaseKind.LIVE,
        manifest=manifest,
    )
    before = as_at_the_base(base, seen, since_ns=4)
    [(kind, message)] = _differences(before, seen, NOTHING_OURS)
    assert (kind, message) == ("files", "files were saved: gone since, written since.")
    under_way = evolve(base, manifest=evolve(manifest, in_progress="merge"))
    assert as_at_the_base(under_way, seen, since_ns=4) == seen
