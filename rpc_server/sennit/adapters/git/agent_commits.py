"""Finds the commits that an agent made in its workspace and brings them into the store.

The workspace's git directory belongs to the agent: its configuration is never read. Refs and logs
are read as files, objects as a folder that the store borrows for the length of a call, and what is
taken over is hashed anew on the way.
"""

from __future__ import annotations

import os
import re
import shutil
import stat
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import anyio
from attrs import evolve, frozen

from sennit.adapters.git.agent_tables import named_in_tables
from sennit.adapters.git.files import in_thread, make_private_folder, read_if_there
from sennit.adapters.git.git import Config, Git, Place
from sennit.adapters.git.records import refs_file
from sennit.adapters.git.scratch import scratch_name
from sennit.adapters.git.stage import nul_ended
from sennit.adapters.git.store import REF_PREFIX, Store
from sennit.adapters.walking import walked
from sennit.core.objects import GitFailed

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sennit.adapters.git.workspace import Workspace

_ID = re.compile(rb"(?:^|(?<=[ \n]))([0-9a-f]{64}|[0-9a-f]{40})(?=[ \n]|$)")
_REMOTES = Path("refs", "remotes")
_LARGEST_FILE = 8 << 20
_MOST_COMMITS = 1_000
# Side files of a folder of objects could say untrue things about commits; only objects count.
_OBJECTS_ALONE: Config = (
    ("core.commitGraph", "false"),
    ("core.multiPackIndex", "false"),
    ("pack.useBitmaps", "false"),
)


@frozen
class AgentCommit:
    """A commit that the agent made, kept in the store, with its message."""

    id: str
    message: str


async def take_agent_commits(
    git: Git, store: Store, workspace: Workspace
) -> tuple[AgentCommit, ...] | GitFailed:
    """Bring every commit of the workspace that is not the user's into the store, oldest first.

    Branches that were left or deleted count too: the logs of refs name what they pointed at. What
    was fetched comes along where a commit of the agent's needs it, and is none of these itself. An
    agent may have put a link to somebody's repository in the place of its own, or of a part of it,
    where it could not even look: nothing is read behind one.
    """
    named = await _named(git, store, workspace.folder / ".git")
    if isinstance(named, GitFailed):
        return named
    known = await in_thread("read refs", _known, store, workspace)
    if isinstance(known, GitFailed):
        return known
    place = evolve(store.place, alternates=(workspace.folder / ".git" / "objects",))
    tips = await _commits_among(git, place, sorted(named.own - known))
    if isinstance(tips, GitFailed):
        return tips
    if not tips:
        return ()
    failed = await _taken_over(git, store, place, workspace.name, tips, known)
    if failed is not None:
        return failed
    return await _messages(git, store, _ends(tips, known | named.fetched))


async def _taken_over(
    git: Git, store: Store, place: Place, name: str, tips: Sequence[str], known: set[str]
) -> GitFailed | None:
    taken = await _take(git, store, place, _ends(tips, known))
    return await _keep_all(git, store, name, tips) if taken is None else taken


def _ends(tips: Sequence[str], without: set[str]) -> bytes:
    wanted = [*tips, *(f"^{identity}" for identity in sorted(without))]
    return "".join(f"{line}\n" for line in wanted).encode()


@frozen
class _Named:
    """Ids of objects that a git directory names: those of remotes were fetched.

    ``is_whole``: whether there is one, with objects of its own.
    """

    own: set[str]
    fetched: set[str]
    is_whole: bool = True


async def _named(git: Git, store: Store, git_dir: Path) -> _Named | GitFailed:
    in_files = await in_thread("read an agent's refs", _named_in_files, git_dir)
    if isinstance(in_files, GitFailed) or not in_files.is_whole:
        return in_files
    in_tables = await named_in_tables(git, store, git_dir)
    if isinstance(in_tables, GitFailed):
        return in_tables
    return _Named(in_files.own | in_tables.own, in_files.fetched | in_tables.fetched)


def _named_in_files(git_dir: Path) -> _Named:
    """Collect every object id in HEAD, refs and logs; links are not followed."""
    named = _Named(set(), set())
    if not (_is_folder(git_dir) and _is_folder(git_dir / "objects")):
        return evolve(named, is_whole=False)
    for file in _plain_files(git_dir):
        of_a_remote = file.is_relative_to(git_dir / _REMOTES) or file.is_relative_to(
            git_dir / "logs" / _REMOTES
        )
        for line in (read_if_there(file) or b"").splitlines():
            packed = line.partition(b" ")[2].startswith(b"refs/remotes/")
            found = {identity.decode() for identity in _ID.findall(line)}
            (named.fetched if of_a_remote or packed else named.own).update(found)
    return _Named(_without_nothing(named.own), _without_nothing(named.fetched))


def _without_nothing(ids: set[str]) -> set[str]:
    """Leave out the id of zeros, with which the log of a ref begins."""
    return {one for one in ids if one.strip("0")}


def _plain_files(git_dir: Path) -> Iterator[Path]:
    yield from (file for file in (git_dir / "HEAD", git_dir / "packed-refs") if _is_small(file))
    for top in filter(_is_folder, (git_dir / "refs", git_dir / "logs")):
        for entry in walked(os.fsencode(top)):
            file = Path(os.fsdecode(entry.path))
            if _is_small(file):
                yield file


def _is_folder(path: Path) -> bool:
    return path.is_dir() and not path.is_symlink()


def _is_small(file: Path) -> bool:
    try:
        status = file.lstat()
    except OSError:
        return False
    return stat.S_ISREG(status.st_mode) and status.st_size <= _LARGEST_FILE


def _known(store: Store, workspace: Workspace) -> set[str]:
    refs = read_if_there(refs_file(store, workspace.name)) or b""
    return {workspace.base, *(line.split(b" ")[0].decode() for line in refs.splitlines())}


async def _commits_among(
    git: Git, place: Place, identities: Sequence[str]
) -> tuple[str, ...] | GitFailed:
    if not identities:
        return ()
    answer = await git.run(
        ["cat-file", "--batch-check=%(objectname) %(objecttype)"],
        place,
        stdin="".join(f"{identity}\n" for identity in identities).encode(),
        config=_OBJECTS_ALONE,
    )
    if isinstance(answer, GitFailed):
        return answer
    lines = (line.decode().split(" ") for line in answer.stdout.splitlines())
    return tuple(words[0] for words in lines if words[1:] == ["commit"])


async def _take(git: Git, store: Store, place: Place, ends: bytes) -> GitFailed | None:
    """Copy the objects; ``index-pack`` hashes each and refuses what pretends to be another.

    A pack comes into the store when it is whole: git leaves a broken one lying where it writes it.
    """
    packed = await git.run(
        ["pack-objects", "--revs", "--stdout", "-q", "--thin"],
        place,
        stdin=ends,
        config=_OBJECTS_ALONE,
    )
    if isinstance(packed, GitFailed):
        return packed
    incoming = store.scratch / scratch_name("incoming")
    beside = evolve(store.place, object_directory=incoming, alternates=(store.objects,))
    try:
        done = await in_thread("make a folder", make_private_folder, incoming / "pack")
        if isinstance(done, GitFailed):
            return done
        indexed = await git.run(
            ["index-pack", "--stdin", "--fix-thin", "--strict"], beside, stdin=packed.stdout
        )
        if isinstance(indexed, GitFailed):
            return indexed
        return await in_thread("take a pack over", _move_in, incoming / "pack", store)
    finally:
        with anyio.CancelScope(shield=True):
            await in_thread("remove a folder", partial(shutil.rmtree, incoming, ignore_errors=True))


def _move_in(packs: Path, store: Store) -> None:
    """Move a pack into the store; its index comes last, since it is what makes git see it."""
    for file in sorted(packs.iterdir(), key=lambda file: file.suffix == ".idx"):
        file.replace(store.objects / "pack" / file.name)


async def _keep_all(git: Git, store: Store, name: str, tips: Sequence[str]) -> GitFailed | None:
    updates = [f"update {REF_PREFIX}/agent/{name}/{tip}\0{tip}\0".encode() for tip in tips]
    done = await git.run(["update-ref", "-z", "--stdin"], store.place, stdin=nul_ended(updates))
    return done if isinstance(done, GitFailed) else None


async def _messages(git: Git, store: Store, ends: bytes) -> tuple[AgentCommit, ...] | GitFailed:
    asked = [
        "log",
        "-z",
        "--reverse",
        "--topo-order",
        f"--max-count={_MOST_COMMITS}",
        "--no-show-signature",
        # What was fetched and is used by no commit of the agent's is not in the store.
        "--ignore-missing",
        "--format=%H%n%B",
        "--stdin",
    ]
    answer = await git.run(asked, store.place, stdin=ends)
    if isinstance(answer, GitFailed):
        return answer
    records = (record.partition(b"\n") for record in answer.stdout.split(b"\0") if record)
    return tuple(
        AgentCommit(identity.decode(), message.decode("utf-8", "replace").strip())
        for identity, _, message in records
    )
