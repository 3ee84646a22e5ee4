"""What ends a command before its work is done."""

from __future__ import annotations

from collections.abc import Mapping

from sennit.cli.exits import Exit
from sennit_protocol.errors import ErrorCode

_EXITS: Mapping[int, Exit] = {
    ErrorCode.INVALID_PARAMS: Exit.USAGE,
    ErrorCode.UNKNOWN_TICKET: Exit.USAGE,
    ErrorCode.UNKNOWN_TASK: Exit.USAGE,
    ErrorCode.UNKNOWN_PROPOSAL: Exit.USAGE,
    ErrorCode.UNKNOWN_QUESTION: Exit.USAGE,
    ErrorCode.UNKNOWN_CONTENT: Exit.USAGE,
    ErrorCode.NOT_TRUSTED: Exit.NOT_TRUSTED,
}
"""What an error of the server says of the command line; all others are `Exit.PARTLY`."""


class CommandError(Exception):
    """A command cannot go on; the text says what happened, where, and what to do."""

    def __init__(self, message: str, exit_code: Exit, data: object = None) -> None:
        """Carry a message for a person and the exit code that follows from it.

        ``data`` is the JSON value of what a program may want to know, such as the problems.
        """
        super().__init__(message)
        self.message = message
        self.exit_code = exit_code
        self.data = data


class UsageError(CommandError):
    """What was given is wrong: the command line, or a file that it names."""

    def __init__(self, message: str, data: object = None) -> None:
        """Carry a message for a person."""
        super().__init__(message, Exit.USAGE, data)


class NotNowError(CommandError):
    """What was given is right, and things are not so that it could be done."""

    def __init__(self, message: str) -> None:
        """Carry a message for a person."""
        super().__init__(message, Exit.PARTLY)


class RefusedError(CommandError):
    """The server answered a request with an error."""

    def __init__(self, code: int, message: str, data: object) -> None:
        """Carry the error of the answer; ``data`` is its JSON value."""
        super().__init__(message, _EXITS.get(code, Exit.PARTLY), data)
        self.code = code


class ServerGoneError(CommandError):
    """The server cannot be spoken with: not started, ended, or talking rubbish."""

    def __init__(self, what: str, last_words: str) -> None:
        """Say what happened; ``last_words`` is the end of the server's standard error."""
        told = f"\nIts last words:\n{last_words}" if last_words else ""
        super().__init__(f"{what} Run `sennit doctor` to see what is wrong.{told}", Exit.NO_SERVER)


class NoAnswerError(CommandError):
    """The server did not answer in time."""

    def __init__(self, method: str, limit_s: float) -> None:
        """Name the request and its time limit in seconds."""
        super().__init__(
            f"The server has not answered `{method}` within {limit_s:g} s. It may be busy: "
            "try again, or look with `sennit doctor`.",
            Exit.NO_SERVER,
        )


def first_failure(error: BaseException) -> BaseException:
    """Give the error behind a group: an interrupt, else that of a command, else another."""
    if not isinstance(error, BaseExceptionGroup):
        return error
    leaves = [first_failure(each) for each in error.exceptions]
    # A second Ctrl-C comes wherever tasks are being ended for the first.
    interrupts = [each for each in leaves if isinstance(each, KeyboardInterrupt)]
    known = [each for each in leaves if isinstance(each, CommandError)]
    return (interrupts or known or leaves)[0]
