"""Questions that programs of a run ask through files; the other side is `sennit.ask_client`.

An asker holds the lock on its question as long as it waits. So a question whose lock is free
has nobody behind it, whatever pid namespace the asker lived in.

The folders of the exchange are the only ones that an agent in a sandbox writes to and that are
written to from outside. So no link in them is ever followed, and nothing in them is believed.
"""

import json
import os
import re
from collections.abc import Container, Iterator
from contextlib import contextmanager

from sennit.adapters.platform.locks import is_locked
from sennit.adapters.runs.folder import RunFolder
from sennit.adapters.runs.values import Asked, Delivered, NobodyAsks
from sennit.core.cut import cut

MOST_OPEN = 100
"""Questions of one run that can be open at once; the others wait for their turn."""
LONGEST_TEXT = 16 << 10
"""Characters of a question; of a longer one the rest is not shown, which is said."""
LONGEST_WAIT_MS = 7 * 24 * 60 * 60 * 1000
"""An asker that has more patience is told in a week that no answer came."""

_LONGEST = 1 << 20
_MOST_NAMES = 10_000
_MOST_OPTIONS = 100
_LONGEST_OPTION = 1_000
_ENDING = ".json"
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_MADE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


def open_questions(folder: RunFolder, known: Container[str] = ()) -> tuple[Asked, ...]:
    """Every question of a run that waits for an answer, in the order of ids; blocks shortly.

    ``known``: ids that were open before, whose turn it stays where there are too many.
    """
    try:
        with _part(folder, "questions") as questions, _part(folder, "answers") as answers:
            found: list[Asked] = []
            names = os.listdir(questions)[:_MOST_NAMES]  # noqa: PTH208  it is open
            ids = [name.removesuffix(_ENDING) for name in names if name.endswith(_ENDING)]
            for question_id in sorted(ids, key=lambda each: (each not in known, each)):
                asked = _open_question(questions, answers, question_id)
                if asked is not None:
                    found.append(asked)
                if len(found) == MOST_OPEN:
                    break
            return tuple(sorted(found, key=lambda each: each.question_id))
    except OSError:
        # The agent has taken the folders away, or locked them: then it does not ask.
        return ()


def answer_question(folder: RunFolder, question_id: str, text: str) -> Delivered | NobodyAsks:
    """Lay an answer ready for the asker, once."""
    return _reply(folder, question_id, {"state": "answered", "text": text})


def withdraw_question(folder: RunFolder, question_id: str) -> Delivered | NobodyAsks:
    """Tell the asker that no answer will come."""
    return _reply(folder, question_id, {"state": "withdrawn"})


def was_answered(folder: RunFolder, question_id: str) -> bool:
    """Whether an answer to a question lies ready, or did so when its asker went."""
    try:
        with _part(folder, "answers") as answers:
            return _has_answer(answers, question_id)
    except OSError:
        return False


def _reply(folder: RunFolder, question_id: str, reply: dict[str, str]) -> Delivered | NobodyAsks:
    try:
        with _part(folder, "questions") as questions, _part(folder, "answers") as answers:
            if _open_question(questions, answers, question_id) is None:
                return NobodyAsks()
            _put(answers, question_id + _ENDING, json.dumps(reply).encode("ascii"))
    except OSError:
        # The agent has taken away the place for answers, or put something of its own there.
        return NobodyAsks()
    return Delivered()


@contextmanager
def _part(folder: RunFolder, name: str) -> Iterator[int]:
    """Open a folder of the exchange that is one."""
    exchange = os.open(folder.exchange, _FOLDER)
    try:
        part = os.open(name, _FOLDER, dir_fd=exchange)
    finally:
        os.close(exchange)
    try:
        yield part
    finally:
        os.close(part)


def _put(answers: int, name: str, data: bytes) -> None:
    """Put a file in place at once, into this very folder and nowhere else; raises OSError."""
    new = f"{name}.new"
    if _is_there(answers, new):
        os.unlink(new, dir_fd=answers)
    file = os.open(new, _MADE, 0o600, dir_fd=answers)
    with os.fdopen(file, "wb") as opened:
        opened.write(data)
    os.rename(new, name, src_dir_fd=answers, dst_dir_fd=answers)


def _open_question(questions: int, answers: int, question_id: str) -> Asked | None:
    """Return the question if its asker waits."""
    if not _ID.fullmatch(question_id) or _has_answer(answers, question_id):
        return None
    try:
        # Not for ever: an agent may put a pipe there.
        descriptor = os.open(question_id + _ENDING, _READ, dir_fd=questions)
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
    except (ValueError, RecursionError):
        return None
    match value:
        case {
            "text": str(text),
            "options": list(options),
            "deadline_ms": int() | None as deadline,
        } if len(options) <= _MOST_OPTIONS and not isinstance(deadline, bool):
            return Asked(question_id, _told(text), tuple(map(_option, options)), _wait(deadline))
        case _:
            return None


def _told(text: str) -> str:
    return cut(_readable(text), LONGEST_TEXT)


def _option(told: object) -> str:
    return _readable(str(told))[:_LONGEST_OPTION]


def _readable(text: str) -> str:
    """Give a text that can be written down: JSON may hold halves of characters."""
    return text.encode("utf-8", "replace").decode()


def _wait(deadline_ms: int | None) -> int | None:
    return None if deadline_ms is None else min(max(0, deadline_ms), LONGEST_WAIT_MS)


def _has_answer(answers: int, question_id: str) -> bool:
    return bool(_ID.fullmatch(question_id)) and _is_there(answers, question_id + _ENDING)


def _is_there(folder: int, name: str) -> bool:
    """Whether there is something of this name, be it a link to nothing."""
    try:
        os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return True
