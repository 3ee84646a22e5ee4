"""`sennit agents` and `sennit agents check`."""

from __future__ import annotations

from collections.abc import Iterator

import click
from rich.console import Group, RenderableType
from rich.text import Text

from sennit.cli.options import json_option
from sennit.cli.place import Place
from sennit.cli.safe_text import safe_line
from sennit.cli.tables import cells, filled, table
from sennit_protocol.upkeep import (
    AgentAbilities,
    AgentsParams,
    AgentsResult,
    AgentView,
    DefinitionView,
)

ABILITIES = (
    ("asks", "asks"),
    ("steers", "steers"),
    ("resumes", "resumes"),
    ("tells_tools", "tools"),
    ("tells_usage", "usage"),
    ("tells_cost", "cost"),
)
"""What an agent can do, and the word for it in the table."""


@click.group("agents", invoke_without_command=True)
@click.option("--versions", is_flag=True, help="Ask each program for its version; takes seconds.")
@click.option("--all", "everything", is_flag=True, help="List those that are not installed, too.")
@json_option
@click.pass_context
def command(ctx: click.Context, *, versions: bool, everything: bool, as_json: bool) -> None:
    """List agents: found, usable, why not, and what they can do; and roles for tasks."""
    if ctx.invoked_subcommand is not None:
        return
    place: Place = ctx.obj
    place.request(
        "sennit/agents",
        AgentsParams(versions=versions),
        AgentsResult,
        as_json=as_json,
        render=agents_in_full if everything else agents_table,
    )


@command.command("check")
@click.argument("name")
@json_option
@click.pass_context
def check(ctx: click.Context, *, name: str, as_json: bool) -> None:
    """Let the agent NAME do a task, and look.

    That is a task of one line in a scratch repository. It may use the network and cost what a very
    short task costs. Nothing of yours is touched.
    """
    # Imported here, so that the list does not wait for what only the check needs.
    from sennit.cli.agent_check import check_agent  # noqa: PLC0415  see above

    ctx.exit(check_agent(ctx.obj, name, as_json=as_json))


def agents_table(result: AgentsResult) -> RenderableType:
    """Show the agents that are there, and name those that could be."""
    there = [each for each in result.agents if each.found or not each.built_in]
    absent = [each.name for each in result.agents if each not in there]
    return Group(_agents(there), *_absent(absent), *_definitions(result))


def agents_in_full(result: AgentsResult) -> RenderableType:
    """Show all agents, installed or not."""
    return Group(_agents(result.agents), *_definitions(result))


def _agents(agents: tuple[AgentView, ...] | list[AgentView]) -> RenderableType:
    rows = [
        cells(each.name, _kind(each), _usable(each), abilities_of(each.can), _about(each))
        for each in agents
    ]
    return filled(table("agent", "kind", "usable", "can", "about"), rows)


def _absent(names: list[str]) -> Iterator[RenderableType]:
    if names:
        told = f"Known, but not installed: {', '.join(names)}. More: sennit agents --all"
        yield Text(f"\n{safe_line(told)}", style="dim")


def _definitions(result: AgentsResult) -> Iterator[RenderableType]:
    if result.definitions:
        rows = [cells(each.name, _way(each), each.description) for each in result.definitions]
        yield Text()
        yield filled(table("role", "way", "about"), rows)
    for notice in result.notices:
        yield Text(safe_line(notice.message), style="yellow")


def abilities_of(can: AgentAbilities) -> str:
    """Name what an agent can do, in a few words."""
    return " ".join(word for name, word in ABILITIES if getattr(can, name))


def _kind(agent: AgentView) -> str:
    plain = agent.output in {None, "text"}
    return agent.kind if plain else f"{agent.kind}, {agent.output}"


def _usable(agent: AgentView) -> Text:
    return Text("yes", style="green") if agent.usable else Text("no", style="red")


def _about(agent: AgentView) -> str:
    version = None if agent.version is None else f"version {agent.version}"
    parts = (agent.problem, agent.description, version, agent.program, agent.source)
    return "; ".join(part.rstrip(".") for part in parts if part)


def _way(definition: DefinitionView) -> str:
    parts = ("only reads" if definition.read_only else "", definition.model or "")
    return ", ".join(filter(None, (*parts, *definition.tools)))
