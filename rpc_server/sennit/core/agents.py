"""What is known of an agent before it runs: its kind, its program, how it takes a prompt."""

from collections.abc import Mapping
from enum import StrEnum, unique

from attrs import field, frozen


@unique
class AgentKind(StrEnum):
    """How Sennit speaks with an agent."""

    COMMAND = "command"
    """A program that edits files and ends; nothing is spoken."""


@unique
class PromptAs(StrEnum):
    """How a program is given its prompt."""

    ARGUMENT = "argument"
    """In place of `{prompt}` in the argument list, else as its last argument."""
    STDIN = "stdin"
    """On standard input."""
    FILE = "file"
    """In a file, whose path replaces `{prompt_file}`, else is the last argument."""
    NONE = "none"
    """Not at all; standard input is empty."""


@unique
class Polite(StrEnum):
    """What an agent is asked with before it is told to end."""

    NOTHING = "nothing"
    """Straight to TERM."""
    INTERRUPT = "interrupt"
    """SIGINT to the agent alone, as Ctrl-C would."""


@frozen
class StopTimes:
    """How long each rung of the stop ladder waits, in milliseconds."""

    cancel_ms: int = 5_000
    close_ms: int = 8_000
    term_ms: int = 2_000


@frozen
class AgentSettings:
    """One configured agent.

    `argv`: program and arguments, never a shell line. `env`: variables set for it. `pass_env`:
    names of the server's variables that it gets besides the usual ones; `PREFIX*` is allowed.
    `stop`: None for the general times.
    """

    name: str
    kind: AgentKind
    argv: tuple[str, ...]
    prompt_as: PromptAs = PromptAs.ARGUMENT
    env: Mapping[str, str] = field(factory=dict)
    pass_env: tuple[str, ...] = ()
    polite: Polite = Polite.INTERRUPT
    stop: StopTimes | None = None


COMMAND_LINE = AgentSettings(
    name="command", kind=AgentKind.COMMAND, argv=(), prompt_as=PromptAs.NONE
)
"""The built-in agent whose prompt is the command line itself; it needs no account."""


def takes_prompt(agent: AgentSettings) -> bool:
    """Whether the agent is given a text to read; else its prompt is a command line, or nothing."""
    return bool(agent.argv) and agent.prompt_as is not PromptAs.NONE
