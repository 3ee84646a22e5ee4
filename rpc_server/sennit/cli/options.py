"""Options that several commands have."""

from __future__ import annotations

import click

json_option = click.option(
    "--json", "as_json", is_flag=True, help="Write one JSON value and nothing else."
)
