"""Tries in a mounted workspace what agents do, for the probe: `python -I -S -P checking.py`.

The current folder is one that `probing` made. Prints what does not work; nothing when all does.
"""
# Importing pathlib would take 10 ms of each start; it says with `os` what programs say.
# ruff: noqa: PTH102, PTH104, PTH106, PTH108, PTH116, PTH123, PTH208

from __future__ import annotations

import os
import sys

WRITTEN = b"written here\n"


def main() -> None:
    """Do one thing after the other; the first that fails is told."""
    for check in (_times, _renames, _removals, _changes):
        try:
            wrong = check()
        except OSError as error:
            wrong = f"{error.strerror} ({check.__name__.strip('_')})"
        if wrong:
            sys.stdout.write(wrong)
            return


def _times() -> str:
    """What git looks at to see that a file is as it was."""
    before = os.stat("folder/file")
    os.chmod("folder/file", 0o755)  # noqa: PTH101, S103  it brings the file into the upper layer
    after = os.stat("folder/file")
    same = (before.st_mtime_ns, before.st_size) == (after.st_mtime_ns, after.st_size)
    return "" if same else "files get new times when they are copied up"


def _renames() -> str:
    os.rename("folder", "renamed")
    found = sorted(os.listdir("renamed"))
    return "" if found == ["file", "inner"] else "a renamed folder did not hold what it held"


def _removals() -> str:
    os.unlink("gone")
    os.unlink("replaced/file")
    os.rmdir("replaced")
    os.mkdir("replaced")
    left = os.listdir("replaced")
    return f"a removed file is there again: {left}" if left or os.path.exists("gone") else ""  # noqa: PTH110


def _changes() -> str:
    with open("changed", "r+b") as file:
        file.write(WRITTEN)
    return ""


if __name__ == "__main__":
    main()
