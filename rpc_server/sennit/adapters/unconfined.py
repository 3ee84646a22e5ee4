"""Remembers that programs have run without a sandbox, which may have written wherever they could.

What only our own calls of git should ever have written is looked at anew from then on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

_MARK = "unconfined"
_PRIVATE = 0o600


def note_unconfined(state: Path) -> None:
    """Say in a state folder that such a program is about to run. Raises OSError."""
    (state / _MARK).touch(_PRIVATE)


def were_unconfined(state: Path | None) -> bool:
    """Tell whether one ever ran; of no state folder nothing is known that would tell so."""
    return state is not None and (state / _MARK).exists()
