"""The remotes of a repository as a workspace has them: to be read, and never to be pushed to."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from sennit.adapters.git.files import write_private

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sennit.adapters.git.git import Config
    from sennit.adapters.git.listed_config import Setting

# No helper of git serves such an address.
_REFUSED = "pushing-from-a-workspace-is-refused::"
_READ = frozenset({("remote", "fetch"), ("branch", "remote"), ("branch", "merge")})
_BY_SSH = ("ssh://", "git+ssh://", "ssh+git://")
_LOGIN = re.compile(r"(?<=://)[^/?#]*@")
_PASSWORD = re.compile(r"(?<=://)([^/?#@:]*):[^/?#]*(?=@)")
_HELPER = re.compile(r"[A-Za-z0-9+.-]+::")
_PROGRAM = 0o700
_HOOK = b"""\
#!/bin/sh
echo "Pushing from a workspace is refused. What is left in this folder becomes a proposal;" >&2
echo "who accepts it can push it." >&2
exit 1
"""


def remotes_of(settings: Iterable[Setting], work_tree: Path) -> Config:
    """Give the remotes of a repository and what its branches follow, without passwords.

    No address that a helper program serves goes along, and none to push to.
    """
    kept: list[tuple[str, str]] = []
    remotes: dict[str, None] = {}
    for one in settings:
        section, _, rest = one.name.partition(".")
        subsection, _, key = rest.rpartition(".")
        if section == "remote" and subsection and key in {"url", "pushurl"}:
            remotes[subsection] = None
        if not one.of_the_repository or not subsection:
            # What the user's own files say of remotes is in force everywhere.
            continue
        if (section, key) in _READ:
            kept.append((one.name, one.value))
        elif (section, key) == ("remote", "url") and not _HELPER.match(one.value):
            kept.append((one.name, _readable(one.value, work_tree)))
    refused = ((f"remote.{name}.pushurl", _REFUSED + name) for name in remotes)
    return (*kept, *refused)


def unpushable(git_dir: Path) -> Config:
    """Give what refuses a push of a remote or an address, with the hook of ``write_hook``.

    An address of the user's own rules for pushing wins over ours; the hook refuses those.
    """
    return (("core.hooksPath", str(git_dir / "hooks")), (f"url.{_REFUSED}.pushInsteadOf", ""))


def write_hook(git_dir: Path) -> None:
    """Write the hook that refuses every push."""
    hook = git_dir / "hooks" / "pre-push"
    hook.parent.mkdir()
    write_private(hook, _HOOK)
    hook.chmod(_PROGRAM)


def _readable(address: str, work_tree: Path) -> str:
    """Leave out who logs in, but for the name of ssh; make a relative path absolute."""
    if address.startswith(_BY_SSH):
        return _PASSWORD.sub(r"\1", address)
    is_path = ":" not in address.partition("/")[0]
    if is_path and address and not address.startswith("~"):
        return os.path.normpath(work_tree / Path(address))
    return _LOGIN.sub("", address)
