"""Draws what a console has shown as an SVG picture that loads nothing from elsewhere."""

from __future__ import annotations

import re
from pathlib import Path

from rich._export_format import CONSOLE_SVG_FORMAT
from rich.console import Console

from sennit.cli.failures import UsageError

# Fonts from the network, and a comment of rich that names its home page.
_OUTSIDE = re.compile(r"@font-face \{\{.*?\}\}|<!--.*?-->", re.DOTALL)


def write_picture(console: Console, path: Path) -> None:
    """Write the picture; ``console`` has recorded. Raises `UsageError` where it cannot."""
    drawn = console.export_svg(
        title="sennit demo", code_format=_OUTSIDE.sub("", CONSOLE_SVG_FORMAT), unique_id="demo"
    )
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(drawn, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"The picture cannot be written to {path}: {error.strerror}.") from error
