"""What files hold before and after an application, as an editor shows them."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path

import anyio.to_thread
from attrs import frozen

from sennit.adapters.git.checkout import Source, rules_among
from sennit.adapters.git.file_texts import WorkTreeText, text_of, text_to_save
from sennit.adapters.git.trees import changed_paths
from sennit.adapters.git.work_tree_texts import work_tree_contents
from sennit.core.carried import BOM, carried_over
from sennit.core.edits import FileEdit, Image, file_edit
from sennit.core.objects import MODE_EXECUTABLE, MODE_FILE, Entry, FileChange, GitFailed
from sennit.server.open_documents import Buffer
from sennit.server.repositories import Opened
from sennit.server.services import Services


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
    changed = await changed_paths(services.git, opened.store, *trees)
    if isinstance(changed, GitFailed):
        return changed
    after = await work_tree_contents(
        services.git,
        opened.store,
        opened.repository,
        Source(trees[1], rules_among(changed)),
        [change.path for change in changes if _is_file(change.after)],
    )
    if isinstance(after, GitFailed):
        return after
    both = [change.old_path for change in changes
            if _is_file(change.before) and _is_file(change.after)]  # fmt: skip
    source = Source(trees[0], rules_among(changed))
    before = await work_tree_contents(services.git, opened.store, opened.repository, source, both)
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
    on_disk = contents.on_disk.get(change.old_path)
    written = contents.after.get(change.path)
    was = contents.before.get(change.old_path)
    told = None if buffer is None else buffer.document.encoding
    was_written = None if was is None else _shown(text_of(was, on_disk, told), buffer)
    after = None if written is None else _shown(text_to_save(written, was, told), buffer)
    if buffer is not None:
        before = buffer.document.text
    else:
        before = None if on_disk is None else _shown(text_of(on_disk, None, None), None)
    if before is not None and after is not None and was_written is not None:
        after = carried_over(before, was_written, after)
    return file_edit(
        change, _image(change.before, on_disk, before), _image(change.after, written, after)
    )


def _shown(found: WorkTreeText | None, buffer: Buffer | None) -> str | None:
    """The text of a file; of one that is not open only if all editors would read it like this.

    Which encoding an editor takes for any other file nobody knows, so the server writes it.
    """
    if found is None or (buffer is None and found.codec != "utf-8"):
        return None
    return found.text


def _image(entry: Entry | None, content: bytes | None, text: str | None) -> Image | None:
    if entry is None:
        return None
    digest = content_digest(content or b"") if text is None else text_digest(text)
    return Image(entry, digest, text)


def text_digest(text: str) -> str:
    """The SHA-256 of a text; its byte-order mark does not count, for few editors tell it."""
    return sha256(text.removeprefix(BOM).encode("utf-8", "surrogatepass")).hexdigest()


def content_digest(content: bytes) -> str:
    """The SHA-256 of a file as ``text_digest`` has it where it is a text, else of its bytes."""
    text = text_of(content, None, None)
    return sha256(content).hexdigest() if text is None else text_digest(text.text)
