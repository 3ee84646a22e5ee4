"""Spells names as words of a shell, in commands that a person is told to run."""

from __future__ import annotations

import shlex


def shell_word(name: bytes) -> str:
    """Spell a name so that a shell takes it as one word, and as these very bytes.

    What cannot be shown is escaped within `$'…'`, which bash, zsh and ksh read. A name that begins
    with `-` needs `--` before it.
    """
    try:
        text = name.decode()
    except UnicodeDecodeError:
        return _escaped(name)
    return shlex.quote(text) if text.isprintable() else _escaped(name)


def _escaped(name: bytes) -> str:
    return f"$'{''.join(map(_spelled, name))}'"


def _spelled(byte: int) -> str:
    char = chr(byte)
    if char in "\\'":
        return f"\\{char}"
    # Three octal digits end by themselves; after `\x` some shells would read on.
    return char if char.isascii() and char.isprintable() else f"\\{byte:03o}"
