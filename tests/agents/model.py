"""What the scripted model says: a pure function from the talk so far to the next answer.

The scenario stands in the prompt as ``[script NAME]`` or ``[script NAME VALUE]``; the step is the
number of tool results since that prompt. So the endpoint keeps nothing between requests, and any
number of agents may talk to it at once.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from attrs import field, frozen

FILE = "agent.txt"
CONTENT = "written by the agent\n"
RAN = "ran.txt"
BY_COMMAND = f"sed -i s/two/TWO/ a.txt && echo yes > {RAN}"
FINAL = "Done: wrote agent.txt and ran the command."
REMEMBERS = "Results of tools that are remembered: "
HANGING = "hanging.txt"
FOREVER = "tail -f /dev/null"
BY_HANGING = (
    f"echo partial > {HANGING}; {FOREVER} & setsid nohup {FOREVER} >/dev/null 2>&1 & {FOREVER}"
)
"""A child in the foreground, one in the background and one with a session of its own."""
BY_COMMITTING = "git checkout -q -b other && git add -A && git commit -q -m by-the-agent"

_SCRIPT = re.compile(r"\[script (?P<name>[\w-]+)(?: (?P<value>[^\]\s]+))?\]")
_FOLDER = re.compile(
    r"(?i)(?:(?<!temporary )director(?:y|ies)(?: is)?[:*`\s]{1,8}(?:- )?|<cwd>)"
    r"(?P<path>/[^\s\"'`<>*)]+)"
)
_WRITERS = ("write_file", "Write", "write", "WriteFile", "create_file")
_SHELLS = (
    "exec_command", "shell_command", "run_shell_command", "Bash", "bash", "Shell", "shell",
    "local_shell",
)  # fmt: skip
_PATHS = ("file_path", "filePath", "path", "absolute_path")
_CONTENTS = ("content", "contents", "file_text")
_COMMANDS = ("command", "cmd")


@frozen
class Turn:
    """One entry of the talk: what a person wrote, or what a tool gave back."""

    text: str
    is_result: bool


@frozen
class Talk:
    """A request of any dialect, in one form; `schema` is what an answer in JSON must fit."""

    turns: Sequence[Turn]
    system: str
    tools: Mapping[str, Mapping[str, Any]]
    model: str
    streaming: bool
    schema: Mapping[str, Any] | None = None
    forced: str | None = None


@frozen
class Say:
    """Words, and then the turn ends; `pause_s` is waited before each of the words."""

    text: str
    pause_s: float = 0


@frozen
class Call:
    """A call of one of the offered tools."""

    tool: str
    arguments: Mapping[str, Any]
    words: str = field(default="")


@frozen
class Fail:
    """An error of HTTP."""

    status: int
    message: str


@frozen
class Mute:
    """No answer at all, until the client gives up."""


Answer = Say | Call | Fail | Mute
Step = Callable[[Talk], Answer]


def answer(talk: Talk) -> Answer:
    """The next answer in the scenario that the talk names."""
    name, value, step = _place(talk.turns)
    match name:
        case "401":
            return Fail(401, "The scripted model knows no such key.")
        case "mute":
            return Mute()
        case _ if talk.forced is not None:
            return Call(talk.forced, instance(talk.tools.get(talk.forced, {})))
        case _ if talk.schema is not None:
            return Say(json.dumps(instance(talk.schema)))
        case "slow":
            return Say("one two three four five six seven eight nine ten " * 3, pause_s=0.5)
        case "recall":
            return Say(f"{REMEMBERS}{sum(turn.is_result for turn in talk.turns)}.")
        case "answer":
            return Say("Which of the two files do you mean?")
        case _:
            return _of_a_step(talk, name, value, step)


def _of_a_step(talk: Talk, name: str, value: str, step: int) -> Answer:
    if not talk.tools:
        return _without_tools(talk, name, value)
    steps = _steps(name, value)
    return steps[step](talk) if step < len(steps) else Say(FINAL)


def _steps(name: str, value: str) -> list[Step]:
    match name:
        case "edit":
            return [lambda t: _write(t, FILE, CONTENT), lambda t: _run(t, BY_COMMAND)]
        case "add":
            return [lambda t: _write(t, value, CONTENT), lambda t: _run(t, f"echo > {value}.ran")]
        case "hang":
            return [lambda t: _run(t, BY_HANGING)]
        case "outside":
            return [lambda t: _write(t, value, CONTENT)]
        case "outside-shell":
            return [lambda t: _run(t, f"echo outside > {value}")]
        case "commit":
            return [lambda t: _write(t, FILE, CONTENT), lambda t: _run(t, BY_COMMITTING)]
        case _:
            return []


def _place(turns: Sequence[Turn]) -> tuple[str, str, int]:
    step = 0
    for turn in reversed(turns):
        if turn.is_result:
            step += 1
        elif found := list(_SCRIPT.finditer(turn.text)):
            return found[-1]["name"], found[-1]["value"] or "", step
    return "", "", step


def _without_tools(talk: Talk, name: str, value: str) -> Answer:
    """Aider reads its edits from the words; other requests without tools are for titles."""
    if "file listing" not in talk.system and "*SEARCH/REPLACE" not in talk.system:
        return Say("A scripted title")
    match name:
        case "edit":
            path = FILE
        case "add" | "outside":
            path = value
        case "hang":
            return Mute()
        case _:
            return Say("Done.")
    return Say(f"Here is the file.\n\n{path}\n```\n{CONTENT}```\n")


def _write(talk: Talk, path: str, content: str) -> Call | Say:
    tool = next((each for each in _WRITERS if each in talk.tools), None)
    if tool is None:
        return _run(talk, f"printf '{content.strip()}\\n' > {path}")
    whole = path if path.startswith("/") else f"{_folder(talk)}{path}"
    return Call(tool, _filled(talk, tool, {_PATHS: whole, _CONTENTS: content}), "I write the file.")


def _run(talk: Talk, command: str) -> Call | Say:
    tool = next((each for each in _SHELLS if each in talk.tools), None)
    if tool is None:
        return Say(f"No tool to run a command among {sorted(talk.tools)}.")
    return Call(tool, _filled(talk, tool, {_COMMANDS: command}), "I run the command.")


def _folder(talk: Talk) -> str:
    texts = [talk.system, *(turn.text for turn in talk.turns if not turn.is_result)]
    found = next((match for text in texts if (match := _FOLDER.search(text))), None)
    return "" if found is None else found["path"].rstrip("/.,;") + "/"


def _filled(talk: Talk, tool: str, wanted: Mapping[tuple[str, ...], str]) -> dict[str, Any]:
    schema = talk.tools[tool]
    properties = schema.get("properties", {})
    made = dict(instance(schema))
    for names, value in wanted.items():
        name = next((each for each in names if each in properties), names[0])
        is_list = properties.get(name, {}).get("type") == "array"
        made[name] = ["sh", "-c", value] if is_list else value
    return made


def instance(schema: Mapping[str, Any]) -> Any:
    """The smallest value that fits a schema of JSON."""
    if "enum" in schema:
        return "user" if "user" in schema["enum"] else schema["enum"][0]
    for word in ("anyOf", "oneOf"):
        if word in schema:
            return instance(schema[word][0])
    kind = str(schema.get("type", "object")).lower()
    if kind == "object":
        known = schema.get("properties", {})
        return {name: instance(known.get(name, {})) for name in schema.get("required", [])}
    simple: dict[str, Any] = {"array": [], "boolean": False, "integer": 1, "number": 1}
    return simple.get(kind, "scripted")
