"""Whether bubblewrap works here, found out by using it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from sennit.core.sandbox import (
    Availability,
    Confinement,
    SandboxMissing,
    SandboxReady,
    sandbox_arguments,
)

PROGRAM = "bwrap"
_PATIENCE_S = 60
"""Long, for a machine may be busy, and where no sandbox is found agents may run without one."""
_USUAL_PATH = "/usr/local/bin:/usr/bin:/bin"
_SYSCTLS = (
    ("kernel/unprivileged_userns_clone", "0", "1"),
    ("user/max_user_namespaces", "0", "10000"),
    ("kernel/apparmor_restrict_unprivileged_userns", "1", "0"),
)
"""Settings of the kernel that forbid user namespaces: where, the value that does, a better one."""


def probe(environ: Mapping[str, str]) -> Availability:
    """Look for bubblewrap on PATH and have it make a sandbox; blocks for some milliseconds.

    That it works is remembered as long as this process lives; that it does not is looked at again,
    since the person may have mended it.
    """
    if sys.platform != "linux":
        return SandboxMissing(
            f"Sandboxes are made by bubblewrap, which needs Linux (this is {sys.platform}).",
            'Set `sandbox = "off"` for the agent, or run Sennit on Linux or in a container.',
        )
    found = _program(environ.get("PATH", _USUAL_PATH))
    if found is None:
        return SandboxMissing(
            "bubblewrap (`bwrap`) is not installed.",
            'Install the package "bubblewrap", or set `sandbox = "off"` for the agent.',
        )
    known = _WORKING.get(found)
    return try_out(found) if known is None else known


_WORKING: dict[str, SandboxReady] = {}


def try_out(program: str, sysctls: Path = Path("/proc/sys")) -> Availability:
    """Have ``program`` make a sandbox around itself; its words tell why it cannot."""
    made = Confinement(program, workspace="/", read_only=True, is_root=os.geteuid() == 0)
    argv = (*sandbox_arguments(made, "/", None), program, "--version")
    try:
        done = subprocess.run(
            argv, capture_output=True, timeout=_PATIENCE_S, check=False, stdin=subprocess.DEVNULL
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return SandboxMissing(f"{program} cannot be run: {error}.", _try_yourself(program))
    if done.returncode == 0:
        ready = SandboxReady(program, done.stdout.decode(errors="replace").strip())
        _WORKING[program] = ready
        return ready
    said = done.stderr.decode(errors="replace").strip() or f"exit code {done.returncode}"
    return SandboxMissing(f"bubblewrap cannot make a sandbox here: {said}.", _advice(said, sysctls))


def _program(path: str) -> str | None:
    # A relative folder would be looked up in whatever folder the server was started in.
    folders = [each for each in path.split(os.pathsep) if each.startswith("/")]
    return shutil.which(PROGRAM, path=os.pathsep.join(folders) or _USUAL_PATH)


def _advice(said: str, sysctls: Path) -> str:
    for place, forbids, allows in _SYSCTLS:
        if _read(sysctls / place) == forbids:
            name = place.replace("/", ".")
            return (
                f"The kernel forbids it by {name} = {forbids}: as root, run "
                f"`sysctl -w {name}={allows}`, or allow bwrap alone by a profile of AppArmor."
            )
    if "proc" in said:
        return (
            "A container that hides parts of /proc forbids it: start the container with "
            '`--security-opt systempaths=unconfined`, or set `sandbox = "off"` for the agent and '
            "let the container be the sandbox."
        )
    if "namespace" in said or "Operation not permitted" in said or "Permission denied" in said:
        return (
            "Namespaces are forbidden here, as in most containers: allow them in the container's "
            'security profile, or set `sandbox = "off"` for the agent and let the container be '
            "the sandbox."
        )
    return 'See its words, or set `sandbox = "off"` for the agent.'


def _try_yourself(program: str) -> str:
    return f"Try `{program} --ro-bind / / true`, and see what it says."


def _read(path: Path) -> str | None:
    try:
        return path.read_text(encoding="ascii", errors="replace").strip()
    except OSError:
        # This kernel does not have the setting, so it is not what forbids.
        return None
