"""Texts of others that are shown or kept only in part."""

from __future__ import annotations


def cut(text: str, longest: int) -> str:
    """Give the first ``longest`` characters, and say how many there are beside them."""
    rest = len(text) - longest
    return text if rest <= 0 else f"{text[:longest]} … ({rest} more characters)"


def cut_block(text: str, longest: int) -> str:
    """Do the same to text of several lines: what is said of the rest has a line of its own."""
    rest = len(text) - longest
    return text if rest <= 0 else f"{text[:longest]}\n(cut here: {rest} more characters)"
