"""Makes room for a new workspace at the path of an earlier one whose work was taken."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import evolve

from sennit.adapters.git.delete import Deleted, NotDeleted, delete_workspace
from sennit.adapters.git.files import in_thread
from sennit.adapters.git.records import read_record, write_record
from sennit.core.objects import GitFailed
from sennit.core.uris import display

if TYPE_CHECKING:
    from sennit.adapters.git.store import Store
    from sennit.adapters.platform.lives import Owner


async def make_room(store: Store, name: str, by: Owner) -> GitFailed | None:
    """Delete the workspace of that name, so that another one can be made at its path.

    To be called only by who alone may work there and knows that what it holds was captured: the
    process that made it may still run, and has no more to do with it. A workspace that is gone is
    fine; a folder that is not ours is left alone and is a failure.
    """
    taken = await in_thread("take a workspace over", _take, store, name, by)
    if isinstance(taken, GitFailed):
        return taken
    if not taken:
        return None
    deleted = await delete_workspace(store, name, by)
    match deleted:
        case Deleted():
            return None
        case NotDeleted(reason=reason, where=where):
            said = f"{display(where)} is in the way ({reason.value})"
            advice = "Move it away, or follow up with a new task."
            return GitFailed("make a workspace where the earlier one was", None, said, advice)
        case _:
            return deleted


def _take(store: Store, name: str, by: Owner) -> bool:
    record = read_record(store, name)
    if record is None:
        return False
    write_record(store, evolve(record, owner=by))
    return True
