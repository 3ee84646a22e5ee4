"""What is known of an agent before it runs: its kind, its program, how it takes a prompt."""

import re
from collections.abc import Mapping
from enum import StrEnum, unique

from attrs import field, frozen

LONGEST_SESSION = 1_000
"""Characters of the name of a session, which is kept and said again with each turn."""
_SESSION = re.compile(rf"[^\x00-\x20\x7f-][^\x00-\x1f\x7f]{{0,{LONGEST_SESSION - 1}}}")


@unique
class AgentKind(StrEnum):
    """How Sennit speaks with an agent."""

    COMMAND = "command"
    """A program that edits files and ends; what it writes may be read, nothing is answered."""
    ACP = "acp"
    """A program that speaks the Agent Client Protocol on its standard input and output."""


@unique
class OutputFormat(StrEnum):
    """What an agent of kind `command` writes to standard output."""

    TEXT = "text"
    """Words for people."""
    CLAUDE = "claude-json"
    """`claude -p --output-format stream-json`; also `qwen -o stream-json`."""
    CODEX = "codex-json"
    """`codex exec --json`."""
    GEMINI = "gemini-json"
    """`gemini -o stream-json`."""
    OPENCODE = "opencode-json"
    """`opencode run --format json`."""
    PI = "pi-json"
    """`pi --mode json`."""
    KIMI = "kimi-json"
    """`kimi -p --output-format stream-json`."""


@unique
class Sandboxing(StrEnum):
    """Whether an agent runs inside a sandbox of the system."""

    REQUIRED = "required"
    """Not without one."""
    PREFERRED = "preferred"
    """Where there is one."""
    OFF = "off"


@unique
class Executing(StrEnum):
    """What is answered to an agent that asks whether it may run a command."""

    ALLOW = "allow"
    ASK = "ask"
    DENY = "deny"


@frozen
class Permissions:
    """What an agent is allowed without a question, beside edits inside its workspace.

    ``execute``: commands that no glob of ``commands`` matches. ``commands``: globs over the whole
    command line, such as `git diff *`, which are allowed.
    """

    execute: Executing = Executing.ASK
    commands: tuple[str, ...] = ()


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
class ToolServer:
    """A tool server of the Model Context Protocol, which an agent starts: a program over stdio."""

    name: str
    argv: tuple[str, ...]
    env: Mapping[str, str] = field(factory=dict)


@frozen
class AgentSettings:
    """One configured agent.

    `argv`: program and arguments, never a shell line. `env`: variables set for it. `pass_env`:
    names of the server's variables that it gets besides the usual ones; `PREFIX*` is allowed.
    `stop`: None for the general times. `output`: for kind `command`. `mode`, `model`: asked for
    over ACP where the agent offers them; of a `command` they are part of `argv`. `sandbox`: None
    for the general setting. `state_folders`: what it writes outside its workspace, below `~` or
    absolute; writable in a sandbox. `roles`, `model_class`, `provider`: how tasks and limits choose
    it. `sign_in`: the command line that signs a person in; `auth_method`: a way of the agent's own
    that is used over ACP before each session. `resume_argv`: the program and arguments with which a
    `command` goes on with an earlier session, `{session}` in place of its name. `litter`: ignore
    patterns of what the agent leaves beside its work.
    """

    name: str
    kind: AgentKind
    argv: tuple[str, ...]
    prompt_as: PromptAs = PromptAs.ARGUMENT
    env: Mapping[str, str] = field(factory=dict)
    pass_env: tuple[str, ...] = ()
    polite: Polite = Polite.INTERRUPT
    stop: StopTimes | None = None
    output: OutputFormat = OutputFormat.TEXT
    mode: str | None = None
    model: str | None = None
    permissions: Permissions = Permissions()
    sandbox: Sandboxing | None = None
    state_folders: tuple[str, ...] = ()
    roles: tuple[str, ...] = ()
    model_class: str | None = None
    provider: str | None = None
    sign_in: str | None = None
    description: str | None = None
    auth_method: str | None = None
    resume_argv: tuple[str, ...] = ()
    litter: tuple[str, ...] = ()


COMMAND_LINE = AgentSettings(
    name="command", kind=AgentKind.COMMAND, argv=(), prompt_as=PromptAs.NONE
)
"""The built-in agent whose prompt is the command line itself; it needs no account."""


def is_plain(agent: AgentSettings) -> bool:
    """Whether what it writes is for people."""
    return agent.kind is AgentKind.COMMAND and agent.output is OutputFormat.TEXT


def names_session(text: str) -> bool:
    """Whether a session can be called that: to be kept, and told a program as no option of it."""
    return _SESSION.fullmatch(text) is not None


def takes_prompt(agent: AgentSettings) -> bool:
    """Whether the agent is given a text to read; else its prompt is a command line, or nothing."""
    return bool(agent.argv) and agent.prompt_as is not PromptAs.NONE
