"""Questions that programs of a run ask through files; the other side is `sennit.ask_client`.

An asker holds the lock on its question as long as it waits. So a question whose lock is free
has nobody behind it, whatever pid namespace the asker lived in.
"""

import json
import os
from pathlib import Path

from sennit.adapters.platform.locks import is_locked
from sennit.adapters.runs.folder import RunFolder, write_private
from sennit.adapters.runs.values import Asked, Delivered, NobodyAsks

_LONGEST = 1 << 20


def open_questions(folder: RunFolder) -> tuple[Asked, ...]:
    """Every question of a run that waits for an answer, oldest id first; blocks shortly."""
    try:
        names = sorted(each.name for each in (folder.exchange / "questions").iterdir())
    except FileNotFoundError:
        return ()
    found = (
        _open_question(folder, name.removesuffix(".json"))
        for name in names
        if name.endswith(".json")
    )
    return tuple(each for each in found if each is not None)


def answer_question(folder: RunFolder, question_id: str, text: str) -> Delivered | NobodyAsks:
    """Lay an answer ready for the asker, once."""
    return _reply(folder, question_id, {"state": "answered", "text": text})


def withdraw_question(folder: RunFolder, question_id: str) -> Delivered | NobodyAsks:
    """Tell the asker that no answer will come."""
    return _reply(folder, question_id, {"state": "withdrawn"})


def _reply(folder: RunFolder, question_id: str, reply: dict[str, str]) -> Delivered | NobodyAsks:
    if _open_question(folder, question_id) is None:
        return NobodyAsks()
    write_private(_answer_path(folder, question_id), json.dumps(reply).encode("ascii"))
    return Delivered()


def _open_question(folder: RunFolder, question_id: str) -> Asked | None:
    """Return the question if its asker waits; agents write these files: nothing is trusted."""
    if "/" in question_id or "\0" in question_id or _answer_path(folder, question_id).exists():
        return None
    path = folder.exchange / "questions" / f"{question_id}.json"
    try:
        # Not through a link, and not for ever: an agent may put a pipe there.
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return None
    try:
        if not is_locked(descriptor):
            return None
        return _asked(question_id, os.read(descriptor, _LONGEST))
    except OSError:
        return None
    finally:
        os.close(descriptor)


def _asked(question_id: str, data: bytes) -> Asked | None:
    try:
        value = json.loads(data)
    except ValueError:
        return None
    match value:
        case {"text": str(text), "options": list(options), "deadline_ms": int() | None as deadline}:
            return Asked(question_id, text, tuple(map(str, options)), deadline)
        case _:
            return None


def _answer_path(folder: RunFolder, question_id: str) -> Path:
    return folder.exchange / "answers" / f"{question_id}.json"
