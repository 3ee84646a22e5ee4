"""Whether what git has answered is whole."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

_WRITING = frozenset({"commit-tree", "hash-object", "mktree", "write-tree"})
_OF_LINES = _WRITING | {"for-each-ref", "prune", "rev-list", "rev-parse"}
_WITH_CONTENT = frozenset({"--patch"})


def is_cut_off(args: Sequence[str | bytes | Path], answer: bytes) -> bool:
    """Tell whether an answer of records or lines lacks the end of its last one."""
    if not answer or not _WITH_CONTENT.isdisjoint(args):
        return False
    if args[0] == "merge-tree":
        # Its records are followed by lines of advice where submodules collide.
        return not answer.endswith((b"\0", b"\n"))
    if "-z" in args:
        return not answer.endswith(b"\0")
    lines = args[0] in _OF_LINES or any(str(one).startswith("--batch-check") for one in args)
    return lines and not answer.endswith(b"\n")
