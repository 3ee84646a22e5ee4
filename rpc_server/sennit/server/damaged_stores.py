"""What `sennit doctor` says of kept work whose objects are missing or damaged in their store."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

import anyio
import anyio.to_thread

from sennit.adapters.git.connectivity import Looked, Work, look_at_works
from sennit.adapters.git.mirror_memory import Mirroring
from sennit.adapters.git.store import Store
from sennit.core.counted import counted
from sennit.core.engine.rows import RevisionRow
from sennit.core.objects import GitFailed
from sennit.server.failures import git_failed
from sennit_protocol.upkeep import DoctorLine, Health

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from sennit.server.services import Services

LOOK_S = 10.0
"""How long all stores are looked at together, at most, seconds."""
_AREA = "stores"
_SHOWN = 5
_TITLE = "Looking at kept work"


async def damage_lines(services: Services) -> tuple[DoctorLine, ...]:
    """Look at what every revision needs that a row of any server names, store by store."""
    kept: defaultdict[str, list[RevisionRow]] = defaultdict(list)
    for row in services.state.rows(RevisionRow):
        kept[row.repository.key].append(row)
    if not kept:
        return ()
    every, done, unread = sum(map(len, kept.values())), 0, 0
    lines: list[DoctorLine] = []
    until = anyio.current_time() + LOOK_S
    async with services.connection.progress(_TITLE) as progress:
        for key, rows in sorted(kept.items()):

            def told(number: int, before: int = done) -> None:
                progress.report(f"{before + number} of {every}", 100 * (before + number) // every)

            told(0)
            found = await _looked(services, key, rows, until - anyio.current_time(), told)
            if isinstance(found, DoctorLine):
                lines.append(found)
            else:
                unread += found
            done += len(rows)
    return tuple(lines) or (_all_well(every, unread),)


async def _looked(
    services: Services,
    key: str,
    rows: Sequence[RevisionRow],
    seconds: float,
    told: Callable[[int], None],
) -> DoctorLine | int:
    """Say what is wrong; how many objects were not read for want of time, where nothing is."""
    root = services.stores_root / key
    if not await anyio.Path(root / "git" / "HEAD").exists():
        needed = counted(len(rows), "revision needs", "revisions need")
        message = f"The store {root} is not there, which {needed}."
        return DoctorLine(_AREA, Health.BAD, message, _advice(root / "git", rows))
    store = Store(root, _object_format(rows[0].commit), Mirroring.LINKED)
    works = [Work(row.id, row.commit, row.base_commit) for row in rows]
    looked = await look_at_works(services.git, store, works, seconds, told)
    if isinstance(looked, GitFailed):
        return DoctorLine(_AREA, Health.BAD, git_failed(looked), looked.advice or None)
    if looked.damaged:
        return _damaged(store, rows, looked)
    if looked.unlooked:
        message = f"There was no time to look whether {root} has all of {_works(rows)}."
        return DoctorLine(
            _AREA, Health.WARNING, message, "Look again when the disk has less to do."
        )
    return looked.unread


def _damaged(store: Store, rows: Sequence[RevisionRow], looked: Looked) -> DoctorLine:
    hit = [row for row in rows if row.id in looked.damaged]
    message = f"Objects are missing or damaged in {store.root}: {_named(hit, looked.damaged)}."
    if looked.unlooked:
        message += f" There was no time for {len(looked.unlooked)} of {_works(rows)}."
    return DoctorLine(_AREA, Health.BAD, message, _advice(store.git_dir, hit))


def _named(rows: Sequence[RevisionRow], damaged: Mapping[str, str]) -> str:
    told = [
        f"{row.proposal} ({row.ticket}/{row.task}, revision {row.number}): {damaged[row.id]}"
        for row in rows[:_SHOWN]
    ]
    more = len(rows) - _SHOWN
    return "; ".join([*told, *([f"and {more} more"] if more > 0 else [])])


def _advice(git_dir: object, rows: Sequence[RevisionRow]) -> str:
    proposals = " ".join(dict.fromkeys(row.proposal for row in rows))
    return (
        f"Put the objects back from a copy of {git_dir} if there is one. What an agent has left may"
        " still be in its workspace (`sennit show`). What is lost for good can be dropped, and all"
        f" else is as it was: sennit drop {proposals}"
    )


def _works(rows: Sequence[RevisionRow]) -> str:
    return counted(len(rows), "revision")


def _all_well(every: int, unread: int) -> DoctorLine:
    message = f"The objects that {counted(every, 'revision needs', 'revisions need')} are there."
    if unread:
        message += f" {unread} of them were not read, which would have taken longer."
    return DoctorLine(_AREA, Health.GOOD, message)


def _object_format(identity: str) -> str:
    return "sha1" if len(identity) == 40 else "sha256"  # noqa: PLR2004  digits of a SHA-1
