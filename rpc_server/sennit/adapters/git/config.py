"""What of a user's configuration goes along with a store and a workspace, and how it is written."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import TYPE_CHECKING

from attrs import frozen

from sennit.adapters.git.configured_hooks import all_hooks_off
from sennit.adapters.git.discovery import Repository, Trust
from sennit.adapters.git.disk_abilities import abilities_said
from sennit.adapters.git.files import in_thread, read_if_there
from sennit.adapters.git.listed_config import entries_of
from sennit.adapters.git.remotes import remotes_of
from sennit.core.objects import GitFailed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from sennit.adapters.git.git import Config, Git
    from sennit.adapters.git.listed_config import Setting

_OF_CONTENT = frozenset(
    {
        "core.attributesfile",
        "core.autocrlf",
        "core.bigfilethreshold",
        "core.checkroundtripencoding",
        "core.eol",
        "core.excludesfile",
        "core.longpaths",
        "core.protecthfs",
        "core.protectntfs",
        "core.sparsecheckout",
        "core.sparsecheckoutcone",
        "core.whitespace",
        "i18n.commitencoding",
        "user.name",
        "user.email",
    }
)
"""Keys that decide which bytes a checkout holds and which object a file becomes."""

_WITH_PROGRAMS = ("filter.", "merge.", "diff.", "lfs.")
_TWO_HASHES = "extensions.compatobjectformat"
_WRITES_INTO_IT = GitFailed(
    "read the configuration",
    None,
    "extensions.compatObjectFormat is set, with which git writes into the repository itself of each"
    " object that is stored for it elsewhere",
    "Git calls it incomplete and not for users. Work in a clone of the repository without it.",
)
_OPTIONAL = ":(optional)"
"""Since git 2.52 before a path at which there need be nothing."""
_FALLBACK_NAME = "Sennit agent"
_FALLBACK_EMAIL = "agent@localhost"


@frozen
class Carried:
    """Configuration that is in force in a repository, and the identity there.

    ``remotes`` are its remotes and what its branches follow, for workspaces, and ``abilities`` what
    it says of the disk of the user's work tree. ``hooks`` switches off all hooks that configuration
    names, also the user's own, which are in force everywhere. ``digest`` tells all that is in force
    there from anything else, the user's own and the system's, with what the user's own file of
    attributes says.
    """

    config: Config
    name: str
    email: str
    partial_clone: str | None
    remotes: Config
    abilities: Config
    hooks: Config
    digest: str


async def carried_config(git: Git, repository: Repository) -> Carried | GitFailed:
    """Read what goes along, from every file: what the user includes may be for this folder only."""
    listed = await git.run(["config", "--list", "--show-scope", "-z"], repository.place)
    if isinstance(listed, GitFailed):
        return listed
    entries = entries_of(listed.stdout)
    values = {one.name: one.value for one in entries}
    if _TWO_HASHES in values:
        return _WRITES_INTO_IT
    named = (values["core.attributesfile"],) if "core.attributesfile" in values else ()
    digest = await in_thread("read attributes", _digest, listed.stdout, named, git.environment)
    if isinstance(digest, GitFailed):
        return digest
    return Carried(
        tuple((one.name, one.value) for one in entries if _goes_along(one, repository.trust)),
        values.get("user.name") or _FALLBACK_NAME,
        values.get("user.email") or _FALLBACK_EMAIL,
        values.get("extensions.partialclone"),
        remotes_of(entries, repository.work_tree),
        abilities_said(values),
        all_hooks_off(one.name for one in entries),
        digest,
    )


def attributes_of_the_user(named: Iterable[str], environment: Mapping[str, str]) -> Iterator[Path]:
    """Give the files of attributes for all repositories of a user; they need not be there.

    ``named`` are values of ``core.attributesFile``.
    """
    home = Path(environment.get("HOME", "/"))
    for value in named:
        yield home / value.removeprefix(_OPTIONAL).removeprefix("~/")
    yield Path(environment.get("XDG_CONFIG_HOME") or home / ".config") / "git" / "attributes"


def _digest(listed: bytes, named: Iterable[str], environment: Mapping[str, str]) -> str:
    digest = hashlib.sha256(listed)
    for file in attributes_of_the_user(named, environment):
        content = read_if_there(file) or b""
        digest.update(b"%d " % len(content) + content)
    return digest.hexdigest()


def _goes_along(entry: Setting, trust: Trust) -> bool:
    if entry.name in _OF_CONTENT:
        return True
    if not entry.name.startswith(_WITH_PROGRAMS):
        return False
    match trust:
        case Trust.TRUSTED:
            return True
        case Trust.UNTRUSTED:
            # The user's own files are no words of the repository's.
            return not entry.of_the_repository


def config_file(object_format: str, config: Config, partial_clone: str | None) -> bytes:
    """Write the configuration of a git directory of ours: its format, then what is given."""
    extensions: list[tuple[str, str]] = []
    if object_format != "sha1":
        extensions.append(("extensions.objectFormat", object_format))
    if partial_clone is not None:
        extensions.append(("extensions.partialClone", partial_clone))
        extensions.append((f"remote.{partial_clone}.promisor", "true"))
    ours = (
        ("core.repositoryFormatVersion", "1" if extensions else "0"),
        ("core.bare", "false"),
        *extensions,
        ("gc.auto", "0"),
        ("maintenance.auto", "false"),
        ("core.logAllRefUpdates", "true"),
    )
    return b"".join(_written(name, value) for name, value in (*ours, *config))


def _written(name: str, value: str) -> bytes:
    section, _, rest = name.partition(".")
    subsection, _, key = rest.rpartition(".")
    title = f'[{section} "{_escaped(subsection)}"]' if subsection else f"[{section}]"
    quoted = _escaped(value).replace("\n", "\\n").replace("\t", "\\t")
    return os.fsencode(f'{title}\n\t{key} = "{quoted}"\n')


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')
