from __future__ import annotations

import pytest

from sennit.core.flags import (
    FlagRules,
    RevisionFacts,
    flags_of,
    is_preselected,
    leaves_tree,
    mentions,
)
from sennit.core.globs import Globs, compiled_globs
from sennit.core.objects import (
    MODE_EXECUTABLE,
    MODE_FILE,
    MODE_LINK,
    ChangeKind,
    Entry,
    FileChange,
    Hunk,
)
from sennit.core.units import units_of
from sennit_protocol.states import UnitFlag

FILE = Entry(MODE_FILE, "f" * 40)
OTHER = Entry(MODE_FILE, "0" * 40)
PROGRAM = Entry(MODE_EXECUTABLE, "f" * 40)
LINK = Entry(MODE_LINK, "1" * 40)


def globs(*patterns: str) -> Globs:
    found = compiled_globs(patterns)
    assert isinstance(found, Globs)
    return found


def flags(
    kind: ChangeKind,
    before: Entry | None,
    after: Entry | None,
    *,
    path: bytes = b"src/a.py",
    old_path: bytes | None = None,
    hunks: tuple[Hunk, ...] = (),
    rules: FlagRules | None = None,
    facts: RevisionFacts | None = None,
) -> list[tuple[UnitFlag, ...]]:
    change = FileChange(kind, path, old_path or path, before, after, hunks=hunks)
    units = units_of("r_x", [change])
    return [flags_of(unit, rules or FlagRules(), facts or RevisionFacts()) for unit in units]


def test_a_plain_edit_has_no_flag_and_is_preselected() -> None:
    found = flags(ChangeKind.MODIFY, FILE, OTHER, hunks=(Hunk(0, 1, 0, 1), Hunk(5, 1, 5, 1)))
    assert found == [(), ()]
    assert is_preselected(())


def test_both_paths_of_a_rename_have_to_lie_inside_writes() -> None:
    rules = FlagRules(writes=globs("src/"))
    outside = [(UnitFlag.OUTSIDE_WRITES,)]
    assert flags(ChangeKind.RENAME, FILE, FILE, old_path=b"lib/a.py", rules=rules) == outside
    assert flags(ChangeKind.CREATE, None, FILE, path=b"b", rules=rules) == outside
    assert flags(ChangeKind.CREATE, None, FILE, rules=rules) == [()]


def test_a_deletion_is_flagged_unless_the_agent_mentions_it() -> None:
    told = RevisionFacts(activity=b"I removed src/a.py, which nobody used.")
    assert flags(ChangeKind.DELETE, FILE, None) == [(UnitFlag.DELETION,)]
    assert flags(ChangeKind.DELETE, FILE, None, facts=told) == [()]


def test_what_becomes_executable_is_flagged_once_as_mode_and_once_as_executable() -> None:
    changed = flags(ChangeKind.MODIFY, FILE, PROGRAM)
    assert changed == [(UnitFlag.MODE_CHANGE, UnitFlag.NEW_EXECUTABLE)]
    assert flags(ChangeKind.MODIFY, PROGRAM, FILE) == [(UnitFlag.MODE_CHANGE,)]
    assert flags(ChangeKind.CREATE, None, PROGRAM) == [(UnitFlag.NEW_EXECUTABLE,)]


def test_the_text_beside_a_mode_change_keeps_its_own_verdict() -> None:
    after = Entry(MODE_EXECUTABLE, OTHER.id)
    found = flags(ChangeKind.MODIFY, FILE, after, hunks=(Hunk(0, 1, 0, 1),))
    assert [is_preselected(each) for each in found] == [False, True]


def test_a_link_is_flagged_when_it_leaves_the_tree_or_is_unknown() -> None:
    inside = RevisionFacts(link_targets={LINK.id: b"../b"})
    outside = RevisionFacts(link_targets={LINK.id: b"../../b"})
    assert flags(ChangeKind.CREATE, None, LINK, facts=inside) == [()]
    assert flags(ChangeKind.CREATE, None, LINK, facts=outside) == [(UnitFlag.LINK_OUT_OF_TREE,)]
    assert flags(ChangeKind.CREATE, None, LINK) == [(UnitFlag.LINK_OUT_OF_TREE,)]


def test_a_file_that_becomes_a_link_out_of_the_tree_says_both() -> None:
    outside = RevisionFacts(link_targets={LINK.id: b"/etc/passwd"})
    found = flags(ChangeKind.TYPE, FILE, LINK, facts=outside)
    assert found == [(UnitFlag.MODE_CHANGE, UnitFlag.LINK_OUT_OF_TREE)]


def test_only_what_grows_over_the_limit_is_very_large() -> None:
    rules = FlagRules(large_bytes=10)
    grown = RevisionFacts(sizes={FILE.id: 5, OTHER.id: 11})
    large_before = RevisionFacts(sizes={FILE.id: 11, OTHER.id: 12})
    edit = (Hunk(0, 1, 0, 1),)
    found = flags(ChangeKind.MODIFY, FILE, OTHER, hunks=edit, rules=rules, facts=grown)
    assert found == [(UnitFlag.VERY_LARGE,)]
    assert flags(ChangeKind.MODIFY, FILE, OTHER, hunks=edit, rules=rules, facts=large_before) == [
        ()
    ]


def test_a_sensitive_file_that_is_renamed_away_is_flagged_too() -> None:
    rules = FlagRules(sensitive=globs(".github/workflows/"))
    found = flags(ChangeKind.RENAME, FILE, FILE, old_path=b".github/workflows/ci.yml", rules=rules)
    assert found == [(UnitFlag.SENSITIVE,)]


def test_generated_alone_leaves_a_unit_preselected() -> None:
    rules = FlagRules(generated=globs("*.lock"))
    found = flags(ChangeKind.CREATE, None, FILE, path=b"uv.lock", rules=rules)
    assert found == [(UnitFlag.GENERATED,)]
    assert is_preselected(found[0])
    assert not is_preselected((UnitFlag.GENERATED, UnitFlag.SENSITIVE))


def test_only_new_names_are_held_to_other_systems() -> None:
    edit = (Hunk(0, 1, 0, 1),)
    assert flags(ChangeKind.CREATE, None, FILE, path=b"aux.c") == [(UnitFlag.UNPORTABLE_NAME,)]
    assert flags(ChangeKind.MODIFY, FILE, OTHER, path=b"aux.c", hunks=edit) == [()]
    colliding = RevisionFacts(colliding={b"src/a.py"})
    assert flags(ChangeKind.CREATE, None, FILE, facts=colliding) == [(UnitFlag.UNPORTABLE_NAME,)]


@pytest.mark.parametrize(
    ("link", "target", "expected"),
    [
        (b"a", b"b", False),
        (b"a", b"../b", True),
        (b"d/a", b"../b", False),
        (b"d/e/a", b"../../b", False),
        (b"d/e/a", b"../../../b", True),
        (b"a", b"/b", True),
        (b"a", b"b/../c", True),
        (b"a", b"./b", False),
        (b"a", b".git/config", True),
        (b"a", b"sub/.GIT/hooks", True),
        (b"a", b"", False),
    ],
)
def test_a_link_leaves_the_tree_unless_names_prove_otherwise(
    link: bytes, target: bytes, *, expected: bool
) -> None:
    assert leaves_tree(link, target) is expected


@pytest.mark.parametrize(
    ("activity", "expected"),
    [
        (b"rm src/old/a.py", True),
        (b"rm ./src/old/a.py", True),
        (b"deleted `a.py`.", True),
        (b"deleted a.py.", True),
        (b"removed the folder src/old/", True),
        (b"D\tsrc/old/a.py\n", True),
        (b"deleted other/a.py", False),
        (b"deleted a.pyc", False),
        (b"deleted ba.py", False),
        (b"looked at src/old/b.py", False),
        (b"the old src is fine", False),
        (b"", False),
    ],
)
def test_a_deletion_is_mentioned_by_path_name_or_folder(activity: bytes, *, expected: bool) -> None:
    assert mentions(activity, b"src/old/a.py") is expected
