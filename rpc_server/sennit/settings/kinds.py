"""The kinds of values that a setting can have: reading a value, and saying what would be valid."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Protocol

from attrs import frozen

from sennit.core.counted import counted
from sennit.core.globs import glob_problem
from sennit.core.variables import variable_problem


@frozen
class Wrong:
    """A value that a key cannot have: what is wrong, and what would be valid."""

    message: str
    valid: tuple[str, ...] = ()


class Kind(Protocol):
    """How the values of a key are read from TOML or JSON, and from an environment variable."""

    @property
    def told(self) -> str:
        """What is valid, in a few words for a person."""
        ...

    @property
    def schema(self) -> Mapping[str, object]:
        """The same as JSON Schema."""
        ...

    def read(self, raw: object) -> object | Wrong:
        """Read a value of TOML or JSON."""
        ...

    def read_text(self, text: str) -> object | Wrong:
        """Read the text of an environment variable."""
        ...

    def shown(self, value: object) -> str:
        """Show a value to a person, without what may be secret."""
        ...


OUR_NAMES = r"[A-Za-z0-9_-]{1,64}"
FOREIGN_NAMES = r"[^\x00]{1,1000}"
"""Patterns of what names in keys may be: of what settings define, and of what others have named."""


@frozen
class Whole:
    """A whole number within bounds."""

    least: int
    most: int

    @property
    def told(self) -> str:
        """What is valid."""
        return f"a whole number from {self.least} to {self.most}"

    @property
    def schema(self) -> Mapping[str, object]:
        """The same as JSON Schema."""
        return {"type": "integer", "minimum": self.least, "maximum": self.most}

    def read(self, raw: object) -> int | Wrong:
        """Read a number; true and false are none, nor is 1.0."""
        if isinstance(raw, bool) or not isinstance(raw, int):
            return Wrong(f"is {_type_of(raw)}, not a whole number", (self.told,))
        if not self.least <= raw <= self.most:
            return Wrong(f"{raw} is out of bounds", (self.told,))
        return raw

    def read_text(self, text: str) -> int | Wrong:
        """Read decimal digits."""
        if not _DIGITS.fullmatch(text):
            return Wrong(f"{text!r} is not a whole number", (self.told,))
        return self.read(int(text))

    def shown(self, value: object) -> str:
        """Show the digits."""
        return str(value)


# Longer ones are out of all bounds, and Python refuses to convert the very long.
_DIGITS = re.compile(r"-?[0-9]{1,30}")


@frozen
class Choice:
    """One of a few words."""

    words: type[StrEnum]

    @property
    def told(self) -> str:
        """What is valid."""
        return ", ".join(f"`{each}`" for each in self._valid)

    @property
    def schema(self) -> Mapping[str, object]:
        """The same as JSON Schema."""
        return {"enum": list(self._valid)}

    @property
    def _valid(self) -> tuple[str, ...]:
        return tuple(each.value for each in self.words)

    def read(self, raw: object) -> StrEnum | Wrong:
        """Read one of the words, spelled exactly."""
        if isinstance(raw, str) and raw in self._valid:
            return self.words(raw)
        return Wrong(f"is {_named(raw)}, which is no choice", self._valid)

    def read_text(self, text: str) -> StrEnum | Wrong:
        """Read one of the words."""
        return self.read(text)

    def shown(self, value: object) -> str:
        """Show the word."""
        return str(value)


@frozen
class Switch:
    """On or off."""

    @property
    def told(self) -> str:
        """What is valid."""
        return "`true` or `false`"

    @property
    def schema(self) -> Mapping[str, object]:
        """The same as JSON Schema."""
        return {"type": "boolean"}

    def read(self, raw: object) -> bool | Wrong:
        """Read a truth value."""
        return raw if isinstance(raw, bool) else Wrong(f"is {_named(raw)}, not true or false")

    def read_text(self, text: str) -> bool | Wrong:
        """Read one of the two words."""
        words = {"true": True, "false": False}
        if text in words:
            return words[text]
        return Wrong(f"is {_named(text)}, which is no choice", tuple(words))

    def shown(self, value: object) -> str:
        """Show the word."""
        return str(value).lower()


@frozen
class Text:
    """A line of text."""

    most: int = 1_000
    told = "a text"

    @property
    def schema(self) -> Mapping[str, object]:
        """The same as JSON Schema."""
        return {"type": "string", "minLength": 1, "maxLength": self.most}

    def read(self, raw: object) -> str | Wrong:
        """Read a text that is not empty and can be handed to a program."""
        if not isinstance(raw, str):
            return Wrong(f"is {_type_of(raw)}, not a text", (self.told,))
        if not raw or "\0" in raw or len(raw) > self.most:
            return Wrong(f"is empty, holds a NUL or has more than {self.most} characters")
        return raw

    def read_text(self, text: str) -> str | Wrong:
        """Take the text as it is."""
        return self.read(text)

    def shown(self, value: object) -> str:
        """Show the text."""
        return str(value)


@frozen
class AbsolutePath:
    """The absolute path of a file or folder."""

    told = "an absolute path"

    @property
    def schema(self) -> Mapping[str, object]:
        """The same as JSON Schema."""
        return {"type": "string", "pattern": "^/"}

    def read(self, raw: object) -> str | Wrong:
        """Read a path; `~` and relative paths depend on who reads them and are refused."""
        if not isinstance(raw, str):
            return Wrong(f"is {_type_of(raw)}, not a path", (self.told,))
        if not raw.startswith("/") or "\0" in raw:
            return Wrong(f"{raw!r} is not absolute; write it out from `/`", (self.told,))
        return raw

    def read_text(self, text: str) -> str | Wrong:
        """Take the text as a path."""
        return self.read(text)

    def shown(self, value: object) -> str:
        """Show the path."""
        return str(value)


@frozen
class Texts:
    """A list of texts, each held to a rule; ``least`` says how many there have to be.

    ``problem`` says what is wrong with one of them, None when nothing is.
    """

    told: str
    problem: Callable[[str], str | None]
    least: int = 0
    most: int = 1_000

    @property
    def schema(self) -> Mapping[str, object]:
        """The same as JSON Schema."""
        items = {"type": "string", "minLength": 1}
        return {"type": "array", "items": items, "minItems": self.least, "maxItems": self.most}

    def read(self, raw: object) -> tuple[str, ...] | Wrong:
        """Read a list; the first bad text in it is told."""
        if not isinstance(raw, list | tuple):
            return Wrong(f"is {_type_of(raw)}, not a list", (self.told,))
        if not self.least <= len(raw) <= self.most:
            has = counted(len(raw), "entry", "entries")
            return Wrong(f"has {has}, not {self.least} to {self.most}", (self.told,))
        for index, each in enumerate(raw):
            if not isinstance(each, str):
                return Wrong(f"entry {index} is {_type_of(each)}, not a text", (self.told,))
            if problem := self.problem(each):
                return Wrong(f"entry {index}, {each!r}, {problem}", (self.told,))
        return tuple(raw)

    def read_text(self, text: str) -> tuple[str, ...] | Wrong:
        """Take the entries between colons, as in `PATH`; the empty text is the empty list."""
        return self.read(text.split(":") if text else [])

    def shown(self, value: object) -> str:
        """Show the entries."""
        return ", ".join(value) if isinstance(value, tuple) else str(value)


@frozen
class Variables:
    """Environment variables with their values, which are never shown."""

    told = "a table of texts, by names of variables"

    @property
    def schema(self) -> Mapping[str, object]:
        """The same as JSON Schema."""
        return {"type": "object", "additionalProperties": {"type": "string"}}

    def read(self, raw: object) -> Mapping[str, str] | Wrong:
        """Read a table of texts; the first bad name in it is told."""
        if not isinstance(raw, Mapping):
            return Wrong(f"is {_type_of(raw)}, not a table", (self.told,))
        for name, value in raw.items():
            if problem := variable_problem(name):
                return Wrong(problem)
            if not isinstance(value, str) or "\0" in value:
                return Wrong(f"{name} is no text that a variable can hold", (self.told,))
        return dict(raw)

    def read_text(self, text: str) -> Wrong:  # noqa: ARG002  the protocol's signature
        """Refuse: one variable cannot hold several."""
        return Wrong("cannot be set by an environment variable", (self.told,))

    def shown(self, value: object) -> str:
        """Show the names alone."""
        return ", ".join(value) if isinstance(value, Mapping) else ""


def globs() -> Texts:
    """Make the kind of lists of globs."""
    return Texts("a list of globs, relative to the repository's top level", glob_problem)


def argument_list() -> Texts:
    """Make the kind of argument lists: a program and its arguments."""
    return Texts("a list of a program and its arguments, no shell line", _argument_problem, least=1)


def folders() -> Texts:
    """Make the kind of lists of folders."""
    return Texts("a list of folders, absolute or below `~/`", _folder_problem)


def agent_roles() -> Texts:
    """Make the kind of lists of roles."""
    return Texts("a list of names of roles: a-z, 0-9 and `-`", _role_problem)


def command_globs() -> Texts:
    """Make the kind of lists of globs over command lines."""
    return Texts("a list of globs over command lines", _command_problem)


def variable_names() -> Texts:
    """Make the kind of lists of variable names; `PREFIX*` stands for all that begin so."""
    return Texts("a list of names of variables, or `PREFIX*`", _name_problem)


def _argument_problem(text: str) -> str | None:
    return "holds a NUL, which no program can be given" if "\0" in text else None


_ROLE = re.compile(r"[a-z0-9][a-z0-9-]{0,63}")


def _folder_problem(text: str) -> str | None:
    if "\0" in text or not text.startswith(("/", "~/")):
        return "is neither absolute nor below `~/`"
    return None


def _role_problem(text: str) -> str | None:
    return None if _ROLE.fullmatch(text) else "is no name of a role"


def _command_problem(text: str) -> str | None:
    return None if text.strip() and "\0" not in text else "is empty or holds a NUL"


def _name_problem(text: str) -> str | None:
    return variable_problem(text.removesuffix("*") if len(text) > 1 else text)


def _named(raw: object) -> str:
    return repr(raw) if isinstance(raw, str) else _type_of(raw)


def _type_of(raw: object) -> str:
    names = {bool: "true or false", int: "a number", float: "a number with a point", str: "a text"}
    if isinstance(raw, Mapping):
        return "a table"
    return "a list" if isinstance(raw, list | tuple) else names.get(type(raw), "another kind")
