from __future__ import annotations

import os
import re
import shutil
import subprocess
import time
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from sennit.core.globs import NO_GLOBS, BadGlob, Globs, compiled_globs, glob_problem


def compiled(*patterns: str) -> Globs:
    found = compiled_globs(patterns)
    assert isinstance(found, Globs), found
    return found


@pytest.mark.parametrize(
    ("pattern", "path", "expected"),
    [
        ("*.py", b"a.py", True),
        ("*.py", b"deep/in/a.py", True),
        ("/*.py", b"deep/a.py", False),
        ("src/*.py", b"src/a.py", True),
        ("src/*.py", b"src/deep/a.py", False),
        ("src/**", b"src/deep/a.py", True),
        ("src/**", b"src", False),
        ("src", b"src/deep/a.py", True),
        ("src", b"lib/src/a.py", True),
        ("/src", b"lib/src/a.py", False),
        ("src/", b"src", False),
        ("src/", b"src/a", True),
        ("**/test_*.py", b"test_a.py", True),
        ("a/**/b", b"a/b", True),
        ("a/**/b", b"a/x/y/b", True),
        ("a/**/b", b"a/x/y/bc", False),
        ("a/**/b/**/c", b"a/b/b/x/c", True),
        ("*", b"anything/at/all", True),
        ("**", b"anything/at/all", True),
        ("?.c", b"ab.c", False),
        ("[a-c]x", b"bx", True),
        ("[!a-c]x", b"bx", False),
        ("[]x]", b"]", True),
        ("\\*", b"*", True),
        ("\\*", b"a", False),
        ("*.{js,ts}", b"src/a.ts", True),
        ("*.{js,ts}", b"src/a.py", False),
        ("{a,b}/{c,d}", b"b/c", True),
        ("\\{a,b\\}", b"{a,b}", True),
        ("*", b"a\nb", True),
        ("a/*", b"a/b\nc", True),
        ("*.py", b"\xff\xfe.py", True),
        ("a+b", b"a+b", True),
        ("a+b", b"aab", False),
        (".*", b".env", True),
        ("*env", b".env", True),
        ("é*", "écrit".encode(), True),
    ],
)
def test_a_pattern_names_what_git_would_say_it_names(
    pattern: str, path: bytes, *, expected: bool
) -> None:
    assert compiled(pattern).matches(path) is expected


def test_no_pattern_matches_nothing() -> None:
    assert compiled_globs(()) == NO_GLOBS
    assert not NO_GLOBS.matches(b"a")


def test_any_of_several_patterns_is_enough() -> None:
    globs = compiled("*.py", "docs/")
    assert globs.matches(b"docs/a.md")
    assert globs.matches(b"x.py")
    assert not globs.matches(b"x.md")


@pytest.mark.parametrize(
    "pattern",
    [
        "", "a\0b", "!a", "[a", "a{b", "a}b", "{a,{b,c}}", "a//b", "./a", "a/../b", "/", "\\",
        "a\\", "[z-a]", "[[:alpha:]]", "[é]", "\ud800", "x" * 2_000, "{a,b}" * 7,
    ],
)  # fmt: skip
def test_a_pattern_that_says_nothing_is_told_with_its_reason(pattern: str) -> None:
    problem = glob_problem(pattern)
    assert problem


def test_every_bad_pattern_is_told() -> None:
    found = compiled_globs(("ok", "!a", "[b"))
    assert isinstance(found, tuple)
    assert [each.pattern for each in found] == ["!a", "[b"]
    assert all(isinstance(each, BadGlob) for each in found)


def test_a_hostile_pattern_does_not_take_long() -> None:
    globs = compiled("**/a*a*a*a*a*a*a*a*a*a*a*b/**/c*c*c*c*c*c/**/z", "a" + "*a" * 100 + "*b")
    path = b"/".join([b"a" * 200, *([b"c" * 200] * 20), b"x"])
    begun = time.process_time()
    assert not globs.matches(path)
    assert time.process_time() - begun < 1


GIT = shutil.which("git") or "git"
PIECES = ["a", "b", "ab", "*", "?", "**", "/", "/", "[ab]", "[!a]", "\\*", ".", "a*", "*b"]
PATHS = [
    b"a", b"b", b"ab", b"ba", b"aab", b".a", b"*", b"a/b", b"b/a", b"a/a/b", b"ab/b/a",
    b"a/b/ab/b", b"b/.a/ab", b"a/*/b",
]  # fmt: skip


def said_by_git(folder: Path, pattern: str) -> set[bytes]:
    (folder / ".gitignore").write_bytes(pattern.encode() + b"\n")
    asked = [GIT, "-C", str(folder), "-c", "core.ignoreCase=false"]
    asked += ["check-ignore", "--no-index", "--stdin", "-z"]
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1"}
    done = subprocess.run(
        asked, input=b"\0".join(PATHS) + b"\0", capture_output=True, check=False, env=environment
    )
    assert done.returncode in {0, 1}, done.stderr
    return set(done.stdout.split(b"\0")) - {b""}


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("globs")
    subprocess.run([GIT, "init", "-q", str(folder)], check=True)
    return folder


@settings(max_examples=60, deadline=None)
@given(pattern=st.lists(st.sampled_from(PIECES), min_size=1, max_size=6).map("".join))
def test_globs_agree_with_git(repository: Path, pattern: str) -> None:
    # Against its own documentation git lets two stars behind other characters cross folders.
    assume(not re.search(r"[^/]\*\*|\*\*[^/]", pattern))
    found = compiled_globs((pattern,))
    if isinstance(found, Globs):
        assert {path for path in PATHS if found.matches(path)} == said_by_git(repository, pattern)
