"""Which workspace the folder of an agent lies in."""

from __future__ import annotations

import os
from pathlib import Path

from sennit.server.open_documents import relative_to


def workspace_name(folder: bytes, workspaces: Path) -> str | None:
    """The name of the workspace that an agent's folder lies in."""
    relative = relative_to(os.fsencode(workspaces), folder)
    return None if relative is None else os.fsdecode(relative.split(b"/")[0])
