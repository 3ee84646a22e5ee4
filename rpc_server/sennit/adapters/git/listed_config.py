"""What ``git config --list --show-scope -z`` says: settings, each with the kind of its file."""

from __future__ import annotations

import os

from attrs import frozen

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
    # Git before 2.41 puts the scope in front of each entry as a field of its own.
    fields = listed.split(b"\0")
    pairs = zip(fields[::2], fields[1::2], strict=False)
    return tuple(_setting(scope, entry) for scope, entry in pairs if scope != _OF_THE_CALL)


def _setting(scope: bytes, entry: bytes) -> Setting:
    name, equals, value = os.fsdecode(entry).partition("\n")
    # A name alone is true, and an empty value is false.
    return Setting(name, value if equals else "true", scope in _OF_THE_REPOSITORY)
