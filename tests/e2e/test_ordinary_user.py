"""The main job as a user without any right of root, whatever the tests themselves run as."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from attrs import frozen

from tests.wire_client import eventually

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(300)]

NOBODY = 65534
DEADLINE_S = 120
# The interpreter may lie where only root may go: then it is shown at its place, alone.
ENTER = """
set -e
mount --make-rprivate /
if [ -n "$1" ]; then
  mount --bind "$2" "$3"
  mount -t tmpfs -o mode=755 none "$1"
  mkdir -p "$2"
  mount --bind "$3" "$2"
fi
shift 3
exec setpriv --reuid 65534 --regid 65534 --clear-groups --bounding-set=-all --no-new-privs "$@"
"""


@frozen
class User:
    """Somebody with a home, a repository and a state folder of their own."""

    home: Path

    @property
    def repository(self) -> Path:
        return self.home / "repository"

    @property
    def workspaces(self) -> Path:
        return self.home / "state" / "workspaces"

    @property
    def spares(self) -> list[Path]:
        return [each for each in self.workspaces.glob(".spare/*") if each.is_dir()]

    def call(self, *argv: str) -> subprocess.CompletedProcess[str]:
        environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.home),
            "TMPDIR": str(self.home / "tmp"),
            "GIT_CONFIG_NOSYSTEM": "1",
            "SENNIT_STATE_DIR": str(self.home / "state"),
            "SENNIT_CONFIG_DIR": str(self.home / "config"),
        }
        closed = _closed_above(Path(sys.base_prefix))
        prefix = ("" if closed is None else str(closed), sys.base_prefix, str(self.home / "python"))
        return subprocess.run(
            ["unshare", "--mount", "sh", "-c", ENTER, "sh", *prefix, *argv],
            cwd=self.home,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=DEADLINE_S,
        )

    def sennit(self, *argv: str) -> Any:
        done = self.call(sys.executable, "-m", "sennit", "-C", str(self.repository), *argv)
        assert done.returncode == 0, (argv, done.stdout, done.stderr)
        return json.loads(done.stdout) if "--json" in argv else done.stdout

    def until(self, holds: Callable[[], bool]) -> None:
        """Let servers go on with what is to be removed, which nobody waits for."""

        def looked() -> bool:
            self.sennit("tickets", "--json")
            return holds()

        assert eventually(looked, DEADLINE_S)

    def git(self, *argv: str) -> str:
        done = self.call("git", "-C", str(self.repository), *argv)
        assert done.returncode == 0, (argv, done.stderr)
        return done.stdout


def _closed_above(folder: Path) -> Path | None:
    """The outermost folder above one that others may not enter."""
    above = (each for each in (*reversed(folder.parents), folder) if each.is_dir())
    return next((each for each in above if not each.stat().st_mode & 0o001), None)


@pytest.fixture
def user() -> Iterator[User]:
    if os.geteuid() != 0:
        pytest.skip("only root can be somebody else; the other tests run as an ordinary user here")
    home = Path(tempfile.mkdtemp(prefix="ordinary-"))
    try:
        somebody = User(home)
        for name in ("tmp", "config", "python", "repository"):
            (home / name).mkdir()
        (home / "config" / "config.toml").write_text('[workspace]\nkind = "overlay"\n')
        (home / ".gitconfig").write_text("[user]\n\tname = Ada\n\temail = ada@example.org\n")
        for path in (home, *home.rglob("*")):
            os.chown(path, NOBODY, NOBODY)
        done = somebody.call("true")
        if done.returncode != 0:
            pytest.skip(f"nobody else can be had here: {done.stderr.strip()}")
        somebody.git("init", "-q", "-b", "main")
        for name in ("a.txt", "folder/b.txt"):
            file = somebody.repository / name
            somebody.call("mkdir", "-p", str(file.parent))
            somebody.call("sh", "-c", f"echo {name} > {file}")
        somebody.git("add", "-A")
        somebody.git("commit", "-q", "-m", "first")
        somebody.sennit("trust", "grant")
        yield somebody
    finally:
        _free(home)
        shutil.rmtree(home)


def _free(home: Path) -> None:
    for folder, _, _ in os.walk(home):
        Path(folder).chmod(0o700)


AGENT = """
grep -c "^overlay $PWD overlay rw" /proc/self/mounts > mounted
git mv folder moved
echo more >> moved/b.txt
mkdir locked && echo x > locked/file && chmod 0 locked
mkdir ro && echo y > ro/file && chmod 555 ro
"""


def test_layers_are_probed_made_captured_and_removed(user: User) -> None:
    lines = user.sennit("doctor", "--json")["lines"]
    told = [line["message"] for line in lines if line["area"] == "workspaces"]
    refused = next((one for one in told if one.startswith("overlay is not used")), None)
    if refused is not None:
        pytest.skip(f"no layers for an ordinary user: {refused}")
    assert any(one.startswith("overlay works") for one in told)
    done = user.sennit(
        "run", "--command", shlex.join(["sh", "-c", AGENT]), "--accept-all", "--json"
    )
    assert done["ticket"]["state"] == "completed", done
    assert (user.repository / "mounted").read_text() == "1\n"
    assert (user.repository / "moved" / "b.txt").read_text() == "folder/b.txt\nmore\n"
    assert not (user.repository / "folder").exists()
    assert (user.repository / "ro" / "file").read_text() == "y\n"
    assert not (user.repository / "locked").exists()
    assert "locked" in json.dumps(done["proposals"])
    owners = {path.lstat().st_uid for path in (user.home / "state").rglob("*")}
    assert owners == {NOBODY}
    user.sennit("drop", done["ticket"]["id"], "--confirm")
    user.sennit("gc", "--confirm")
    user.until(lambda: not [each for each in user.workspaces.iterdir() if each.name[0] != "."])
    assert not list((user.workspaces / ".layers").iterdir())


def test_a_folder_that_its_agent_has_locked_is_used_again(user: User) -> None:
    user.call("sh", "-c", f"echo '[workspace]\nkind = \"pool\"' > {user.home}/config/config.toml")
    agent = shlex.join(["sh", "-c", "echo x > new; chmod 0 ."])
    done = user.sennit("run", "--command", agent, "--accept-all", "--json")
    assert (user.repository / "new").read_text() == "x\n"
    user.sennit("drop", done["ticket"]["id"], "--confirm")
    user.until(lambda: bool(user.spares))
    (spare,) = user.spares
    inode = spare.lstat().st_ino
    agent = shlex.join(["sh", "-c", "stat -c %i . > inode"])
    user.sennit("run", "--command", agent, "--accept-all")
    assert int((user.repository / "inode").read_text()) == inode


LOCKS = """
echo x > new
chmod 0 $SENNIT_RUN_DIR/questions $SENNIT_RUN_DIR/answers $SENNIT_RUN_DIR
sleep 1
"""


def test_an_agent_that_locks_what_it_asks_by_has_its_work_kept(user: User) -> None:
    agent = shlex.join(["sh", "-c", LOCKS])
    done = user.sennit("run", "--command", agent, "--accept-all", "--json")
    assert done["ticket"]["state"] == "completed", done
    assert (user.repository / "new").read_text() == "x\n"
