"""`sennit nvim-path`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

import sennit
from sennit.cli.error_json import write_json
from sennit.cli.options import json_option

MARK = Path("plugin", "sennit.lua")
_PACKAGE = Path(sennit.__file__).parent
PLACES = (_PACKAGE / "editors" / "neovim", _PACKAGE.parents[1] / "editors" / "neovim")
"""Where the plugin lies: within an installed package, or in the checkout that is installed."""


@click.command("nvim-path")
@json_option
def command(*, as_json: bool) -> None:
    """Print the folder of the Neovim plugin, to be put on `runtimepath`.

    In `init.lua`: `vim.opt.runtimepath:prepend(vim.trim(vim.fn.system({ "sennit", "nvim-path" })))`
    """
    folder = str(plugin_folder(PLACES))
    if as_json:
        write_json({"folder": folder})
    else:
        click.echo(folder)


def plugin_folder(places: Sequence[Path]) -> Path:
    """Give the first place that holds the plugin; raises ``ClickException`` if there is none."""
    for place in places:
        if (place / MARK).is_file():
            return place
    looked = ", ".join(map(str, places))
    raise click.ClickException(
        f"This installation has no Neovim plugin; looked at {looked}. Install sennit from a wheel,"
        " or clone the repository and name its folder editors/neovim."
    )
