"""Options that several commands have."""

from __future__ import annotations

import click

from sennit.cli.error_json import JSON_OPTION

json_option = click.option(
    JSON_OPTION, "as_json", is_flag=True, help="Write one JSON value and nothing else."
)
