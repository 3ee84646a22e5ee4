"""Which variables an agent sees: a short list, what its settings name, and who runs it."""

from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase

USUAL = ("HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER", "LANG", "LC_*", "TZ", "TMPDIR")
"""Handed on to every agent."""

DOORS = ("DBUS_*", "XDG_RUNTIME_DIR", "DOCKER_HOST", "TMUX", "TMUX_PANE", "SSH_AUTH_SOCK")
"""Lead to daemons that start or sign things out of our sight: only when named in full."""

_DEFAULT_PATH = "/usr/local/bin:/usr/bin:/bin"


def agent_environment(
    ambient: Mapping[str, str], allow: Iterable[str], assigned: Mapping[str, str]
) -> dict[str, str]:
    """Return the variables of `ambient` that an agent gets, and those assigned to it.

    An entry of `allow` is a name, or `PREFIX*`; a pattern never opens one of the `DOORS`.
    """
    allowed = (*USUAL, *allow)
    handed_on = {name: value for name, value in ambient.items() if _is_allowed(name, allowed)}
    return {"PATH": _DEFAULT_PATH, **handed_on, **assigned}


def _is_allowed(name: str, allowed: tuple[str, ...]) -> bool:
    if name in allowed:
        return True
    if any(fnmatchcase(name, door) for door in DOORS):
        return False
    return any(each.endswith("*") and name.startswith(each[:-1]) for each in allowed if each != "*")
