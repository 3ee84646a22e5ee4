"""Does one thing to the workspaces of a repository and is killed in the midst of it.

``python killed.py DOING ROOT EVENT TEXT NUMBER``: just before the call of that number which is such
an event (an audit event of Python that changes files, or "any") and names the text.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

import anyio

from sennit.adapters.git.base import take_snapshot
from sennit.adapters.git.discovery import Repository, Trust, discover
from sennit.adapters.git.git import git_for
from sennit.adapters.git.store import Store, open_store
from sennit.adapters.platform.lives import owner_of
from sennit.adapters.workspaces.making import make_workspace, prepare
from sennit.adapters.workspaces.spares import Room, release_workspace
from sennit.core.objects import Snapshot
from sennit.core.workspace_kinds import Plan, WorkspaceKind

ANY = "any"
POOL = Plan(spare=True, new=WorkspaceKind.CHECKOUT)
ROOM = Room(4, 1 << 30)
CHANGING = frozenset(
    {"os.chmod", "os.link", "os.mkdir", "os.remove", "os.rename", "os.rmdir", "os.utime"}
)
WRITING = os.O_CREAT | os.O_WRONLY | os.O_RDWR


def die_at(event: str, text: str, number: int) -> None:
    """Have this process killed before a call; what came before now does not count."""
    left = [number]

    def look(found: str, args: tuple[object, ...]) -> None:
        changing = found in CHANGING or (
            found == "open" and isinstance(args[2], int) and bool(args[2] & WRITING)
        )
        if not changing or event not in {ANY, found} or text not in repr(args):
            return
        left[0] -= 1
        if left[0] == 0:
            print(found, args, flush=True)  # noqa: T201  its answer
            os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(look)


async def main(doing: str, root: Path, *moment: str) -> None:
    git = git_for("git", os.environ)
    repository = await discover(git, root / "repo", Trust.TRUSTED)
    assert isinstance(repository, Repository), repository
    store = await open_store(git, repository, root / "state/stores")
    assert isinstance(store, Store), store
    base = await take_snapshot(git, store, repository, ())
    assert isinstance(base, Snapshot), base
    me = owner_of(os.getpid())
    assert me is not None
    workspaces = root / "work spaces"
    event, text, number = moment
    die_at(event, text, int(number))
    match doing:
        case "make":
            await make_workspace(
                git, store, repository, base, workspaces / "two", owner=me, plan=POOL
            )
        case "prepare":
            await prepare(git, store, repository, base, workspaces, owner=me, plan=POOL)
        case _:
            await release_workspace(store, "one", me, ROOM)


if __name__ == "__main__":
    anyio.run(main, sys.argv[1], Path(sys.argv[2]), *sys.argv[3:6])
