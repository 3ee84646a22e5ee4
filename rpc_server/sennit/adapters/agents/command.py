"""How an agent is run: its program, its prompt, its variables, its stop ladder."""

import re
import shlex

from attrs import frozen

from sennit.adapters.runs.values import RunSpec
from sennit.core.agents import AgentKind, AgentSettings, Polite, PromptAs, StopTimes

LONGEST_LINE = 128 * 1024
"""Characters. Linux starts no program with a longer argument; splitting is quadratic in time."""

_WRITTEN = re.compile(
    r"""(?: [^\s'"\\]+ | \\. | '[^']*' | "(?: \\. | [^"\\] )*" )+""", re.DOTALL | re.VERBOSE
)
"""A word as it is written, with its quotes: a quoted operator is none."""

_QUOTED = re.compile(r"""\\.|'[^']*'|"(?:\\.|[^"\\])*\"""", re.DOTALL)
_VARIABLE = re.compile(r"\$(?:\w+|\{\w+\}?|\()|`")
_SETTING = re.compile(r"[A-Za-z_]\w*=")
_HOME = re.compile(r"~[\w.-]*(?:/|$)")
_PATTERN = re.compile(r"[\w./-]*[*?][\w./*?-]*")
"""What can be a path but for its stars: `--include=*.py` and `s|a*|b|` are passed on."""
_SED = re.compile(r"s/[^/]*/[^/]*/\w*$")

_OPERATORS = frozenset({"|", "||", "&", "&&", ";", "<", ">", ">>", "2>", "2>&1", "&>"})


@frozen
class CommandRefused:
    """The command cannot be meant like this; the message says what to write instead."""

    message: str


def agent_run(
    agent: AgentSettings,
    prompt: str,
    output_limit: int,
    times: StopTimes,
    session: str | None = None,
) -> RunSpec | CommandRefused:
    """Tell what to run for a prompt; `times` hold where the agent has none of its own.

    `session` is one that an agent of kind `command` goes on with, by its `resume_argv`.

    An agent without a program of its own (the built-in `command`) takes the prompt as the
    command line: split into words as a shell would, but no shell runs. One that speaks ACP is
    told its prompt later, and asked in its own language to end.
    """
    argv, prompt_as = agent.argv, agent.prompt_as
    if session is not None:
        argv = tuple(word.replace("{session}", session) for word in agent.resume_argv)
    if not argv:
        words = command_line(prompt)
        if isinstance(words, CommandRefused):
            return words
        argv, prompt_as = words, PromptAs.NONE
    stop = agent.stop or times
    talks = agent.kind is AgentKind.ACP
    return RunSpec(
        argv=argv,
        prompt=prompt,
        prompt_as=PromptAs.NONE if talks else prompt_as,
        talks=talks,
        env_allow=agent.pass_env,
        env_set=agent.env,
        output_limit=output_limit,
        close_ms=stop.close_ms,
        term_ms=stop.term_ms,
        cancel_ms=stop.cancel_ms,
        polite=Polite.NOTHING if talks else agent.polite,
    )


def command_line(text: str) -> tuple[str, ...] | CommandRefused:
    """Return the words of a command line; of a shell only quotes and backslashes work."""
    if len(text) > LONGEST_LINE:
        return CommandRefused(
            f"The command line has {len(text)} characters, and no more than {LONGEST_LINE} can be "
            "started. Put the long part into a file, or configure an agent that takes its prompt "
            'by `prompt = "stdin"` or `"file"`.'
        )
    try:
        words = tuple(shlex.split(text))
    except ValueError as error:
        return CommandRefused(
            f"The command line {text!r} cannot be split into words: {str(error).lower()}. Close "
            "each quote, and put a backslash before a quote that is meant as a letter."
        )
    if not words or not words[0]:
        return CommandRefused(
            "The command line is empty: write a program and its arguments, "
            "for example `ruff check --fix .`; quote arguments that contain spaces."
        )
    wanted = _for_a_shell(_WRITTEN.findall(text))
    if wanted is not None:
        return CommandRefused(
            f"`{wanted}` in the command line means nothing here, because no shell runs. Write "
            f"`sh -c {shlex.quote(text)}` for a shell, or quote it (`{shlex.quote(wanted)}`) to "
            "pass it on."
        )
    return words


def _for_a_shell(written: list[str]) -> str | None:
    """Find what only a shell would make something of: an operator, a variable, a pattern."""
    for number, word in enumerate(written):
        if word in _OPERATORS:
            return word
        bare = _QUOTED.sub("_", word)
        variable = _VARIABLE.search(bare)
        if variable is not None:
            return variable[0] if variable[0] != "`" else word
        is_setting = number == 0 and _SETTING.match(bare) is not None
        if is_setting or _HOME.match(bare) or (_PATTERN.fullmatch(bare) and not _SED.match(bare)):
            return word
    return None
