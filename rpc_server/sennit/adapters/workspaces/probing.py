"""Finds out by trying which kinds of workspaces can be had on the disk of a store."""

from __future__ import annotations

import os
import secrets
from contextlib import suppress
from pathlib import Path

import anyio.to_thread
from attrs import define, field

from sennit.adapters.overlay.probing import probe as probe_layers
from sennit.adapters.workspaces.copying import clone_file
from sennit.core.workspace_kinds import Found, KindFound, KindRefused, KindWorks, WorkspaceKind


@define
class KindProbe:
    """Tries each kind once for a pair of folders: of the store and of workspaces."""

    _known: dict[tuple[Path, Path], Found] = field(factory=dict)

    async def look(self, store: Path, workspaces: Path) -> Found:
        """Give what works between two folders, both of which are made where they are missing.

        Layers, which take a while to be tried and are made only where they are asked for, are not.
        """
        asked = (store, workspaces)
        if asked not in self._known:
            self._known[asked] = await anyio.to_thread.run_sync(probe, store, workspaces)
        return self._known[asked]

    async def look_at_all(self, store: Path, workspaces: Path) -> Found:
        """Give what works, as `look` does, with layers."""
        found = await self.look(store, workspaces)
        if WorkspaceKind.OVERLAY not in found:
            layers = await anyio.to_thread.run_sync(probe_layers, store, workspaces)
            found = {WorkspaceKind.OVERLAY: layers, **found}
            self._known[store, workspaces] = found
        return found


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


def _renames(workspaces: Path) -> KindFound:
    name = f"probe.{secrets.token_hex(6)}"
    before, after = workspaces / name, workspaces / f"{name}.2"
    try:
        workspaces.mkdir(mode=0o700, parents=True, exist_ok=True)
        before.mkdir()
        after.mkdir()
        before.rename(after)
    except OSError as error:
        return KindRefused(
            f"folders in {workspaces} cannot be renamed: {error.strerror}",
            "Look at its permissions and its file system.",
        )
    finally:
        for folder in (before, after):
            with suppress(OSError):
                folder.rmdir()
    return KindWorks("folders of earlier tasks are brought to the new base")
