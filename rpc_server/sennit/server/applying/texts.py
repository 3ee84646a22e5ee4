"""What files hold before and after an application, as an editor shows them."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path

import anyio.to_thread
from attrs import evolve, frozen

from sennit.adapters.git.work_tree_texts import text_of, work_tree_contents
from sennit.core.edits import FileEdit, Image, file_edit
from sennit.core.objects import MODE_EXECUTABLE, MODE_FILE, Entry, FileChange, GitFailed
from sennit.core.text import lsp_lines
from sennit.core.text_edits import apply_text_edits, text_edits
from sennit.server.open_documents import Buffer
from sennit.server.repositories import Opened
from sennit.server.services import Services

BOM = "\ufeff"


@frozen
class Contents:
    """Bytes by path: on the disk, and as a checkout would write the trees before and after."""

    on_disk: Mapping[bytes, bytes]
    before: Mapping[bytes, bytes]
    after: Mapping[bytes, bytes]


async def contents_of(
    services: Services, opened: Opened, trees: tuple[str, str], changes: Sequence[FileChange]
) -> Contents | GitFailed:
    """Read what is needed to turn changes between two trees into edits of texts."""
    after = await work_tree_contents(
        services.git,
        opened.store,
        opened.repository,
        trees[1],
        [change.path for change in changes if _is_file(change.after)],
    )
    if isinstance(after, GitFailed):
        return after
    both = [change.old_path for change in changes
            if _is_file(change.before) and _is_file(change.after)]  # fmt: skip
    before = await work_tree_contents(services.git, opened.store, opened.repository, trees[0], both)
    if isinstance(before, GitFailed):
        return before
    paths = [change.old_path for change in changes if _is_file(change.before)]
    top = Path(opened.repository.work_tree)
    on_disk = await anyio.to_thread.run_sync(_on_disk, top, paths)
    return Contents(on_disk, before, after)


def _is_file(entry: Entry | None) -> bool:
    return entry is not None and entry.mode in {MODE_FILE, MODE_EXECUTABLE}


def _on_disk(top: Path, paths: Sequence[bytes]) -> dict[bytes, bytes]:
    found = {}
    for path in paths:
        try:
            found[path] = (top / os.fsdecode(path)).read_bytes()
        except OSError:
            # What is not there or cannot be read has no text; the stage says why where it counts.
            continue
    return found


def edit_of(change: FileChange, contents: Contents, buffer: Buffer | None) -> FileEdit:
    """What has to happen to one file, on the text that its buffer or the disk holds."""
    told = None if buffer is None else buffer.document.encoding
    on_disk = contents.on_disk.get(change.old_path)
    before = buffer.document.text if buffer is not None else _decoded(on_disk, None, told)
    written = contents.after.get(change.path)
    after = _decoded(written, on_disk, told)
    was_written = _decoded(contents.before.get(change.old_path), on_disk, told)
    if before is not None and after is not None and was_written is not None:
        after = carried_over(before, was_written, after)
    return file_edit(
        change, _image(change.before, on_disk, before), _image(change.after, written, after)
    )


def _decoded(content: bytes | None, like: bytes | None, told: str | None) -> str | None:
    text = None if content is None else text_of(content, like, told)
    return None if text is None else text.text


def carried_over(actual: str, before: str, after: str) -> str:
    """Change ``actual`` as ``before`` is changed to ``after``, in its own line endings.

    ``before`` is what git would write for ``actual``. Where that has other line endings or no
    byte-order mark, the user's stay in every line that is not changed.
    """
    mark = BOM if actual.startswith(BOM) else ""
    bare = actual.removeprefix(BOM)
    if bare == before:
        return mark + after
    mine, theirs = lsp_lines(bare), lsp_lines(before)
    if [line.rstrip("\r\n") for line in mine] != [line.rstrip("\r\n") for line in theirs]:
        # A filter that does not give back what it took: git's version of the text counts.
        return mark + after
    ending = _usual_ending(mine)
    edits = [
        evolve(edit, new_text=_with_ending(edit.new_text, ending))
        for edit in text_edits(before, after)
    ]
    return mark + apply_text_edits(bare, edits)


def _usual_ending(lines: Sequence[str]) -> str:
    pairs = sum(line.endswith("\r\n") for line in lines)
    return "\r\n" if 2 * pairs > len(lines) else "\n"


def _with_ending(text: str, ending: str) -> str:
    return text.replace("\r\n", "\n").replace("\n", ending)


def _image(entry: Entry | None, content: bytes | None, text: str | None) -> Image | None:
    if entry is None:
        return None
    digest = sha256(content or b"").hexdigest() if text is None else text_digest(text)
    return Image(entry, digest, text)


def text_digest(text: str) -> str:
    """The SHA-256 of a text; its byte-order mark does not count, for few editors tell it."""
    return sha256(text.removeprefix(BOM).encode("utf-8", "surrogatepass")).hexdigest()


def content_digest(content: bytes) -> str:
    """The SHA-256 of a file as ``text_digest`` has it where it is a text, else of its bytes."""
    text = text_of(content, None, None)
    return sha256(content).hexdigest() if text is None else text_digest(text.text)
