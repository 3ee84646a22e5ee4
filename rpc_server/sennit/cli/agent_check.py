"""`sennit agents check`: one small task from the catalogue to the proposal, step by step."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from attrs import evolve, frozen
from rich.text import Text

from sennit.cli.board import Board
from sennit.cli.client import Client
from sennit.cli.demo.stage import git
from sennit.cli.exits import Exit
from sennit.cli.place import Place
from sennit.cli.proposals_read import proposal_of, summaries_of
from sennit.cli.run_flow import DISPATCH_LIMIT_S
from sennit.cli.safe_text import safe_line
from sennit.cli.task_file import COMMAND_AGENT
from sennit.cli.terminal import Terminal
from sennit.cli.watching import Watch
from sennit_protocol.proposals import ProposalView
from sennit_protocol.requests import DispatchResult
from sennit_protocol.states import FailureKind, TaskState
from sennit_protocol.tasks import DispatchParams, Task
from sennit_protocol.upkeep import AgentsParams, AgentsResult, AgentView
from sennit_protocol.views import TaskView

FILE, WORD = "ready.txt", "ready"
PROMPT = f"Write the word {WORD} into the file {FILE} in the current folder. Do nothing else."
COMMAND_LINE = f"sh -c 'echo {WORD} > {FILE}'"
"""What the agent is given whose prompt is a command line."""
DEADLINE_MS = 300_000
_MOST_SAID = 500
_AUTHOR = ("-c", "user.name=Sennit", "-c", "user.email=sennit@localhost")


@frozen
class Step:
    """One thing that was looked at; ``advice`` is for one that is not as it should be."""

    name: str
    ok: bool
    message: str
    advice: str = ""


def check_agent(place: Place, name: str, *, as_json: bool) -> Exit:
    """Check an agent with the user's own settings and a state of Sennit that is gone afterwards."""
    folder = Path(os.path.realpath(tempfile.mkdtemp(prefix="sennit-check-")))
    try:
        environment = _environment(folder)
        repository = place.guarded(lambda: _repository(folder, environment), as_json=as_json)
        options = evolve(place.client, folder=repository, trusted=True, environment=environment)
        check = Check(place.terminal, name, told=not as_json)
        evolve(place, client=options).converse(check.run, as_json=as_json)
    finally:
        # What cannot be removed lies in the system's folder for temporary files, and harms nobody.
        shutil.rmtree(folder, ignore_errors=True)
    code = check.exit
    if as_json:
        place.terminal.show_json({"agent": name, "steps": check.steps, "exitCode": int(code)})
    return code


class Check:
    """One check. It ends with the first step that is not as it should be."""

    def __init__(self, terminal: Terminal, name: str, *, told: bool) -> None:
        """Check the agent ``name``, and say each step as it is done where it is to be ``told``."""
        self._terminal = terminal
        self._name = name
        self._told = told
        self.steps: tuple[Step, ...] = ()
        self._known = True

    @property
    def exit(self) -> Exit:
        """Judge what was looked at; a name that nobody has is wrong use."""
        if not self._known:
            return Exit.USAGE
        return Exit.FINE if all(step.ok for step in self.steps) else Exit.PARTLY

    async def run(self, client: Client) -> None:
        """Go from step to step; raises the errors of commands."""
        catalogue = await client.ask("sennit/agents", AgentsParams(versions=True), AgentsResult)
        agent = next((each for each in catalogue.agents if each.name == self._name), None)
        self._known = agent is not None
        if not self._take(_found(self._name, agent, catalogue.agents)) or agent is None:
            return
        prompt = COMMAND_LINE if agent.name == COMMAND_AGENT else PROMPT
        task = Task(id="check", prompt=prompt, agent=agent.name, deadline_ms=DEADLINE_MS)
        call = DispatchParams((task,), label="sennit agents check")
        sent = await client.ask("sennit/dispatch", call, DispatchResult, limit_s=DISPATCH_LIMIT_S)
        watch = Watch(self._terminal, Board(self._terminal.err, transient=True))
        watched = await watch.until_settled(client, sent.ticket)
        if self._take(_ended(agent, watched.view.tasks[0])):
            summaries = await summaries_of(client, sent.ticket)
            self._take(_proposed([await proposal_of(client, each.id) for each in summaries]))

    def _take(self, step: Step) -> bool:
        self.steps = (*self.steps, step)
        if self._told:
            mark = Text("ok   ", style="green") if step.ok else Text("bad  ", style="red")
            self._terminal.show(Text.assemble(mark, safe_line(f"{step.name}: {step.message}")))
            if step.advice:
                self._terminal.show(Text(f"     {safe_line(step.advice)}", style="yellow"))
        return step.ok


def _found(name: str, agent: AgentView | None, agents: Sequence[AgentView]) -> Step:
    if agent is None:
        there = ", ".join(each.name for each in agents if each.found)
        advice = (
            f"These are there: {there}. Agents of a repository's own .sennit.toml are not looked "
            "at here: put it into your own config.toml to check it."
        )
        return Step("found", ok=False, message=f"No agent is called {name}.", advice=advice)
    if not agent.usable:
        return Step("found", ok=False, message=agent.problem or f"{name} cannot be used here.")
    where = agent.program or "it is looked for when it runs"
    version = "" if agent.version is None else f", version {agent.version}"
    return Step("found", ok=True, message=f"{where}{version}")


def _ended(agent: AgentView, task: TaskView) -> Step:
    if task.state is TaskState.COMPLETED:
        return Step("worked", ok=True, message="It started, did its turn and ended.")
    if task.failure is None:
        message = f"Its task is {task.state.value}."
        return Step("worked", ok=False, message=message, advice=_by_hand(agent))
    message = task.failure.message
    if said := (task.result_text or "").strip():
        message = f"{message} The end of what it said: {said[-_MOST_SAID:]}"
    if task.failure.kind is FailureKind.NOT_SIGNED_IN and agent.sign_in:
        how = (
            "" if agent.sign_in in message else f"Sign in with `{agent.sign_in}`, or set its key. "
        )
        advice = f"{how}Then check again: sennit agents check {agent.name}"
        return Step("worked", ok=False, message=message, advice=advice)
    if task.failure.kind is FailureKind.SELECTION:
        advice = f"Choose one of these under [agents.{agent.name}] in config.toml, then check again"
        return Step("worked", ok=False, message=message, advice=f"{advice}.")
    return Step("worked", ok=False, message=message, advice=_by_hand(agent))


def _by_hand(agent: AgentView) -> str:
    program = agent.program or agent.name
    sign_in = f" If it asks you to sign in: `{agent.sign_in}`." if agent.sign_in else ""
    return f"Start {program} by hand in some folder and see whether it works there.{sign_in}"


def _proposed(proposals: Sequence[ProposalView]) -> Step:
    files = {file.path: file for view in proposals for file in view.files}
    file = files.get(FILE)
    if file is None:
        others = f" It changed {', '.join(files)}." if files else ""
        message = f"It ended well, but there is no {FILE}.{others}"
        advice = (
            "It may not be allowed to write without a question: look at its mode and its options."
        )
        return Step("proposed", ok=False, message=message, advice=advice)
    written = "".join(unit.after_text or "" for unit in file.units)
    if WORD not in written.casefold():
        message = f"{FILE} holds {written[:_MOST_SAID]!r} and not the word {WORD}."
        return Step("proposed", ok=False, message=message, advice="Its model may be too weak.")
    return Step("proposed", ok=True, message=f"Its proposal holds {FILE} with the word {WORD}.")


def _environment(folder: Path) -> Mapping[str, str]:
    """Give the user's environment with a state of its own, without variables that lead git away."""
    kept = {name: text for name, text in os.environ.items() if not name.startswith("GIT_")}
    state = str(folder / "state")
    return {**kept, "SENNIT_STATE_DIR": state, "SENNIT_STORE_PATH": state}


def _repository(folder: Path, environment: Mapping[str, str]) -> Path:
    repository = folder / "repository"
    git(["init", "--quiet", str(repository)], folder, environment)
    (repository / "README.md").write_text("A scratch repository.\n", encoding="utf-8")
    git(["add", "--all"], repository, environment)
    # What git tidies up in the background would go on in a folder that is gone soon.
    alone = ("-c", "commit.gpgsign=false", "-c", "maintenance.auto=false")
    commit = [*_AUTHOR, *alone, "commit", "--quiet", "--message", "begin"]
    git(commit, repository, environment)
    return repository
