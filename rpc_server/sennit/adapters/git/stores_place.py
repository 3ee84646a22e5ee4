"""Which folder of stores is a state folder's own: what a store keeps, one database alone knows.

Several state folders may be told one place for their stores, on a large disk for example: those of
two containers, or of two machines. The first one has it, and says so there. Another one has a
folder of its own in it, or either would collect as needed by nobody what the other one keeps.
"""

from __future__ import annotations

import json
import os
import secrets
from contextlib import suppress
from hashlib import sha256
from typing import TYPE_CHECKING

from attrs import define, field

from sennit.adapters.git.files import (
    PRIVATE_FILE,
    make_private_folder,
    read_if_there,
    write_private,
)

if TYPE_CHECKING:
    from pathlib import Path

CLAIM = ".sennit-state"
"""A file in a folder of stores: whose it is."""
_IDENTITY = "identity"
_PLACES = "places"


@define(eq=False)
class StoresPlace:
    """Finds the folder of stores of a state folder, ``state``."""

    state: Path
    _known: dict[Path, Path] = field(factory=dict, init=False)

    def within(self, wanted: Path) -> Path:
        """Give the folder for stores where they are wanted, claimed as soon as that is there.

        What was decided once stays so: a disk that is not mounted just now claims nothing.
        """
        if wanted.is_relative_to(os.path.realpath(self.state)):
            return wanted
        if wanted not in self._known:
            # What cannot be written down is asked again.
            with suppress(OSError):
                found = self._remembered(wanted)
                if found is None and wanted.is_dir():
                    found = self._decided(wanted)
                if found is not None:
                    self._known[wanted] = found
        return self._known.get(wanted, wanted)

    def _decided(self, wanted: Path) -> Path:
        mine = self._identity()
        place = wanted if _claimed_by(wanted, mine, self.state) == mine else wanted / mine
        memory = self._memory(wanted)
        make_private_folder(memory.parent)
        within = "" if place == wanted else place.name
        write_private(memory, json.dumps({"within": within}).encode(), to_the_disk=True)
        return place

    def _remembered(self, wanted: Path) -> Path | None:
        try:
            return wanted / str(json.loads(read_if_there(self._memory(wanted)) or b"")["within"])
        except (ValueError, KeyError, TypeError):
            # There is none, or one that a failing disk has left: what is claimed tells the same.
            return None

    def _memory(self, wanted: Path) -> Path:
        return self.state / _PLACES / f"{sha256(os.fsencode(wanted)).hexdigest()[:16]}.json"

    def _identity(self) -> str:
        return _first_word(self.state / _IDENTITY, secrets.token_hex(8).encode())


def _claimed_by(folder: Path, identity: str, state: Path) -> str:
    # The path is told for people: the name of a state folder is the same on many machines.
    spelled = os.fsencode(state).decode("utf-8", "backslashreplace")
    return _first_word(folder / CLAIM, f"{identity}\n{spelled}\n".encode())


def _first_word(file: Path, content: bytes) -> str:
    """Write a file if nobody has, whole or not at all; gives its first line."""
    if not file.exists():
        beside = file.with_name(f"{file.name}.{secrets.token_hex(4)}")
        handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, PRIVATE_FILE)
        try:
            with os.fdopen(handle, "wb") as opened:
                opened.write(content)
                opened.flush()
                os.fsync(opened.fileno())
            with suppress(FileExistsError):
                file.hardlink_to(beside)
        finally:
            beside.unlink()
    return file.read_bytes().split(b"\n", 1)[0].decode()
