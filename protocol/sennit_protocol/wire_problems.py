"""From the grouped errors of cattrs to problems with JSON paths."""

from __future__ import annotations

from collections.abc import Iterator

from cattrs.errors import (
    AttributeValidationNote,
    ClassValidationError,
    IterableValidationError,
    IterableValidationNote,
)

from sennit_protocol.errors import Problem


class WireError(ValueError):
    """A value from the wire does not have the shape of its type; tells every problem."""

    def __init__(self, problems: tuple[Problem, ...]) -> None:
        """Carry ``problems``, at least one."""
        super().__init__("; ".join(f"{p.path}: {p.message}" for p in problems))
        self.problems = problems


class BadValueError(ValueError):
    """One value is wrong; where it stands is told by the groups around it."""

    def __init__(self, message: str, valid: tuple[str, ...] = (), key: str | None = None) -> None:
        """Say what is wrong, what would be valid and, for a key of an object, which key."""
        super().__init__(message)
        self.message = message
        self.valid = valid
        self.key = key


class BadKeysError(Exception):
    """Several keys of one object are wrong, each in its own way."""

    def __init__(self, problems: tuple[BadValueError, ...]) -> None:
        """Carry ``problems``, at least one."""
        super().__init__("several keys are wrong")
        self.problems = problems


def camel_case(name: str) -> str:
    """Spell a field's name as it travels: ``deadline_ms`` is ``deadlineMs``, ``from_`` ``from``."""
    first, *rest = name.rstrip("_").split("_")
    return first + "".join(part[:1].upper() + part[1:] for part in rest)


def problems_of(error: BaseException) -> tuple[Problem, ...]:
    """List every problem inside an error that structuring has raised."""
    return tuple(_walk(error, ""))


def _walk(error: BaseException, path: str) -> Iterator[Problem]:
    match error:
        case ClassValidationError() | IterableValidationError():
            placed, others = error.group_exceptions()
            for inner, note in placed:
                yield from _walk(inner, _inside(path, note))
            for other in others:
                yield from _walk(other, path)
        case BadKeysError():
            for problem in error.problems:
                yield _leaf(problem, path)
        case _:
            yield _leaf(error, path)


def _inside(path: str, note: AttributeValidationNote | IterableValidationNote) -> str:
    if isinstance(note, AttributeValidationNote):
        return _joined(path, camel_case(note.name))
    return f"{path}[{note.index}]" if isinstance(note.index, int) else _joined(path, note.index)


def _leaf(error: BaseException, path: str) -> Problem:
    match error:
        case BadValueError():
            where = path if error.key is None else _joined(path, error.key)
            return Problem(where, error.message, error.valid)
        case KeyError():
            return Problem(path, "is missing")
        case TypeError() | AttributeError():
            # What reading a value of another kind runs into; the words would be Python's.
            return Problem(path, "has another form than it must have")
        case _:
            return Problem(path, str(error) or type(error).__name__)


def _joined(path: str, key: str) -> str:
    return f"{path}.{key}" if path else key
