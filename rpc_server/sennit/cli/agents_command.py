"""`sennit agents`."""

from __future__ import annotations

import click
from rich.console import RenderableType
from rich.text import Text

from sennit.cli.options import json_option
from sennit.cli.place import Place
from sennit.cli.tables import cells, filled, table
from sennit_protocol.requests import Nothing
from sennit_protocol.upkeep import AgentsResult, AgentView


@click.command("agents")
@json_option
@click.pass_obj
def command(place: Place, *, as_json: bool) -> None:
    """List agents: found, usable, and why not."""
    place.request("sennit/agents", Nothing(), AgentsResult, as_json=as_json, render=agents_table)


def agents_table(result: AgentsResult) -> RenderableType:
    """Show the catalogue."""
    rows = [cells(each.name, each.kind, _usable(each), _about(each)) for each in result.agents]
    return filled(table("agent", "kind", "usable", "about"), rows)


def _usable(agent: AgentView) -> Text:
    return Text("yes", style="green") if agent.usable else Text("no", style="red")


def _about(agent: AgentView) -> str:
    parts = (agent.problem, agent.description, agent.program, agent.source)
    return "; ".join(part.rstrip(".") for part in parts if part)
