from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from sennit.core.objects import MODE_FILE, MODE_LINK
from sennit.core.portability import colliding_names, refused_entry, unportable_name

GIT = shutil.which("git") or "git"
GIT_IN_DISGUISE = [
    b".git", b".GIT", b"a/.Git/config", b".git./x", b".git /x", b".git. . /x", b"git~1", b"GIT~1/x",
    b".git::$INDEX_ALLOCATION", b"a\\.git", ".g\u200cit".encode(), ".git\ufeff/x".encode(),
]  # fmt: skip
HARMLESS = [
    b".gitignore", b".github/a", b"git", b".git-x", b"git~2", b"a.git", b".gitx/y", b"dir.git/x",
    "g\u200cit".encode(), b"...", b"\xff.git", b".git~",
]  # fmt: skip


@pytest.mark.parametrize("path", GIT_IN_DISGUISE)
def test_the_git_directory_is_refused_in_any_spelling(path: bytes) -> None:
    assert refused_entry(path, MODE_FILE)


@pytest.mark.parametrize("path", HARMLESS)
def test_names_that_only_look_like_it_are_fine(path: bytes) -> None:
    assert refused_entry(path, MODE_FILE) is None


@pytest.mark.parametrize("path", [b"", b"/a", b"a//b", b"a/../b", b"./a", b"a\0b", b"a/"])
def test_what_is_no_path_of_a_tree_is_refused(path: bytes) -> None:
    assert refused_entry(path, MODE_FILE)


@pytest.mark.parametrize("name", [b".gitmodules", b"a/.GITMODULES", b"gitmod~1", b"GI7EBA~1"])
def test_a_link_in_place_of_gitmodules_is_refused_and_a_file_is_not(name: bytes) -> None:
    assert refused_entry(name, MODE_LINK)
    assert refused_entry(name, MODE_FILE) is None


def test_git_refuses_the_same_names(tmp_path: Path) -> None:
    git = [GIT, "-C", str(tmp_path), "-c", "core.protectNTFS=true", "-c", "core.protectHFS=true"]
    subprocess.run([GIT, "init", "-q", str(tmp_path)], check=True)
    hashed = subprocess.run(
        [*git, "hash-object", "-w", "--stdin"], input=b"x", capture_output=True, check=True
    )
    blob = hashed.stdout.strip().decode()
    for path in [*GIT_IN_DISGUISE, *HARMLESS]:
        line = b"100644 " + blob.encode() + b"\t" + path + b"\0"
        done = subprocess.run(
            [*git, "update-index", "-z", "--index-info"],
            input=line, capture_output=True, check=False,
        )  # fmt: skip
        git_says_no = done.returncode != 0 or b"Ignoring path" in done.stderr
        assert git_says_no == (refused_entry(path, MODE_FILE) is not None), path


@pytest.mark.parametrize(
    "path",
    [
        b"CON", b"con.txt", b"a/nul", b"COM1.log", "LPT\u00b9".encode(), b"aux .c", b"a:b", b"a?b",
        b'a"b', b"a\\b", b"tab\tname", b"trailing.", b"trailing ", b"dir./x", b"\xff", b"x" * 256,
        b"conout$", b"prn:stream",
    ],
)  # fmt: skip
def test_names_that_another_system_cannot_hold_are_told(path: bytes) -> None:
    assert unportable_name(path)


@pytest.mark.parametrize(
    "path", [b"console.c", b"a/com.c", b"COM10", b".hidden", b"a b", "é/😀".encode(), b"x" * 255]
)
def test_usual_names_are_portable(path: bytes) -> None:
    assert unportable_name(path) is None


def test_names_collide_by_case_by_unicode_form_and_by_folder() -> None:
    paths = [b"README", b"readme", "é".encode(), "e\u0301".encode(), b"Docs/a", b"docs/b", b"own"]
    assert colliding_names(paths) == frozenset(paths) - {b"own"}


def test_one_folder_with_many_files_collides_with_nothing() -> None:
    assert colliding_names([b"a/b", b"a/c", b"a/d/e", b"\xff/x", b"\xfe/x"]) == frozenset()
