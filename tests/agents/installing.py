"""Installs the agents below the cache, each in a folder of its own, from the package registries."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from tests.agents.real import NODE_BIN, RealAgent

_LIMIT_S = 900


def install(agent: RealAgent) -> str:
    """Install what is not there yet in these versions; gives why it failed, "" when it did not."""
    stamp = agent.folder / ".installed"
    wanted = "\n".join(agent.packages)
    if stamp.exists() and stamp.read_text() == wanted:
        return ""
    shutil.rmtree(agent.folder, ignore_errors=True)
    agent.folder.mkdir(parents=True)
    for argv in _python(agent) if agent.is_python else _node(agent):
        try:
            done = subprocess.run(
                argv, cwd=agent.folder, capture_output=True, timeout=_LIMIT_S, check=False
            )
        except subprocess.TimeoutExpired:
            return f"{Path(argv[0]).name} took more than {_LIMIT_S} s"
        if done.returncode != 0:
            lines = done.stderr.decode(errors="replace").strip().splitlines()
            return f"{Path(argv[0]).name} failed: {lines[-1] if lines else 'it said nothing'}"
    stamp.write_text(wanted)
    return ""


def _node(agent: RealAgent) -> list[list[str]]:
    (agent.folder / "package.json").write_text('{"private": true}\n')
    plain = ["--no-audit", "--no-fund", "--silent", "--save-exact"]
    return [[str(NODE_BIN / "npm"), "install", *plain, *agent.packages]]


def _python(agent: RealAgent) -> list[list[str]]:
    tool = str(Path(sys.executable).with_name("uv"))
    python = str(agent.folder / "bin" / "python")
    return [
        [tool, "venv", "--quiet", "--allow-existing", "--python", sys.executable, "."],
        [tool, "pip", "install", "--quiet", "--python", python, *agent.packages],
    ]
