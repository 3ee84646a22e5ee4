"""Computes, apart from the server, what must be true after applying and after undoing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from attrs import frozen

from sennit.cli.client import Client
from sennit.cli.demo.snapshots import FileState, GitEntry, differences
from sennit.cli.safe_text import path_of_uri
from sennit.core.counted import counted
from sennit_protocol.proposals import FileView, ProposalView, UnitKind, UnitView
from sennit_protocol.states import Decision
from sennit_protocol.texts import ContentParams, ContentResult

Files = Mapping[bytes, FileState]

_NAMED = 3


@frozen
class Proof:
    """A claim, and whether it holds; ``detail`` says what was compared, or what is wrong."""

    claim: str
    holds: bool
    detail: str


@frozen
class Change:
    """Lines from ``start`` on, counted from 0, ``count`` of them, that become ``lines``."""

    start: int
    count: int
    lines: tuple[bytes, ...]


@frozen
class Expected:
    """What the accepted units make of the files on disk and of the unsaved text."""

    files: Mapping[bytes, bytes]
    buffer: bytes


@frozen
class Moment:
    """Everything that is compared, at one moment."""

    files: Files
    git: Mapping[bytes, GitEntry]
    buffer: bytes


async def accepted_changes(
    client: Client, top: bytes, views: Sequence[ProposalView]
) -> Mapping[bytes, tuple[Change, ...]]:
    """Read which lines the accepted units change, by the path of their file.

    ``top`` is the path of the work tree. Ranges are those of the base, which is the live text of
    the moment of the dispatch.
    """
    changes: dict[bytes, tuple[Change, ...]] = {}
    for file in (file for view in views for file in view.files):
        path = path_of_uri(file.uri).removeprefix(top + b"/")
        changes[path] = (*changes.get(path, ()), *await _changes(client, file))
    return changes


def expected_after(
    before: Moment, changes: Mapping[bytes, tuple[Change, ...]], buffer_path: bytes
) -> Expected:
    """Put the accepted lines into the texts of before, with nothing of the server's code."""
    files = {
        path: with_changes(before.files[path].data, each)
        for path, each in changes.items()
        if path != buffer_path
    }
    return Expected(files, with_changes(before.buffer, changes.get(buffer_path, ())))


def with_changes(data: bytes, changes: Sequence[Change]) -> bytes:
    """Replace lines; later places first, so that the numbers of the earlier ones stay right."""
    lines = data.splitlines(keepends=True)
    for change in sorted(changes, key=lambda each: (each.start, each.count), reverse=True):
        lines[change.start : change.start + change.count] = change.lines
    return b"".join(lines)


def proofs_of_applying(before: Moment, after: Moment, expected: Expected) -> tuple[Proof, ...]:
    """Compare the moment after applying with what the accepted units alone make."""
    changed = set(differences(before.files, after.files))
    strangers = sorted(changed - expected.files.keys())
    others = len(before.files) - len(expected.files)
    wrong = [
        path
        for path, data in expected.files.items()
        if after.files.get(path) != FileState(before.files[path].mode, data)
    ]
    return (
        _proof(
            "Files without accepted changes are as before, every byte",
            strangers,
            f"{counted(others, 'file')} compared",
        ),
        _proof(
            "Changed files are their old bytes with exactly the accepted lines",
            wrong,
            f"{counted(len(expected.files), 'file')} computed again",
        ),
        Proof(
            "The unsaved text is the old one with exactly the accepted lines",
            after.buffer == expected.buffer,
            f"{len(after.buffer)} bytes computed again",
        ),
        _git_proof("The .git folder is untouched after applying", before, after),
    )


def proofs_of_undoing(before: Moment, after: Moment) -> tuple[Proof, ...]:
    """Compare the moment after undoing with the very first one."""
    return (
        _proof(
            "After undo every file has its bytes and mode of before",
            differences(before.files, after.files),
            f"{counted(len(before.files), 'file')} compared",
        ),
        Proof(
            "After undo the unsaved text is as before",
            before.buffer == after.buffer,
            f"{len(before.buffer)} bytes compared",
        ),
        _git_proof("The .git folder is untouched after undo", before, after),
    )


def _git_proof(claim: str, before: Moment, after: Moment) -> Proof:
    wrong = differences(before.git, after.git)
    return _proof(claim, wrong, f"{counted(len(before.git), 'entry', 'entries')} compared")


def _proof(claim: str, wrong: Sequence[bytes], detail: str) -> Proof:
    if not wrong:
        return Proof(claim, holds=True, detail=detail)
    named = ", ".join(path.decode(errors="backslashreplace") for path in wrong[:_NAMED])
    more = f" and {len(wrong) - _NAMED} more" if len(wrong) > _NAMED else ""
    return Proof(claim, holds=False, detail=f"not so: {named}{more}")


async def _changes(client: Client, file: FileView) -> tuple[Change, ...]:
    accepted = [each for each in file.units if each.decision is Decision.ACCEPTED]
    if not accepted:
        return ()
    if file.proposed_uri is None or any(each.kind is not UnitKind.HUNK for each in accepted):
        raise ValueError(f"{file.path}: the demonstration can prove changes of lines only")
    params = ContentParams(file.proposed_uri)
    content = await client.ask("sennit/content", params, ContentResult)
    lines = content.text.encode().splitlines(keepends=True)
    return tuple(_change(each, lines) for each in accepted)


def _change(unit: UnitView, proposed: Sequence[bytes]) -> Change:
    if unit.before is None or unit.after is None:
        raise ValueError(f"the hunk {unit.id} has no place")
    end = unit.after.start + unit.after.count
    return Change(unit.before.start, unit.before.count, tuple(proposed[unit.after.start : end]))
