"""How large objects are, without their bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sennit.core.objects import GitFailed

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from sennit.adapters.git.git import Git
    from sennit.adapters.git.store import Store


async def sizes_of(git: Git, store: Store, ids: Collection[str]) -> dict[str, int] | GitFailed:
    """Give the bytes that each object has, by id; what the store lacks is left out."""
    wanted = tuple(dict.fromkeys(ids))
    if not wanted:
        return {}
    asked = "".join(f"{one}\n" for one in wanted).encode()
    done = await git.run(
        ["cat-file", "--batch-check=%(objectname) %(objectsize)"], store.place, stdin=asked
    )
    return done if isinstance(done, GitFailed) else _parsed(wanted, done.stdout)


def _parsed(ids: Sequence[str], output: bytes) -> dict[str, int]:
    told = (line.rpartition(b" ")[2] for line in output.splitlines())
    return {one: int(size) for one, size in zip(ids, told, strict=True) if size != b"missing"}
