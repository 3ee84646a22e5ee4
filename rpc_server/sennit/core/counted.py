"""Numbers of things in words for a person."""

from __future__ import annotations

from collections.abc import Sequence

_KIB = 1024


def counted(number: int, one: str, many: str | None = None) -> str:
    """Spell a number of things."""
    return f"{number} {named(number, one, many)}"


def named(number: int, one: str, many: str | None = None) -> str:
    """Name a number of things without the number."""
    return one if number == 1 else many or f"{one}s"


def spelled_size(size: int) -> str:
    """Spell a number of bytes."""
    amount, unit = float(size), "B"
    for larger in ("KiB", "MiB", "GiB"):
        if amount < _KIB:
            break
        amount, unit = amount / _KIB, larger
    return f"{amount:.0f} {unit}" if unit == "B" else f"{amount:.1f} {unit}"


def listed(names: Sequence[str], more: int) -> str:
    """List names, and how many there are beside them."""
    shown = ", ".join(names)
    return f"{shown} and {more} more" if more > 0 else shown
