"""What agents leave beside their work is ignored in the workspace, by rules of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sennit.adapters.git.files import in_thread, make_private_folder, read_if_there, write_private

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from sennit.core.objects import GitFailed


async def ignore_litter(folder: Path, patterns: Sequence[str]) -> GitFailed | None:
    """Add ignore patterns to a workspace's own `info/exclude`, so that its agent's git obeys them.

    To be called before the agent starts. A capture does not read that file, which the agent can
    change: it is given the patterns again.
    """
    if not patterns:
        return None
    return await in_thread("write the ignore rules of a workspace", _add, folder, tuple(patterns))


def _add(folder: Path, patterns: tuple[str, ...]) -> None:
    info = folder / ".git" / "info"
    make_private_folder(info)
    known = read_if_there(info / "exclude") or b""
    lines = known.splitlines()
    missing = [line for line in (pattern.encode() for pattern in patterns) if line not in lines]
    begin = known if not known or known.endswith(b"\n") else known + b"\n"
    write_private(info / "exclude", begin + b"".join(line + b"\n" for line in missing))
