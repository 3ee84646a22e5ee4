"""Whether layers are found to work where they do, and what a person is told where not."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from sennit.adapters.overlay import probing
from sennit.core.workspace_kinds import KindRefused, KindWorks


@pytest.mark.parametrize(
    ("said", "advice"),
    [
        ("The workspace could not be mounted: Operation not permitted (unshare)", "Namespaces are"),
        ("The workspace could not be mounted: Invalid argument (mount overlay)", "Linux 5.11"),
        ("the kernel does not tell of renames (Invalid argument)", "Linux 5.19"),
        ("layers do not work as they should: files get new times", "`auto` takes"),
    ],
)
def test_what_failed_says_what_to_do(tmp_path: Path, said: str, advice: str) -> None:
    assert advice in probing._advice(probing._Wrong(said), tmp_path)


def test_a_setting_of_the_kernel_that_forbids_it_is_named(tmp_path: Path) -> None:
    (tmp_path / "user").mkdir()
    (tmp_path / "user" / "max_user_namespaces").write_text("0\n")
    wrong = probing._Wrong("The workspace could not be mounted: No space left (unshare)")
    assert "sysctl -w user.max_user_namespaces=10000" in probing._advice(wrong, tmp_path)


_PROBING = (
    "import sys; from pathlib import Path; from sennit.adapters.overlay.probing import probe; "
    "found = probe(*map(Path, sys.argv[1:])); print(found.why, found.advice, sep='\\n')"
)


def test_where_user_namespaces_are_forbidden_the_reason_is_said(tmp_path: Path) -> None:
    """Forbidden as a container forbids them: what is inside may make no more of them."""
    forbidding = ("bwrap", "--unshare-user", "--disable-userns", "--dev-bind", "/", "/", "--")
    if (
        shutil.which("bwrap") is None
        or subprocess.run((*forbidding, "true"), check=False).returncode
    ):
        pytest.skip("runs where bubblewrap 0.8 works, which forbids user namespaces inside")
    asked = (sys.executable, "-c", _PROBING, str(tmp_path / "store"), str(tmp_path / "workspaces"))
    said = subprocess.run((*forbidding, *asked), capture_output=True, text=True, check=True).stdout
    why, advice = said.splitlines()
    assert why.startswith("no user namespace can be made here: ")
    assert "`auto` takes the quickest kind" in advice
    assert {each.name for each in tmp_path.rglob("*")} == {"store", "workspaces"}


def test_a_folder_that_cannot_be_written_is_a_reason(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    found = probing.probe(tmp_path / "file" / "store", tmp_path)
    assert isinstance(found, KindRefused)
    assert "Not a directory" in found.why


def test_a_probe_leaves_nothing_behind(tmp_path: Path) -> None:
    probing.probe(tmp_path / "store", tmp_path / "workspaces")
    assert {each.name for each in tmp_path.rglob("*")} == {"store", "workspaces"}


def test_layers_work_wherever_the_kernel_has_what_they_need(tmp_path: Path) -> None:
    """Without this one, a fault of ours would make all tests of layers pass over themselves."""
    for name in ("lower", "upper", "work", "merged"):
        (tmp_path / name).mkdir()
    mounts = "mount -t overlay o -o userxattr,lowerdir=lower,upperdir=upper,workdir=work merged"
    mounted = subprocess.run(
        ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", mounts],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    if mounted.returncode != 0:
        pytest.skip(f"no user may mount layers here: {mounted.stderr.strip()}")
    told = Path("/proc/sys/kernel/seccomp/actions_avail").read_text(encoding="ascii")
    if "user_notif" not in told.split():
        pytest.skip(f"this kernel tells nobody of renames, only: {told.strip()}")
    found = probing.probe(tmp_path / "store", tmp_path / "workspaces")
    assert isinstance(found, KindWorks), found
