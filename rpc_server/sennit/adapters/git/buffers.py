"""Turns the text of open documents into the bytes that saving them would write."""

from __future__ import annotations

import codecs
import os
from pathlib import Path
from typing import TYPE_CHECKING

from attrs import evolve, frozen

from sennit.adapters.git.disk import below, names_a_git_directory
from sennit.core.objects import LeftOut, LeftOutReason, OpenDocument

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    # The mark of UTF-32 begins with that of UTF-16, so it comes first.
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


NO_PLACE = "a folder lies at its path, or a file where its folder would be"
"""What a person is told about a document that no editor could save."""


@frozen
class Edited:
    """A document whose text differs from the disk, and the bytes that saving would write."""

    path: bytes
    version: int
    content: bytes


@frozen
class Encoding:
    """How a file's text is written: a byte-order mark, which may be empty, and a codec."""

    mark: bytes
    codec: str


def documents_inside(root: bytes, documents: Sequence[OpenDocument]) -> tuple[OpenDocument, ...]:
    """Give the documents of the work tree, each under the path that saving it would write to."""
    paths = [(document, path_inside(root, document.path)) for document in documents]
    return tuple(evolve(document, path=path) for document, path in paths if path is not None)


def edited_documents(
    root: bytes,
    documents: Sequence[OpenDocument],
    unsaved_elsewhere: frozenset[bytes],
    attributes: Mapping[bytes, str],
) -> tuple[tuple[Edited, ...], tuple[LeftOut, ...]]:
    """Compare documents with the disk; give those that differ, and those that must be left out.

    The paths are those of ``documents_inside``.
    ``attributes`` holds git's ``working-tree-encoding`` of the paths that have one.
    """
    edited: list[Edited] = []
    left_out: list[LeftOut] = []
    for document in documents:
        match _edited(root, document, unsaved_elsewhere, attributes.get(document.path)):
            case Edited() as one:
                edited.append(one)
            case LeftOut() as one:
                left_out.append(one)
            case None:
                pass
    return tuple(edited), tuple(left_out)


def _edited(
    root: bytes, document: OpenDocument, elsewhere: frozenset[bytes], attribute: str | None
) -> Edited | LeftOut | None:
    path = document.path
    if path in elsewhere:
        detail = "unsaved in another editor; the text on disk was taken"
        return LeftOut(path, LeftOutReason.UNSAVED_ELSEWHERE, detail)
    if _has_no_place(root, path):
        return LeftOut(path, LeftOutReason.UNREADABLE, NO_PLACE)
    if document.text is None:
        detail = "the text of the buffer is not known; the text on disk was taken"
        return LeftOut(path, LeftOutReason.UNKNOWN_TEXT, detail)
    on_disk = _content(below(root, path))
    encoding = encoding_of(on_disk, attribute, document.encoding)
    if encoding is None:
        detail = "not UTF-8 and without a byte-order mark; the text on disk was taken"
        return LeftOut(path, LeftOutReason.UNKNOWN_ENCODING, detail)
    return _compared(path, document.version, document.text, on_disk, encoding)


def _compared(
    path: bytes, version: int, text: str, on_disk: bytes | None, encoding: Encoding
) -> Edited | LeftOut | None:
    text = text.removeprefix("\ufeff")
    if on_disk is not None and _decoded(on_disk, encoding) == text:
        return None
    try:
        content = encoding.mark + text.encode(encoding.codec)
    except UnicodeEncodeError as error:
        detail = f"its text cannot be written as {encoding.codec}: {error.reason}"
        return LeftOut(path, LeftOutReason.UNKNOWN_ENCODING, detail)
    return Edited(path, version, content)


def encoding_of(on_disk: bytes | None, attribute: str | None, told: str | None) -> Encoding | None:
    """Choose how a text is written: git's attribute, a byte-order mark, UTF-8, what was told."""
    if attribute is not None:
        return _from_attribute(on_disk or b"", attribute)
    for mark, codec in _BOMS:
        if on_disk is not None and on_disk.startswith(mark):
            return Encoding(mark, codec)
    if on_disk is None:
        return _known(told or "utf-8")
    try:
        on_disk.decode("utf-8")
    except UnicodeDecodeError:
        return None if told is None else _known(told)
    return Encoding(b"", "utf-8")


def _from_attribute(on_disk: bytes, attribute: str) -> Encoding | None:
    """Read git's name of an encoding, which may ask for a byte-order mark."""
    name = attribute.upper()
    marks = {codec: mark for mark, codec in _BOMS}
    if name in {"UTF-16", "UTF-32"}:
        both = [(mark, codec) for mark, codec in _BOMS if codec.startswith(name.lower())]
        for mark, codec in both:
            if on_disk.startswith(mark):
                return Encoding(mark, codec)
        return Encoding(*both[0])
    if name.endswith("-BOM"):
        known = _known(name.removesuffix("-BOM"))
        codec = "" if known is None else known.codec
        return Encoding(marks[codec], codec) if codec in marks else None
    return _known(attribute)


def _known(name: str) -> Encoding | None:
    try:
        return Encoding(b"", codecs.lookup(name).name)
    except LookupError:
        return None


def _decoded(content: bytes, encoding: Encoding) -> str | None:
    try:
        return content.removeprefix(encoding.mark).decode(encoding.codec)
    except UnicodeDecodeError:
        return None


def _content(full: bytes) -> bytes | None:
    try:
        handle = os.open(full, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    with os.fdopen(handle, "rb") as file:
        return file.read()


def _has_no_place(root: bytes, path: bytes) -> bool:
    """Tell whether no editor could save a file at a path, because of what else is there."""
    here = Path(os.fsdecode(below(root, path)))
    if here.is_dir():
        return True
    above = next(folder for folder in here.parents if os.path.lexists(folder))
    return not above.is_dir()


def path_inside(root: bytes, path: bytes) -> bytes | None:
    """Give the path that saving a document would write to, if that is in the work tree.

    An editor follows links: a document that was opened by the name of a link is saved into what
    the link points at.
    """
    real_root = os.path.realpath(root)
    real = os.path.realpath(below(real_root, path))
    inside = os.path.relpath(real, real_root)
    if inside.startswith(b"../") or inside in {b"..", b"."} or names_a_git_directory(inside):
        return None
    return inside
