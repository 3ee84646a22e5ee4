"""The version of the protocol, alone, so that who only says hello need not load its types."""

from __future__ import annotations

PROTOCOL_VERSION = "0.1"
