"""The text of a file in its encoding, and a file changed in the line endings that it has."""

from __future__ import annotations

from attrs import frozen

from sennit.adapters.git.buffers import Encoding, encoding_of
from sennit.core.carried import BOM, carried_over


@frozen
class WorkTreeText:
    """A file as an editor shows it: its text, and how that text is written on the disk."""

    text: str
    mark: bytes
    codec: str


def text_of(content: bytes, like: bytes | None, told: str | None) -> WorkTreeText | None:
    """The text of a file in the encoding of ``like``, its older content, or as an editor told.

    None where the bytes are no text in it.
    """
    return _decoded(content, encoding_of(content if like is None else like, None, told))


def text_to_save(content: bytes, was: bytes | None, told: str | None) -> WorkTreeText | None:
    """The text with which saving a file that held ``was`` writes exactly these bytes.

    None where no text does: an editor keeps the encoding and the byte-order mark that a file has,
    and gives a new one none.
    """
    found = _decoded(content, encoding_of(was, None, told))
    if found is None or found.text.startswith(BOM) or _encoded(found, found.text) != content:
        return None
    return found


def _decoded(content: bytes, encoding: Encoding | None) -> WorkTreeText | None:
    if encoding is None:
        return None
    if b"\0" in content and not content.startswith((b"\xff\xfe", b"\xfe\xff")):
        return None
    try:
        text = content.removeprefix(encoding.mark).decode(encoding.codec)
    except UnicodeDecodeError:
        return None
    return WorkTreeText(text, encoding.mark, encoding.codec)


def _encoded(like: WorkTreeText, text: str) -> bytes:
    return like.mark + text.encode(like.codec)


def in_its_own_endings(on_disk: bytes, was: bytes, becomes: bytes) -> bytes:
    """Change a file's bytes as ``was`` is changed to ``becomes``, in the file's own line endings.

    ``was`` and ``becomes`` are what git would write for the trees before and after. Bytes that are
    no text are replaced as a whole.
    """
    if on_disk == was:
        return becomes
    actual, before = text_of(on_disk, None, None), text_of(was, None, None)
    after = text_to_save(becomes, was, None)
    # A mark that git does not see stays; another encoding or mark is a change like any other.
    written = actual if after and actual and after.codec == actual.codec else after
    after = after or text_of(becomes, None, None)
    written = written or after
    if actual is None or before is None or after is None or written is None:
        return becomes
    return _encoded(written, carried_over(actual.text, before.text, after.text))
