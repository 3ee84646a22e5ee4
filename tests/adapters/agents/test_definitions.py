from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from sennit.adapters.agents.definitions import (
    MOST_BYTES,
    MOST_FILES,
    MOST_TOLD,
    Definitions,
    Folder,
    definitions_in,
)
from sennit.core.builtin_definitions import BUILT_IN_DEFINITIONS


def write(folder: Path, file: str, name: str, prompt: str = "Do.") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / file
    path.write_text(f"---\nname: {name}\n---\n{prompt}\n")
    return path


def told(found: Definitions) -> dict[str, str]:
    builtin = {each.name for each in BUILT_IN_DEFINITIONS if each in found.definitions}
    return {each.name: each.source for each in found.definitions if each.name not in builtin}


def only_notice(found: Definitions) -> str:
    (notice,) = found.notices
    return notice.message


def test_without_any_folder_the_built_in_definitions_are_there(tmp_path: Path) -> None:
    assert definitions_in([Folder(tmp_path / "no")]) == Definitions(BUILT_IN_DEFINITIONS)


def test_earlier_folders_and_earlier_files_win(tmp_path: Path) -> None:
    mine = write(tmp_path / "mine", "b.md", "fixer")
    write(tmp_path / "mine", "c.md", "fixer", "Later.")
    write(tmp_path / "theirs", "a.md", "fixer", "Theirs.")
    review = write(tmp_path / "theirs", "r.md", "review", "Theirs.")
    (tmp_path / "mine" / "notes.txt").write_text("no definition")
    found = definitions_in([Folder(tmp_path / "mine"), Folder(tmp_path / "theirs")])
    assert told(found) == {"fixer": str(mine), "review": str(review)}
    assert found.notices == ()
    assert len(found.definitions) == 1 + len(BUILT_IN_DEFINITIONS)


def test_a_bad_file_is_skipped_with_one_notice_and_the_others_count(tmp_path: Path) -> None:
    write(tmp_path, "good.md", "good")
    bad = tmp_path / "bad.md"
    bad.write_text("no head")
    found = definitions_in([Folder(tmp_path)])
    assert set(told(found)) == {"good"}
    assert str(bad) in only_notice(found)


def test_files_that_are_no_texts_are_skipped(tmp_path: Path) -> None:
    (tmp_path / "bytes.md").write_bytes(b"---\nname: \xff\n---\nx")
    (tmp_path / "folder.md").mkdir()
    os.mkfifo(tmp_path / "pipe.md")
    write(tmp_path, "large.md", "large", "x" * MOST_BYTES)
    (tmp_path / "nothing.md").symlink_to("gone")
    os.mkdir(os.fsencode(tmp_path) + b"/\xff.md")  # noqa: PTH102  a name that is no text
    found = definitions_in([Folder(tmp_path)])
    assert told(found) == {}
    assert len(found.notices) == 6
    for notice in found.notices:
        notice.message.encode()


def test_links_that_lead_out_of_the_folder_are_skipped(tmp_path: Path) -> None:
    outside = write(tmp_path / "outside", "x.md", "outside")
    inside = write(tmp_path / "agents", "real.md", "inside")
    (tmp_path / "agents" / "again.md").symlink_to(inside)
    (tmp_path / "agents" / "out.md").symlink_to(outside)
    found = definitions_in([Folder(tmp_path / "agents")])
    assert set(told(found)) == {"inside"}
    assert "out.md" in only_notice(found)


def test_the_folder_of_a_repository_may_not_be_a_link_out_of_it(tmp_path: Path) -> None:
    write(tmp_path / "outside", "x.md", "outside")
    top = tmp_path / "repo"
    (top / ".claude").mkdir(parents=True)
    (top / ".claude" / "agents").symlink_to(tmp_path / "outside")
    found = definitions_in([Folder(top / ".claude" / "agents", within=top)])
    assert told(found) == {}
    assert "leads out of the repository" in only_notice(found)
    assert set(told(definitions_in([Folder(top / ".claude" / "agents")]))) == {"outside"}


def test_of_a_folder_full_of_files_the_first_are_read_and_the_rest_is_told(tmp_path: Path) -> None:
    for number in range(MOST_FILES + 7):
        write(tmp_path, f"{number:04}.md", f"n{number}")
    found = definitions_in([Folder(tmp_path)])
    assert len(told(found)) == MOST_FILES
    assert f"of the {MOST_FILES + 7} files of {tmp_path} only the first" in only_notice(found)


def test_of_many_bad_files_some_are_named_and_the_others_counted(tmp_path: Path) -> None:
    for number in range(MOST_TOLD + 7):
        (tmp_path / f"{number:04}.md").write_text("no head")
    *named, last = definitions_in([Folder(tmp_path)]).notices
    assert len(named) == MOST_TOLD
    assert f"7 more files of {tmp_path} skipped" in last.message


@pytest.mark.parametrize(
    ("head", "why"),
    [
        ("name: ../../etc", "`name: ../../etc` has to be"),
        ("name: \x1b[2Jx\u202e", r"`name: \x1b[2Jx\u202e` has to be"),
        ("name:\n  - a\n  - b", "`name: a, b` has to be"),
        ("name: &n abc", "has to be"),
        ("name: [[[[x]]]]", "has to be"),
        ("a: &a [x]\nb: [*a, *a]", "it has no `name`"),
    ],
)
def test_what_a_head_may_hold_beside_words_is_no_name(tmp_path: Path, head: str, why: str) -> None:
    (tmp_path / "a.md").write_text(f"---\n{head}\n---\nDo.\n")
    found = definitions_in([Folder(tmp_path)])
    assert told(found) == {}
    assert why in only_notice(found)


@pytest.mark.parametrize(
    "made",
    [
        "---\nname: a\n" + "  - x\n" * 9_000 + "---\nDo.\n",
        "---\n" + "a" * 60_000 + "\n---\nDo.\n",
        "---\nname: a" + " " * 60_000 + ":\n---\nDo.\n",
        "---" + "\t " * 30_000 + "x\n---\nDo.\n",
        "---\n" + "- - - -\n" * 8_000 + "---\nDo.\n",
    ],
)
def test_no_file_takes_long(tmp_path: Path, made: str) -> None:
    (tmp_path / "a.md").write_text(made)
    began = time.process_time()
    definitions_in([Folder(tmp_path)])
    assert time.process_time() - began < 2
