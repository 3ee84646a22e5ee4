"""Text of others made safe for a terminal."""

from __future__ import annotations

from urllib.parse import unquote_to_bytes, urlsplit

from sennit.core.safe_text import safe_line

__all__ = ["path_of_uri", "safe_code", "safe_line"]


def safe_code(text: str) -> str:
    """Escape as `safe_line`, but keep tabs, which source text is full of."""
    return "\t".join(safe_line(part) for part in text.split("\t"))


def path_of_uri(uri: str) -> bytes:
    """Give the bytes of the path that a `file:` URI names."""
    return unquote_to_bytes(urlsplit(uri).path)
