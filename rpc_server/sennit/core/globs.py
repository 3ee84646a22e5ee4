"""Globs over paths of a repository, read as git reads the patterns of `.gitignore`.

A pattern without a slash, or with one only at its end, names files and folders at any depth; any
other is read from the top level. Whoever names a folder names all that is in it. `*` and `?` stay
within one component, `**` as a whole component crosses folders, `[a-z]` and `[!a-z]` are one byte,
a backslash takes the next character as it is. Beyond git, `{a,b}` stands for either of its parts.
There is no negation. Paths are bytes; patterns are UTF-8.

Every star takes as little as it can and never gives back (`(?>...)`), which finds a match whenever
there is one and keeps the time linear in the number of stars, whatever a pattern looks like.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from attrs import field, frozen

MOST_CHARACTERS = 1_024
MOST_ALTERNATIVES = 64


@frozen
class BadGlob:
    """A pattern that says nothing, and why."""

    pattern: str
    message: str


@frozen
class Globs:
    """Patterns ready to be matched; no pattern at all matches nothing."""

    patterns: tuple[str, ...]
    _regex: re.Pattern[bytes] | None = field(default=None, eq=False, repr=False)

    def matches(self, path: bytes) -> bool:
        """Tell whether any pattern names the path, or a folder above it."""
        return self._regex is not None and self._regex.match(path) is not None


NO_GLOBS = Globs(())


class _BadPatternError(ValueError):
    """The pattern cannot be read; the text says why."""


def compiled_globs(patterns: Sequence[str]) -> Globs | tuple[BadGlob, ...]:
    """Make patterns ready; with any bad one among them, every bad one is told instead."""
    bad: list[BadGlob] = []
    parts: list[bytes] = []
    for pattern in patterns:
        try:
            parts.append(_regex_of(pattern))
        except _BadPatternError as error:
            bad.append(BadGlob(pattern, str(error)))
    if bad:
        return tuple(bad)
    if not parts:
        return NO_GLOBS
    return Globs(tuple(patterns), re.compile(rb"(?:" + b"|".join(parts) + rb")\Z", re.DOTALL))


def glob_problem(pattern: str) -> str | None:
    """Say what is wrong with a pattern, None when nothing is."""
    match compiled_globs((pattern,)):
        case (BadGlob(message=message), *_):
            return message
        case _:
            return None


def _regex_of(pattern: str) -> bytes:
    if not pattern or "\0" in pattern:
        raise _BadPatternError("is empty or holds a NUL")
    if len(pattern) > MOST_CHARACTERS:
        raise _BadPatternError(f"is longer than {MOST_CHARACTERS} characters")
    if pattern.startswith("!"):
        raise _BadPatternError("begins with `!`, but nothing can be excluded; write `\\!` for a !")
    try:
        encoded = pattern.encode()
    except UnicodeEncodeError as error:
        raise _BadPatternError("holds characters that are not Unicode text") from error
    return b"|".join(_regex_of_alternative(each) for each in _alternatives(encoded))


def _alternatives(pattern: bytes) -> list[bytes]:
    """Write out every `{a,b}`; braces inside braces are refused."""
    done = [b""]
    for literal, choices in _braces(pattern):
        done = [start + literal + choice for start in done for choice in choices]
        if len(done) > MOST_ALTERNATIVES:
            raise _BadPatternError(f"stands for more than {MOST_ALTERNATIVES} patterns")
    return done


_PLAIN = re.compile(rb"(?:\\.|[^\\{}])*", re.DOTALL)
_CHOICE = re.compile(rb"(?:\\.|[^\\{},])*", re.DOTALL)


def _braces(pattern: bytes) -> Iterator[tuple[bytes, list[bytes]]]:
    position = 0
    while True:
        literal = _taken(_PLAIN, pattern, position)
        position += len(literal)
        if position == len(pattern):
            yield literal, [b""]
            return
        if pattern[position : position + 1] != b"{":
            raise _BadPatternError("has a `}` without `{`, or ends in a lone backslash")
        choices: list[bytes] = []
        while not choices or pattern[position : position + 1] == b",":
            choices.append(_taken(_CHOICE, pattern, position + 1))
            position += 1 + len(choices[-1])
        if pattern[position : position + 1] != b"}":
            raise _BadPatternError("has a `{` without `}`, or one `{` inside another")
        position += 1
        yield literal, choices


def _taken(regex: re.Pattern[bytes], text: bytes, position: int) -> bytes:
    found = regex.match(text, position)
    return found.group() if found else b""


def _regex_of_alternative(pattern: bytes) -> bytes:
    only_inside = pattern.endswith(b"/")
    body = pattern.removesuffix(b"/")
    anchored = b"/" in body
    body = body.removeprefix(b"/")
    if not body:
        raise _BadPatternError("names no file or folder")
    components = body.split(b"/")
    if not anchored and components != [b"**"]:
        components.insert(0, b"**")
    if any(component in {b"", b".", b".."} for component in components):
        raise _BadPatternError("holds an empty component, `.` or `..`")
    return _regex_of_components(components, only_inside=only_inside)


def _regex_of_components(components: list[bytes], *, only_inside: bool) -> bytes:
    inside_all = components[-1] == b"**"
    runs = _runs(components)
    end = b"" if inside_all else (rb"/.+" if only_inside else rb"(?:/.+)?")
    first, *others = (b"/".join(_component(each) for each in run) for run in runs)
    if not others:
        return first + end
    regex = first + b"/" if first else b""
    for run in others[:-1]:
        regex += rb"(?>(?:[^/]+/)*?" + run + rb"/)"
    last = others[-1]
    if inside_all:
        last = rb"[^/]+/.+" if only_inside else rb".+"
    return regex + rb"(?:[^/]+/)*?" + last + end


def _runs(components: list[bytes]) -> list[list[bytes]]:
    """Cut at the `**` components; neighbours of them count as one."""
    runs: list[list[bytes]] = [[]]
    for component in components:
        if component != b"**":
            runs[-1].append(component)
        elif len(runs) == 1 or runs[-1]:
            runs.append([])
    return runs


_TOKEN = re.compile(
    rb"\\(?P<escaped>.)|(?P<star>\*+)|(?P<any>\?)|(?P<open>\[)|(?P<byte>.)", re.DOTALL
)
_SET = re.compile(rb"\[(?P<not>[!^]?)(?P<members>\]?(?:\\.|[^\]\\])*)\]", re.DOTALL)


def _component(component: bytes) -> bytes:
    """One component as a regular expression: fixed pieces with stars between them."""
    pieces: list[bytes] = [b""]
    position = 0
    while position < len(component):
        token = _TOKEN.match(component, position)
        if token is None:
            raise _BadPatternError("ends in a lone backslash")
        position = token.end()
        match token.lastgroup:
            case "star":
                pieces.append(b"")
            case "any":
                pieces[-1] += b"[^/]"
            case "open":
                members, position = _set(component, token.start())
                pieces[-1] += members
            case _:
                pieces[-1] += re.escape(token["escaped"] or token["byte"])
    if len(pieces) == 1:
        return pieces[0]
    first, *middle, last = pieces
    middle_regex = b"".join(rb"(?>[^/]*?" + piece + rb")" for piece in middle if piece)
    at_least_one = b"" if first else rb"(?=[^/])"
    return at_least_one + first + middle_regex + rb"[^/]*" + last


def _set(component: bytes, start: int) -> tuple[bytes, int]:
    found = _SET.match(component, start)
    if found is None or not found["members"]:
        raise _BadPatternError("has a `[` without `]`; write `\\[` for a [")
    members = found["members"]
    if b"[:" in members or not members.isascii():
        raise _BadPatternError("has a set `[...]` with classes or characters beyond ASCII")
    negated = b"^" if found["not"] else b""
    ranges = b"".join(_ranges(members))
    return rb"(?!/)[" + negated + ranges + rb"]", found.end()


_MEMBER = re.compile(rb"\\?(?P<low>.)(?:-\\?(?P<high>[^\\]|(?<=\\).))?", re.DOTALL)


def _ranges(members: bytes) -> Iterable[bytes]:
    position = 0
    while position < len(members):
        found = _MEMBER.match(members, position)
        if found is None:
            raise _BadPatternError("has a set that ends in a backslash")
        position = found.end()
        low, high = found["low"], found["high"]
        if high is not None and low > high:
            raise _BadPatternError("has a range whose end comes before its start")
        yield re.escape(low) + (b"-" + re.escape(high) if high is not None else b"")
