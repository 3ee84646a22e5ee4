from __future__ import annotations

import os
from pathlib import Path

from sennit.cli.demo.snapshots import differences, files_of, git_entries_of


def a_tree(tmp_path: Path) -> Path:
    (tmp_path / ".git" / "objects" / "ab").mkdir(parents=True)
    (tmp_path / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    (tmp_path / ".git" / "objects" / "ab" / "cd").write_text("object")
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "a").write_text("a")
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9")).write_text("b")
    (tmp_path / "link").symlink_to("sub")
    return tmp_path


def test_files_have_names_of_any_bytes_and_links_are_not_followed(tmp_path: Path) -> None:
    files = files_of(a_tree(tmp_path))
    assert set(files) == {b"sub/a", b"caf\xe9", b"link"}
    assert files[b"link"].data == b"sub"


def test_content_and_mode_count(tmp_path: Path) -> None:
    before = files_of(a_tree(tmp_path))
    (tmp_path / "sub" / "a").chmod(0o755)
    (tmp_path / "new").write_text("")
    assert differences(before, files_of(tmp_path)) == [b"new", b"sub/a"]


def test_times_of_git_count_except_those_of_objects(tmp_path: Path) -> None:
    before = git_entries_of(a_tree(tmp_path))
    os.utime(tmp_path / ".git" / "objects" / "ab" / "cd", (1, 1))
    assert differences(before, git_entries_of(tmp_path)) == []
    os.utime(tmp_path / ".git" / "HEAD", (1, 1))
    assert differences(before, git_entries_of(tmp_path)) == [b"HEAD"]
