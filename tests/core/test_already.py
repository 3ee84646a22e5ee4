from __future__ import annotations

from sennit.core.already import Presence, presence
from sennit.core.objects import ChangeKind, Entry, FileChange, Hunk
from sennit.core.text import git_lines
from sennit.core.units import Unit
from sennit_protocol.proposals import UnitKind

FILE = 0o100644
BASE = b"one\ntwo\nthree\nfour\nfive\nsix\n"
PROPOSED = b"one\nTWO\nthree\nfour\nfive\nsix\n"
UNIT = Unit(
    id="r:0:a",
    path=b"a",
    old_path=b"a",
    kind=UnitKind.HUNK,
    ordinal=0,
    before=Entry(FILE, "base"),
    after=Entry(FILE, "proposed"),
    hunk=Hunk(1, 1, 1, 1),
)


def told(live: bytes, *hunks: Hunk) -> Presence:
    drift = FileChange(
        ChangeKind.MODIFY, b"a", b"a", Entry(FILE, "base"), Entry(FILE, "live"), hunks=hunks
    )
    return presence(UNIT, drift, {"proposed": git_lines(PROPOSED), "live": git_lines(live)})


def test_a_unit_is_absent_where_the_user_changed_nothing() -> None:
    assert presence(UNIT, None, {}) is Presence.ABSENT


def test_a_unit_is_absent_where_the_user_changed_other_lines() -> None:
    live = BASE.replace(b"six", b"SIX")
    assert told(live, Hunk(5, 1, 5, 1)) is Presence.ABSENT


def test_a_unit_is_there_where_the_user_wrote_the_same() -> None:
    live = PROPOSED.replace(b"six", b"SIX")
    assert told(live, Hunk(1, 1, 1, 1), Hunk(5, 1, 5, 1)) is Presence.THERE


def test_a_neighbouring_change_leaves_it_to_a_merge() -> None:
    live = BASE.replace(b"three", b"THREE")
    assert told(live, Hunk(2, 1, 2, 1)) is Presence.UNCLEAR


def test_a_larger_change_around_it_leaves_it_to_a_merge() -> None:
    live = b"ONE\nTWO\nthree\nfour\nfive\nsix\n"
    assert told(live, Hunk(0, 2, 0, 2)) is Presence.UNCLEAR


def test_a_deleted_file_leaves_it_to_a_merge() -> None:
    drift = FileChange(ChangeKind.DELETE, b"a", b"a", Entry(FILE, "base"), None)
    assert presence(UNIT, drift, {}) is Presence.UNCLEAR
