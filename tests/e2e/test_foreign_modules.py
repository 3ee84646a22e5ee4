"""No file of a folder in which Sennit is called is run, as a module of Python or otherwise."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.e2e.cli_process import PROGRAM_DEADLINE_S, a_desk

NAMES = ("sennit", "sennit_protocol", "json", "asyncio", "anyio", "sitecustomize", "usercustomize")


def test_a_module_in_the_folder_is_not_imported_by_command_or_server(tmp_path: Path) -> None:
    desk = a_desk(tmp_path, {"a.txt": "one\n"})
    canary = tmp_path / "canary"
    for name in NAMES:
        module = desk.repository / f"{name}.py"
        module.write_text(f"open({str(canary)!r}, 'a').write({name!r})\n")
    before = sorted(desk.repository.iterdir())
    sennit = Path(sys.executable).with_name("sennit")
    done = subprocess.run(
        [sennit, "tickets", "--json"],
        cwd=desk.repository,
        env=desk.environment,
        capture_output=True,
        text=True,
        timeout=PROGRAM_DEADLINE_S,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert not canary.exists(), canary.read_text()
    assert sorted(desk.repository.iterdir()) == before
