"""What a base holds, and what it does not, in a few lines."""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text

from sennit.cli.safe_text import path_of_uri, safe_line
from sennit.core.counted import counted
from sennit_protocol.manifests import ManifestView

_NAMED = 5
_SHORT_HASH = 10


def manifest_lines(manifest: ManifestView) -> Iterator[Text]:
    """Tell what the agents begin with."""
    folder = safe_line(path_of_uri(manifest.repository).decode(errors="surrogateescape"))
    head = manifest.head[:_SHORT_HASH] if manifest.head else "no commit yet"
    branch = safe_line(manifest.branch) if manifest.branch else "detached"
    line = Text(f"Base of {folder}: {head} ({branch})")
    for name, paths in (
        ("staged", manifest.staged),
        ("modified", manifest.modified),
        ("deleted", manifest.deleted),
        ("untracked", manifest.untracked),
        ("unsaved", manifest.unsaved),
    ):
        if paths:
            line.append(f", {len(paths)} {name}")
    yield line
    for left in manifest.left_out[:_NAMED]:
        detail = f" ({safe_line(left.detail)})" if left.detail else ""
        yield Text(f"  left out: {safe_line(left.path)}: {safe_line(left.reason)}{detail}")
    more = len(manifest.left_out) - _NAMED
    if more > 0:
        yield Text(f"  left out: {counted(more, 'more path')}; --json lists them")
    if manifest.in_progress:
        yield Text(f"  git is in the middle of: {safe_line(manifest.in_progress)}", style="yellow")
