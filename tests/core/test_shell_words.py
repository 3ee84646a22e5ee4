"""Names in commands that a person is told to run."""

from __future__ import annotations

import shutil
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sennit.core.shell_words import shell_word

NAMES = st.binary(min_size=1, max_size=12).filter(lambda name: b"\0" not in name)


@pytest.mark.parametrize(
    ("name", "word"),
    [
        (b"/home/a/repo", "/home/a/repo"),
        (b"/home/a b", "'/home/a b'"),
        (b"it's", "'it'\"'\"'s'"),
        (b"$HOME", "'$HOME'"),
        ("ä".encode(), "'ä'"),
        (b"two\nlines", "$'two\\012lines'"),
        (b"latin-\xe4", "$'latin-\\344'"),
        (b"it's\t\\", "$'it\\'s\\011\\\\'"),
    ],
)
def test_what_a_shell_would_read_otherwise_is_quoted(name: bytes, word: str) -> None:
    assert shell_word(name) == word


@given(NAMES)
def test_every_word_can_be_shown(name: bytes) -> None:
    assert shell_word(name).isprintable()


@pytest.mark.skipif(shutil.which("bash") is None, reason="issue 5: bash reads them here")
def test_a_shell_reads_the_very_bytes() -> None:
    names = [bytes([byte]) for byte in range(1, 256)] + [
        b"a b",
        b"\xe4'1",
        b"\x017",
        b"$(id)",
        b"~",
    ]
    script = "printf '%s\\0' " + " ".join(map(shell_word, names))
    done = subprocess.run(["bash", "-c", script], check=True, capture_output=True)
    assert done.stdout.split(b"\0")[:-1] == names
