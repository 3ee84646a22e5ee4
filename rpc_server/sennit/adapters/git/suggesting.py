"""Suggestions for conflicts: what the core makes of three texts, and what git can say."""

from __future__ import annotations

from typing import TYPE_CHECKING

import anyio.to_thread

from sennit.adapters.git.regions import three_texts
from sennit.adapters.git.resolving import ThreeEntries, merge_alone, text_held
from sennit.adapters.git.trees import (
    read_blob,
    write_blobs,
)
from sennit.core.objects import (
    MODE_FILE,
    Conflict,
    ConflictKind,
    Entry,
    GitFailed,
)
from sennit.core.resolutions import Held, Suggested
from sennit.core.suggestions import SURENESS, Suggestion, suggestions
from sennit.core.text import LineEnding, line_ending, with_line_ending
from sennit_protocol.conflicts import SuggestionKind

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sennit.adapters.git.git import Git
    from sennit.adapters.git.store import Store
    from sennit.core.three_way import ThreeTexts


async def suggested(
    git: Git, store: Store, conflicts: Sequence[Conflict], at: int
) -> Mapping[bytes, tuple[Suggested, ...]] | GitFailed:
    """Give the suggestions for each conflict, by its path, the surest first."""
    texts = await three_texts(git, store, conflicts)
    if isinstance(texts, GitFailed):
        return texts
    found: dict[bytes, tuple[Suggested, ...]] = {}
    for conflict in conflicts:
        if conflict.kind is ConflictKind.DIRECTORY_RENAME:
            found[conflict.path] = _where_the_folder_went(conflict)
        elif conflict.path in texts:
            made = await _of_texts(git, store, texts[conflict.path], at)
            if isinstance(made, GitFailed):
                return made
            found[conflict.path] = tuple(Suggested(one.kind, one.sure, one.content) for one in made)
    return found


async def held_by(
    git: Git, store: Store, conflict: Conflict, one: Suggested
) -> tuple[Held, ...] | GitFailed:
    """What the paths of a conflict hold once a suggestion is taken."""
    if one.content is None:
        return one.held
    return await text_held(git, store, conflict, one.content)


def _where_the_folder_went(conflict: Conflict) -> tuple[Suggested, ...]:
    """A file that was added to a folder which the other side renamed: put it into the new one."""
    entry = conflict.theirs or conflict.ours
    held = tuple(Held(path, entry if path == conflict.path else None) for path in conflict.paths)
    kind = SuggestionKind.FOLLOW_FOLDER
    return (Suggested(kind, SURENESS[kind], None, held),)


async def _of_texts(
    git: Git, store: Store, texts: ThreeTexts, at: int
) -> tuple[Suggestion, ...] | GitFailed:
    level = await _level(git, store, texts, at)
    if isinstance(level, GitFailed):
        return level
    # To compare the lines of a large conflict takes long enough to be noticed.
    made = await anyio.to_thread.run_sync(suggestions, texts)
    if level is None:
        return made
    kind = SuggestionKind.LINE_ENDINGS
    return (Suggestion(kind, SURENESS[kind], level), *made)


async def _level(git: Git, store: Store, texts: ThreeTexts, at: int) -> bytes | GitFailed | None:
    """Merge with one line ending in all three; None where that does not make them go together."""
    sides = [b"".join(side) for side in (texts.base, texts.ours, texts.theirs)]
    ending = _usual_ending(sides[1])
    level = [with_line_ending(side, ending) for side in sides]
    if level == sides:
        return None
    ids = await write_blobs(git, store, level)
    if isinstance(ids, GitFailed):
        return ids
    base, ours, theirs = (Entry(MODE_FILE, identity) for identity in ids)
    merged = await merge_alone(git, store, ThreeEntries(base, ours, theirs), at)
    if isinstance(merged, Entry):
        return await read_blob(git, store, merged.id)
    return merged if isinstance(merged, GitFailed) else None


def _usual_ending(text: bytes) -> LineEnding:
    """The ending of all lines, or of most of them where they are mixed."""
    ending = line_ending(text)
    if ending is not LineEnding.MIXED:
        return ending
    pairs = text.count(b"\r\n")
    return LineEnding.CRLF if 2 * pairs > text.count(b"\n") else LineEnding.LF
