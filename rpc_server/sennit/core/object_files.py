"""How the object files of a repository come into its store."""

from __future__ import annotations

from enum import StrEnum, unique


@unique
class ObjectFiles(StrEnum):
    """What a person chose.

    ``LINK``: by hard links, which take no room; a program that writes such a file writes the
    repository's own. ``COPY``: files of the store's own, which take as much room again.
    """

    LINK = "link"
    COPY = "copy"
