"""`sennit trust`."""

from __future__ import annotations

from pathlib import Path

import click
from rich.console import RenderableType

from sennit.cli.options import json_option
from sennit.cli.place import Place
from sennit.cli.prose import Prose
from sennit.cli.safe_text import safe_line
from sennit.cli.tables import ago, cells, filled, state, table
from sennit_protocol.upkeep import TrustAction, TrustedFolder, TrustParams, TrustResult


@click.command("trust")
@click.argument("action", type=click.Choice([each.value for each in TrustAction]), default="list")
@click.argument("path", required=False, type=click.Path(path_type=Path))
@json_option
@click.pass_obj
def command(place: Place, *, action: str, path: Path | None, as_json: bool) -> None:
    """List the trusted folders; grant or revoke trust in PATH (the current folder unless given).

    Programs that a trusted folder names may run: its settings, checks, hooks and agents.
    """
    if path is not None and TrustAction(action) is TrustAction.LIST:
        raise click.UsageError("`list` lists all folders; leave out PATH.")
    params = trust_params(place, TrustAction(action), path)
    place.request("sennit/trust", params, TrustResult, as_json=as_json, render=trust_table)
    if TrustAction(action) is TrustAction.GRANT:
        folder = granted_folder(place, path)
        if not any((each / ".git").exists() for each in (folder, *folder.parents)):
            place.terminal.note(Prose(f"note: {safe_line(str(folder))} {_NO_REPOSITORY}"))


_NO_REPOSITORY = (
    "is in no git repository. Tasks run in repositories, and of those each is trusted by itself; to"
    " take this back: sennit trust revoke PATH"
)


def trust_params(place: Place, action: TrustAction, path: Path | None) -> TrustParams:
    """Name the folder where the action needs one."""
    if action is TrustAction.LIST:
        return TrustParams()
    return TrustParams(action, granted_folder(place, path).as_uri())


def granted_folder(place: Place, path: Path | None) -> Path:
    """The folder that an action is about."""
    return place.folder if path is None else (place.folder / path).resolve()


def trust_table(result: TrustResult) -> RenderableType:
    """Show the trusted folders."""
    if not result.folders:
        return "No folder is trusted. To trust one: sennit trust grant PATH"
    rows = [
        cells(each.folder, state(each.state), _granted(each), ", ".join(each.changed))
        for each in result.folders
    ]
    return filled(table("folder", "state", "granted", "changed since"), rows)


def _granted(folder: TrustedFolder) -> str:
    return "" if folder.granted_at is None else ago(folder.granted_at)
