"""`sennit ask`: a program that Sennit runs asks the user and waits; imports little to start fast.

    sennit ask "Which?" [--option A --option B] [--deadline SECONDS]

prints the answer and exits with 0. Exit 3: no answer came (deadline, or withdrawn). Exit 2:
wrong use, or not started by Sennit. The question is a file in $SENNIT_RUN_DIR/questions, locked
for as long as the asker waits.
"""

import argparse
import json
import os
import secrets
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sennit.adapters.platform.locks import lock_if_free

ANSWERED, MISUSED, UNANSWERED = 0, 2, 3
_GLANCE_S = 0.1


def main(arguments: Sequence[str]) -> int:
    """Ask as `arguments` say (without the words `sennit ask`); returns the exit code."""
    options = _parser().parse_args(arguments)
    place = os.environ.get("SENNIT_RUN_DIR")
    if not place or not Path(place, "questions").is_dir():
        sys.stderr.write(
            "sennit ask: nobody to ask: this works only inside a program that Sennit runs "
            "(SENNIT_RUN_DIR is not set, or names no run).\n"
        )
        return MISUSED
    answer = ask(Path(place), options.question, options.option, options.deadline)
    if answer is None:
        sys.stderr.write("sennit ask: no answer came; go on with the safest choice.\n")
        return UNANSWERED
    sys.stdout.write(answer + "\n")
    return ANSWERED


def ask(place: Path, question: str, options: Sequence[str], deadline_s: float | None) -> str | None:
    """Return the user's answer, or None when none came within `deadline_s` or it was withdrawn."""
    name = f"q-{secrets.token_hex(5)}.json"
    deadline_ms = None if deadline_s is None else int(deadline_s * 1000)
    value = {
        "text": question,
        "options": list(options),
        "deadline_ms": deadline_ms,
        "pid": os.getpid(),
    }
    path = place / "questions" / name
    descriptor = _published(path, json.dumps(value).encode("ascii"))
    try:
        return _awaited(place / "answers" / name, deadline_s)
    finally:
        path.unlink(missing_ok=True)
        os.close(descriptor)


def _published(path: Path, data: bytes) -> int:
    """Lock first, then show: whoever sees the file unlocked knows that its asker is gone."""
    hidden = path.with_suffix(".new")
    descriptor = os.open(hidden, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    if not lock_if_free(descriptor):
        raise RuntimeError(f"{hidden} is new and locked already: two askers drew one name")
    os.write(descriptor, data)
    hidden.rename(path)
    return descriptor


def _awaited(path: Path, deadline_s: float | None) -> str | None:
    end = None if deadline_s is None else time.monotonic() + deadline_s
    while True:
        # Looked at before the clock, so that an answer in the last moment counts.
        expired = end is not None and time.monotonic() >= end
        reply = _reply(path)
        if reply is not None:
            return reply.get("text") if reply.get("state") == "answered" else None
        if expired:
            return None
        time.sleep(_GLANCE_S)


def _reply(path: Path) -> dict[str, Any] | None:
    try:
        value = json.loads(path.read_bytes())
    except FileNotFoundError:
        return None
    return value if isinstance(value, dict) else {}


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="sennit ask", description="Ask the user of Sennit and wait for the answer."
    )
    parser.add_argument("question", help="one sentence")
    parser.add_argument("--option", action="append", default=[], help="an answer to choose")
    parser.add_argument(
        "--deadline",
        type=float,
        metavar="SECONDS",
        help="how long to wait; unless given for as long as the server does (`ask.deadlineMs`)",
    )
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
