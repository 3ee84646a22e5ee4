"""Names of environment variables, and those that no agent is ever given."""

from __future__ import annotations

import re

_FORM = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")

# What these would do, by the start of the name; harmless exceptions below.
_NEVER_PREFIXES = {
    "GIT_": "it could turn the git of the workspace to your own repository",
    "SENNIT_": "the server sets its own variables for the agent",
    "DYLD_": "it loads code into every program that the agent starts",
    "BASH_FUNC_": "it replaces commands in every shell that the agent starts",
}
_NEVER = {
    "LD_PRELOAD": "it loads code into every program that the agent starts",
    "LD_AUDIT": "it loads code into every program that the agent starts",
    "BASH_ENV": "it runs a script in every shell that the agent starts",
    "ENV": "it runs a script in every shell that the agent starts",
}
_HARMLESS = re.compile(r"GIT_(?:AUTHOR|COMMITTER)_(?:NAME|EMAIL|DATE)")


def variable_problem(name: str) -> str | None:
    """Say why a variable of that name cannot be handed on; None when it can."""
    if not _FORM.fullmatch(name):
        return f"is no name of a variable: {name!r}; letters, digits and `_`, no digit first"
    if _HARMLESS.fullmatch(name):
        return None
    reason = _NEVER.get(name) or next(
        (why for prefix, why in _NEVER_PREFIXES.items() if name.startswith(prefix)), None
    )
    return f"{name} is never handed on: {reason}" if reason else None
