"""The text of a file in its encoding, and a file changed in the line endings that it has."""

from __future__ import annotations

from attrs import frozen

from sennit.adapters.git.buffers import encoding_of
from sennit.core.carried import carried_over


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
    if b"\0" in content and not content.startswith((b"\xff\xfe", b"\xfe\xff")):
        return None
    encoding = encoding_of(content if like is None else like, None, told)
    if encoding is None:
        return None
    try:
        text = content.removeprefix(encoding.mark).decode(encoding.codec)
    except UnicodeDecodeError:
        return None
    return WorkTreeText(text, encoding.mark, encoding.codec)


def in_its_own_endings(on_disk: bytes, was: bytes, becomes: bytes) -> bytes:
    """Change a file's bytes as ``was`` is changed to ``becomes``, in the file's own line endings.

    ``was`` and ``becomes`` are what git would write for the trees before and after. Bytes that are
    no text are replaced as a whole.
    """
    if on_disk == was:
        return becomes
    actual, before = text_of(on_disk, None, None), text_of(was, on_disk, None)
    after = text_of(becomes, on_disk, None)
    if actual is None or before is None or after is None:
        return becomes
    text = carried_over(actual.text, before.text, after.text)
    return actual.mark + text.encode(actual.codec)
