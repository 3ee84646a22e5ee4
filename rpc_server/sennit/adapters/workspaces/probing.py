"""Finds out by trying which kinds of workspaces can be had on the disk of a store."""

from __future__ import annotations

import errno
import os
import secrets
from contextlib import suppress
from pathlib import Path

import anyio.to_thread
from attrs import define, field

from sennit.adapters.git.disk_abilities import TELLS_NOTHING
from sennit.adapters.overlay.probing import probe as probe_layers
from sennit.adapters.workspaces.copying import clone_file
from sennit.core.workspace_kinds import Found, KindFound, KindRefused, KindWorks, WorkspaceKind


@define
class KindProbe:
    """Tries each kind once for a pair of folders: of the store and of workspaces.

    What a full disk kept from being found out is tried again.
    """

    _known: dict[tuple[Path, Path], Found] = field(factory=dict)

    async def look(self, store: Path, workspaces: Path) -> Found:
        """Give what works between two folders, both of which are made where they are missing.

        Layers, which take a while to be tried and are made only where they are asked for, are not.
        """
        asked = (store, workspaces)
        known = self._known.get(asked)
        if known is None:
            known = await anyio.to_thread.run_sync(probe, store, workspaces)
            if not any(map(_passes, known.values())):
                self._known[asked] = known
        return known

    async def look_at_all(self, store: Path, workspaces: Path) -> Found:
        """Give what works, as `look` does, with layers."""
        found = await self.look(store, workspaces)
        if WorkspaceKind.OVERLAY in found:
            return found
        layers = await anyio.to_thread.run_sync(probe_layers, store, workspaces)
        found = {WorkspaceKind.OVERLAY: layers, **found}
        if not any(map(_passes, found.values())):
            self._known[store, workspaces] = found
        return found


def _passes(found: KindFound) -> bool:
    return isinstance(found, KindRefused) and found.passes


def probe(store: Path, workspaces: Path) -> Found:
    """Try every kind but layers with files of our own, and leave nothing behind."""
    return {
        WorkspaceKind.REFLINK: _reflinks(store, workspaces),
        WorkspaceKind.POOL: _renames(workspaces),
        WorkspaceKind.CHECKOUT: KindWorks("git writes every file"),
    }


def _reflinks(store: Path, workspaces: Path) -> KindFound:
    name = f"probe.{secrets.token_hex(6)}"
    source, target = store / name, workspaces / name
    try:
        for folder in (store, workspaces):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        source.write_bytes(b"shared\n" * 1_000)
        clone_file(os.fsencode(source), os.fsencode(target), 0o600)
        if target.read_bytes() != source.read_bytes():
            return _no_reflinks(store, "a copy did not hold what its source holds")
    except OSError as error:
        if error.errno in TELLS_NOTHING:
            return _not_found_out(store, error)
        if error.errno == errno.EXDEV:
            return _on_two_disks(store, workspaces)
        return _no_reflinks(store, error.strerror or "it failed")
    finally:
        for file in (source, target):
            with suppress(OSError):
                file.unlink(missing_ok=True)
    return KindWorks("copies share their blocks with a kept checkout")


def _no_reflinks(store: Path, why: str) -> KindRefused:
    return KindRefused(
        f"files in {store} cannot be copied by sharing their blocks: {why}",
        "Keep the state folder on btrfs, XFS or APFS (`store.path`, SENNIT_STATE_DIR).",
    )


def _on_two_disks(store: Path, workspaces: Path) -> KindRefused:
    return KindRefused(
        f"files in {store} cannot share their blocks with copies in {workspaces}, which is on"
        " another disk",
        "Keep both on one disk (`store.path`, SENNIT_STATE_DIR).",
    )


def _not_found_out(folder: Path, error: OSError) -> KindRefused:
    why = f"nothing could be tried in {folder}: {error.strerror}"
    return KindRefused(why, "Make room there, or see why nothing can be written.", passes=True)


def _renames(workspaces: Path) -> KindFound:
    name = f"probe.{secrets.token_hex(6)}"
    before, after = workspaces / name, workspaces / f"{name}.2"
    try:
        workspaces.mkdir(mode=0o700, parents=True, exist_ok=True)
        before.mkdir()
        after.mkdir()
        before.rename(after)
    except OSError as error:
        if error.errno in TELLS_NOTHING:
            return _not_found_out(workspaces, error)
        return KindRefused(
            f"folders in {workspaces} cannot be renamed: {error.strerror}",
            "Look at its permissions and its file system.",
        )
    finally:
        for folder in (before, after):
            with suppress(OSError):
                folder.rmdir()
    return KindWorks("folders of earlier tasks are brought to the new base")
