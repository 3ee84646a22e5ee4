"""What ``git config --list --show-scope -z`` says: settings, each with the kind of its file."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from attrs import frozen

if TYPE_CHECKING:
    from collections.abc import Iterator

_OF_THE_CALL = b"command"
_OF_THE_REPOSITORY = frozenset({b"local", b"worktree"})


@frozen
class Setting:
    """One line of configuration; of several with one name the last one counts."""

    name: str
    value: str
    of_the_repository: bool


def entries_of(listed: bytes) -> tuple[Setting, ...]:
    """Give what files say, in the order in which git reads it, without what we told the call."""
    return tuple(_setting(scope, entry) for scope, entry in said_by_files(listed))


def said_by_files(listed: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Give scope and entry, as git prints them, of what files say and not the call itself."""
    # Git before 2.41 puts the scope in front of each entry as a field of its own.
    fields = listed.split(b"\0")
    for scope, entry in zip(fields[::2], fields[1::2], strict=False):
        if scope != _OF_THE_CALL:
            yield scope, entry


def _setting(scope: bytes, entry: bytes) -> Setting:
    name, equals, value = os.fsdecode(entry).partition("\n")
    # A name alone is true, and an empty value is false.
    return Setting(name, value if equals else "true", scope in _OF_THE_REPOSITORY)
