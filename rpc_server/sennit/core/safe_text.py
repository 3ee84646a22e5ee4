"""Text of others made safe to be shown: whatever could act on a screen is shown as an escape."""

from __future__ import annotations

import unicodedata

# Cc: control characters; Cf: bidirectional overrides and other invisible marks; Cs: halves of
# surrogate pairs, which stand for bytes that are no UTF-8; Zl, Zp: line and paragraph separators.
_ACTING = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
# These join what people really write (emoji, Arabic and Indic scripts) and move nothing.
_HARMLESS = frozenset("\u200c\u200d")
_SURROGATE_ESCAPES = range(0xDC80, 0xDD00)


def safe_line(text: str) -> str:
    """Escape all that would move the cursor, end the line, or is no character."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(_shown(character) for character in text)


def _shown(character: str) -> str:
    if character in _HARMLESS or unicodedata.category(character) not in _ACTING:
        return character
    number = ord(character)
    if number in _SURROGATE_ESCAPES:
        return f"\\x{number - 0xDC00:02x}"
    if character in "\n\r\t":
        return {"\n": "\\n", "\r": "\\r", "\t": "\\t"}[character]
    if number < 0x100:  # noqa: PLR2004  the last number that two digits can tell
        return f"\\x{number:02x}"
    return f"\\u{number:04x}" if number <= 0xFFFF else f"\\U{number:08x}"  # noqa: PLR2004  as above
