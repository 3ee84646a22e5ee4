"""Writes docs/agents.md from the results."""

from __future__ import annotations

from collections.abc import Sequence

from tests.agents import cost
from tests.agents.checks import CHECKS
from tests.agents.real import AGENTS, ROOT, RealAgent
from tests.agents.results import Result
from tests.agents.traps import TRAPS

DOCUMENT = ROOT / "docs" / "agents.md"
_BEFORE = """\
# Coding agents, measured

<!-- Written by `make test-agents ARGS=--write`; edit tests/agents/table.py, not this file. -->

`make test-agents` installs real agents from the package registries into `.cache/agents`, starts a
scripted model on loopback and lets each agent work through the real `sennit serve`. The model says
the same words each time, so what differs is the agent. Every key is a dummy, every agent has a home
folder of its own, and where the machine allows a network namespace nothing but loopback is reached.
"""
_MEANING = """\
The checks:

- **edit**: the agent writes a file with its own tool and runs a command; the proposal holds just
  that, and applying it writes it into the user's files.
- **follow**: the same task again as a follow-up; the agent goes on with its session, where it can,
  and the next revision holds the earlier work.
- **cancel**: a cancel while a command runs that has a child in the background and one with a
  session of its own; the task is cancelled, its partial work is kept.
- **SIGTERM**: the same, but the server is ended; the next server knows the task as interrupted, and
  its partial work is kept.
- **outside**: the model asks for a file in another folder.
- **tree**: the model asks for a file in the user's own work tree, outside the workspace.
- **401**: the model refuses the key; claude, which goes on trying, is ended after 20 s of
  silence.
- **three**: three tasks of the agent at once, in one home folder.

After each check no process of the agent is left over, and the user's repository is as it was
(but for **tree**).
"""
_IN_LAYERS = """\
With `workspace.kind` at `overlay`: the agent works where its workspace is mounted over a kept
checkout (see [the decision](decisions/overlay.md)), as agents in a sandbox do by themselves in
large repositories. By `make test-agents ARGS="--kind overlay"`.
"""
_LONGEST = 300
_COST = """\
The same task, headless, run directly and through the server in a sandbox, from `sennit/dispatch` to
the settled ticket; the least of three rounds. Memory is the proportional set size of the agent's
processes, with Sennit's shim in the run through the server; the server itself is counted once,
however many agents run. By `python -m tests.agents.cost`.

| agent | direct | through Sennit | ratio | direct | through Sennit | ratio | server |
|---|---|---|---|---|---|---|---|"""
_WAYS = {"acp": "over ACP", "headless": "headless"}


def write(results: Sequence[Result]) -> None:
    """Write the document."""
    DOCUMENT.write_text(document(results))


def document(results: Sequence[Result]) -> str:
    """The whole text."""
    days = sorted({each.date for each in results})
    span = " to ".join(dict.fromkeys((days[0], days[-1]))) if days else "never"
    not_cut = sorted({each.agent for each in results if not each.is_cut_off})
    cut = "All were cut off from every other network."
    if not_cut:
        cut = f"The machine could not cut these off from other networks: {', '.join(not_cut)}."
    parts = [
        _BEFORE,
        _measured(span, cut),
        _MEANING,
        "## Outcomes in a sandbox\n",
        "With the setting `sandbox` at `preferred`, as it is by itself, where bubblewrap works.\n",
        _outcomes(results, "preferred"),
        "## Outcomes without a sandbox\n",
        "With `sandbox` at `off`: what the agents do by themselves, and what Sennit makes of it.\n",
        _outcomes(results, "off"),
        "Seconds are of the whole check, with the start of the server.\n",
        "## Outcomes in layers\n",
        _IN_LAYERS,
        _outcomes_in_layers(results),
        "## Differences\n",
        _differences(results),
        "## Traps\n",
        TRAPS,
        "## Cost\n",
        _cost(),
        "## Versions and starts\n",
        _versions(),
    ]
    return "\n".join(parts)


def _measured(span: str, cut: str) -> str:
    return (
        f"Last measured {span} by `make test-agents`, in one run or several: what was found is\n"
        f"kept below the cache until it is found again. {cut}\n"
    )


def _outcomes(results: Sequence[Result], sandbox: str) -> str:
    found = {
        (each.agent, each.way, each.check): each
        for each in results
        if each.sandbox == sandbox and each.kind == "auto"
    }
    lines = [f"| agent | {' | '.join(CHECKS)} |", f"|---|{'---|' * len(CHECKS)}"]
    for agent in AGENTS:
        for way, words in _WAYS.items():
            if way not in agent.built_in:
                continue
            cells = [_cell(found.get((agent.name, way, check))) for check in CHECKS]
            lines.append(f"| {agent.name} {words} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _outcomes_in_layers(results: Sequence[Result]) -> str:
    found = {
        (each.agent, each.way, each.sandbox, each.check): each
        for each in results
        if each.kind == "overlay"
    }
    checks = [check for check in CHECKS if any(key[3] == check for key in found)]
    lines = [f"| agent | sandbox | {' | '.join(checks)} |", f"|---|---|{'---|' * len(checks)}"]
    for agent, way, sandbox in dict.fromkeys(key[:3] for key in found):
        cells = [_cell(found.get((agent, way, sandbox, check))) for check in checks]
        lines.append(f"| {agent} {_WAYS[way]} | {sandbox} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _cell(result: Result | None) -> str:
    if result is None:
        return "not run"
    mark = "**otherwise**: " if result.wrong else ""
    return f"{mark}{result.said} ({result.seconds:.0f} s)"


def _differences(results: Sequence[Result]) -> str:
    lines = [
        f"- {each.agent} {_WAYS[each.way]}, sandbox {each.sandbox}, {each.check}"
        f"{'' if each.kind == 'auto' else ', in layers'}: "
        f"{each.why or 'NOT EXPLAINED: ' + _plain('; '.join(each.wrong))}"
        for each in results
        if each.wrong
    ]
    return "\n".join(lines or ["None."]) + "\n"


def _cost() -> str:
    rows = cost.load()
    if not rows:
        return "Not measured.\n"
    return "\n".join((_COST, *rows)) + "\n"


def _plain(text: str) -> str:
    """One line without folders of this machine, and not too long."""
    line = " ".join(text.split()).replace(f"{ROOT}/", "")
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST]} …"


def _versions() -> str:
    lines = ["| agent | packages | headless | ACP |", "|---|---|---|---|"]
    lines += [
        f"| {agent.name} | {'<br>'.join(f'`{each}`' for each in agent.packages)} "
        f"| `{' '.join(agent.headless)}` | {_acp(agent)} |"
        for agent in AGENTS
    ]
    return "\n".join(lines) + "\n"


def _acp(agent: RealAgent) -> str:
    return "none" if agent.acp is None else f"`{' '.join(agent.acp)}`"
