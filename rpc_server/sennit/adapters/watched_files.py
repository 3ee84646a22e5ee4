"""Reads the files of a folder that can start programs, and hashes them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from hashlib import sha256
from itertools import chain

from attrs import frozen

from sennit.adapters.small_files import Content, Missing, Unreadable, read_small_file
from sennit.core.trust import GIT_CONFIG, WATCHED, Watched, program_part_of_git_config

MOST_FILES = 2_000


@frozen
class TrustPlace:
    """What trust is asked for, in absolute real paths.

    ``top`` is the repository's top level, or the folder where there is no repository.
    ``git_configs`` are git's configuration files of it: `config` of the common directory, and
    `config.worktree` of the git directory. ``folders`` are those below the top level in which
    agents start: agents read their settings there too, and in every folder on the way.
    """

    top: bytes
    git_configs: tuple[bytes, ...] = ()
    folders: tuple[bytes, ...] = ()


@frozen
class WatchedUnreadable:
    """A watched file cannot be read, so nobody can say what it starts."""

    path: bytes
    reason: str


def watched_digests(
    place: TrustPlace, known: Iterable[bytes]
) -> dict[bytes, str] | WatchedUnreadable:
    """Hash every watched file that exists, and those of ``known`` that do.

    Keys are relative to the top level. Blocking: call it in a thread.
    """
    config = _git_config_digest(place)
    if isinstance(config, WatchedUnreadable):
        return config
    digests = {} if config is None else {GIT_CONFIG: config}
    try:
        for path in chain(_watched_paths(place), known):
            if path in digests or path == GIT_CONFIG:
                continue
            if len(digests) > MOST_FILES:
                return WatchedUnreadable(path, f"is one of over {MOST_FILES} files to be hashed")
            digest = _digest(place.top, path)
            if isinstance(digest, WatchedUnreadable):
                return digest
            if digest is not None:
                digests[path] = digest
    except OSError as error:
        return WatchedUnreadable(_named(error, place.top), error.strerror or str(error))
    return digests


def _digest(top: bytes, path: bytes) -> str | WatchedUnreadable | None:
    match read_small_file(top + b"/" + path):
        case Content(content=content):
            return sha256(content).hexdigest()
        case Unreadable(reason=reason):
            return WatchedUnreadable(path, reason)
        case Missing():
            return None


def _named(error: OSError, top: bytes) -> bytes:
    name = error.filename
    return os.fsencode(name) if isinstance(name, bytes | str) else top


def _git_config_digest(place: TrustPlace) -> str | WatchedUnreadable | None:
    parts: list[bytes] = []
    for path in place.git_configs:
        match read_small_file(path):
            case Content(content=content):
                parts.append(program_part_of_git_config(content))
            case Unreadable(reason=reason):
                return WatchedUnreadable(path, reason)
            case Missing():
                parts.append(b"")
    # A NUL cannot be part of a configuration, so two files never look like one.
    return sha256(b"\0".join(parts)).hexdigest() if any(parts) else None


def _watched_paths(place: TrustPlace) -> Iterator[bytes]:
    for folder in _folders_on_the_way(place):
        for watched in WATCHED:
            yield from _paths_of(place.top, folder, watched)


def _folders_on_the_way(place: TrustPlace) -> tuple[bytes, ...]:
    """Name the top level (as the empty path) and every folder from there to where agents start."""
    found = {b"": None}
    for folder in place.folders:
        relative = os.path.relpath(folder, place.top)
        parts = [] if relative == b"." else relative.split(b"/")
        if parts[:1] == [b".."]:
            raise ValueError(f"{folder!r} is not inside {place.top!r}")
        for count in range(1, len(parts) + 1):
            found[b"/".join(parts[:count])] = None
    return tuple(found)


def _paths_of(top: bytes, folder: bytes, watched: Watched) -> Iterator[bytes]:
    path = folder + b"/" + watched.path if folder else watched.path
    if not path.endswith(b"/"):
        yield path
        return
    seen: set[tuple[int, int]] = set()
    walk = os.walk(top + b"/" + path.rstrip(b"/"), onerror=_not_passed_over, followlinks=True)
    for where, folders, files in walk:
        status = os.stat(where)  # noqa: PTH116  paths are bytes here, which Path cannot hold
        if (status.st_dev, status.st_ino) in seen:
            folders.clear()  # A link that leads back to where the walk has been.
            continue
        seen.add((status.st_dev, status.st_ino))
        folders.sort()
        inside = where.removeprefix(top + b"/")
        yield from (inside + b"/" + name for name in sorted(files))


def _not_passed_over(error: OSError) -> None:
    """Stop the walk at a folder that cannot be read; one that is not there holds nothing."""
    if not isinstance(error, FileNotFoundError | NotADirectoryError):
        raise error
