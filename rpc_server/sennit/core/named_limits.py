"""Limits on what runs at once of one provider, with one model, with one agent."""

from __future__ import annotations

from enum import StrEnum, unique

from attrs import frozen


@unique
class LimitOf(StrEnum):
    """What tasks that share a limit have in common, in the order in which limits are looked at."""

    PROVIDER = "provider"
    MODEL = "model"
    AGENT = "agent"


@frozen
class NamedLimit:
    """How many tasks that share ``name`` may run at once on this machine."""

    of: LimitOf
    name: str
    most: int

    @property
    def key(self) -> str:
        """The key of the setting that sets it."""
        return f"limits.{self.of}.{self.name}"
