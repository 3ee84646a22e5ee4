from __future__ import annotations

from pathlib import Path

import pytest
from attrs import evolve

from sennit.core.edits import EditKind, FileEdit, Image
from sennit.core.objects import Entry, OpenDocument
from sennit.server.applying.carrying import Carrier
from sennit.server.applying.sharing import (
    Server,
    Situation,
    freed_paths,
    respelled_paths,
    share,
    tangled_paths,
)
from sennit.server.applying.values import Held, Rest
from sennit.server.open_documents import Buffer
from sennit_protocol.states import Target
from tests.folding_disk import folding_disk

FULL = Carrier(edits=True, document_changes=True, operations=frozenset({"create", "delete"}))


def situation(top: Path, *opened: str) -> Situation:
    return Situation(
        top=bytes(top),
        target=Target.EDITOR,
        carrier=FULL,
        rest=Rest.WRITE,
        buffers={
            bytes(top / name): Buffer(
                name, OpenDocument(bytes(top / name), 1, ""), bytes(top / name)
            )
            for name in opened
        },
        elsewhere=frozenset(),
        tangled=frozenset(),
        freed=frozenset(),
    )


def edit(kind: EditKind, path: bytes, old: bytes = b"", *, travels: bool = True) -> FileEdit:
    side = Image(Entry(0o100644, "0" * 40), "", "")
    return FileEdit(kind, path, old or path, side, side, travels=travels)


def test_the_editor_does_what_it_can(tmp_path: Path) -> None:
    one = edit(EditKind.EDIT, b"a")
    assert share(situation(tmp_path, "a"), one) is one


def test_the_server_writes_what_does_not_travel(tmp_path: Path) -> None:
    binary = edit(EditKind.BINARY, b"a", travels=False)
    assert share(situation(tmp_path), binary) is Server.WRITES
    assert isinstance(share(situation(tmp_path, "a"), binary), Held)


def test_what_another_editor_could_do_needs_consent(tmp_path: Path) -> None:
    rename = edit(EditKind.RENAME, b"b", b"a")
    assert share(situation(tmp_path), rename) is Server.WRITES_WITH_CONSENT
    leave = evolve(situation(tmp_path), rest=Rest.LEAVE)
    assert isinstance(share(leave, rename), Held)
    assert isinstance(share(situation(tmp_path, "a"), rename), Held)


def test_the_mode_of_an_open_file_is_set_by_the_server(tmp_path: Path) -> None:
    mode = edit(EditKind.MODE, b"a", travels=False)
    assert share(situation(tmp_path, "a"), mode) is Server.WRITES


def test_a_file_that_is_not_on_the_disk_is_for_the_server_unless_it_is_open(
    tmp_path: Path,
) -> None:
    for one in (edit(EditKind.EDIT, b"a"), edit(EditKind.RENAME, b"b", b"a")):
        off_disk = evolve(situation(tmp_path), off_disk=frozenset({b"a"}))
        assert share(off_disk, one) is Server.WRITES
    opened = evolve(situation(tmp_path, "a"), off_disk=frozenset({b"a"}))
    assert share(opened, one := edit(EditKind.EDIT, b"a")) is one


@pytest.mark.parametrize("target", [Target.EDITOR, Target.DISK])
def test_a_file_unsaved_elsewhere_is_held_unless_it_is_open_here(
    tmp_path: Path, target: Target
) -> None:
    one = edit(EditKind.EDIT, b"a")
    elsewhere = evolve(situation(tmp_path), elsewhere=frozenset({b"a"}), target=target)
    assert isinstance(share(elsewhere, one), Held)
    here = evolve(situation(tmp_path, "a"), elsewhere=frozenset({b"a"}), target=target)
    assert isinstance(share(here, one), Held) is (target is Target.DISK)


def test_a_file_in_the_way_is_held_unless_the_edit_frees_its_place(tmp_path: Path) -> None:
    (tmp_path / "a").touch()
    create = edit(EditKind.CREATE, b"a")
    assert isinstance(share(situation(tmp_path), create), Held)
    freed = evolve(situation(tmp_path), freed=frozenset({b"a"}))
    assert share(freed, create) is create


def test_the_server_puts_a_file_in_the_place_of_an_empty_folder(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    create = edit(EditKind.CREATE, b"a")
    assert share(situation(tmp_path), create) is Server.WRITES
    (tmp_path / "a" / "b").touch()
    assert isinstance(share(situation(tmp_path), create), Held)


def test_paths_that_change_between_file_and_folder_are_tangled() -> None:
    edits = [
        edit(EditKind.DELETE, b"a"),
        edit(EditKind.CREATE, b"a/b"),
        edit(EditKind.CREATE, b"ab"),
    ]
    assert tangled_paths(edits) == {b"a", b"a/b"}
    assert freed_paths(edits) == {b"a"}


def test_a_renamed_file_frees_its_old_path() -> None:
    assert freed_paths([edit(EditKind.RENAME, b"b", b"a")]) == {b"a"}


RESPELLED = (
    edit(EditKind.RENAME, b"A", b"a"),
    edit(EditKind.CREATE, b"Src/new"),
    edit(EditKind.DELETE, b"src/old"),
    edit(EditKind.EDIT, b"other"),
)


def test_names_that_change_their_case_alone_are_written_by_the_server_where_they_are_one(
    tmp_path: Path,
) -> None:
    with folding_disk(tmp_path / "folding") as disk:
        (disk / "a").touch()
        found = respelled_paths(bytes(disk), RESPELLED)
        assert found == {b"A", b"a", b"Src/new", b"src/old"}
        one = evolve(situation(disk), tangled=found, freed=freed_paths(RESPELLED))
        assert share(one, RESPELLED[0]) is Server.WRITES
        assert share(one, RESPELLED[3]) is RESPELLED[3]


def test_names_that_change_their_case_are_the_editors_where_a_disk_tells_them_apart(
    tmp_path: Path,
) -> None:
    (tmp_path / "a").touch()
    assert respelled_paths(bytes(tmp_path), RESPELLED) == frozenset()
