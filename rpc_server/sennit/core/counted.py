"""Numbers of things in words for a person."""

from __future__ import annotations


def counted(number: int, one: str, many: str | None = None) -> str:
    """Spell a number of things."""
    return f"{number} {one if number == 1 else many or one + 's'}"
