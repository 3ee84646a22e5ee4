"""The description of a field, where the generators of schema and reference page find it."""

from __future__ import annotations

DESCRIPTION = "description"


def says(description: str) -> dict[str, str]:
    """Metadata for ``attrs.field`` that carries the field's description."""
    return {DESCRIPTION: description}
