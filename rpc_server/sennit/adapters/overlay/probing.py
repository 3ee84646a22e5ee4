"""Whether workspaces can be layers here, found out by mounting one and working in it."""

from __future__ import annotations

import os
import secrets
import shutil
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from attrs import frozen

from sennit.adapters.git.disk_abilities import TELLS_NOTHING
from sennit.adapters.git.full_disk import is_of_the_disk
from sennit.adapters.git.upper import look_at_upper
from sennit.adapters.overlay import checking, entering
from sennit.adapters.overlay.layers import Layers
from sennit.adapters.supervision import inside
from sennit.core.workspace_kinds import KindFound, KindRefused, KindWorks

if TYPE_CHECKING:
    from collections.abc import Iterator

_PATIENCE_S = 20
_PYTHON = (sys.executable, "-I", "-S", "-P")
_BEFORE = b"from before\n"
_FILES = ("folder/file", "folder/inner/file", "gone", "replaced/file", "changed")
_SYSCTLS = (
    ("kernel/unprivileged_userns_clone", "0", "1"),
    ("user/max_user_namespaces", "0", "10000"),
    ("kernel/apparmor_restrict_unprivileged_userns", "1", "0"),
)
"""Settings of the kernel that forbid user namespaces: where, the value that does, a better one."""
_OTHERWISE = "Nothing is lost: `auto` takes the quickest kind that works here."


def probe(store: Path, workspaces: Path, sysctls: Path = Path("/proc/sys")) -> KindFound:
    """Mount a layer over a folder in ``store``, work in it, and look at what it left; blocks."""
    if sys.platform != "linux":
        return KindRefused(f"layers need Linux (this is {sys.platform})", _OTHERWISE)
    name = f"probe.{secrets.token_hex(6)}"
    try:
        with ExitStack() as made:
            layers = _made(made, store / name, workspaces / name)
            wrong = _tried(layers) or _left_wrong(layers)
    except (OSError, subprocess.TimeoutExpired) as error:
        # A machine that was too busy, or a disk without room, tells nothing of layers.
        passes = not isinstance(error, OSError) or error.errno in TELLS_NOTHING
        return KindRefused(f"a layer could not be tried: {error}", _OTHERWISE, passes)
    if wrong is None:
        return KindWorks("a workspace holds just what differs from a kept checkout")
    return KindRefused(wrong.why, _advice(wrong, sysctls), passes=is_of_the_disk(wrong.why))


@frozen
class _Wrong:
    """What went wrong, for a person."""

    why: str


def _made(made: ExitStack, below: Path, beside: Path) -> Layers:
    for folder in (below, beside):
        folder.mkdir(mode=0o700, parents=True)
        made.callback(_removed, folder)
    layers = Layers(below / "lower", beside / "upper", beside / "work", below / "lock")
    for folder in (layers.lower, layers.upper, layers.work):
        folder.mkdir(mode=0o700)
    layers.lock.touch()
    for file in _FILES:
        path = layers.lower / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(_BEFORE)
        os.utime(path, (10**9, 10**9))
    return layers


def _removed(folder: Path) -> None:
    # The kernel leaves a folder in `work` that nobody may enter.
    for each in folder.glob("work/*"):
        each.chmod(0o700)
    shutil.rmtree(folder)


def _tried(layers: Layers) -> _Wrong | None:
    """Run the checks where an agent would run, with all that runs before and beside it."""
    asked, asks = os.pipe()
    words, worded = os.pipe()
    first = (*_PYTHON, str(Path(inside.__file__)), inside.LAYERED, str(asked), str(worded))
    argv = (*layers.launcher(sandboxed=False), *first, *_PYTHON, str(Path(checking.__file__)))
    try:
        done = subprocess.run(
            argv,
            cwd=layers.upper,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            pass_fds=(asked, worded),
            timeout=_PATIENCE_S,
            check=False,
        )
    finally:
        for each in (asked, asks, worded):
            os.close(each)
        said = os.read(words, 256).decode("ascii").split()
        os.close(words)
    if said[:1] == ["F"]:
        number = int(said[2])
        return _Wrong(f"the kernel does not tell of renames ({os.strerror(number)})")
    if said != ["B", "S", "E", "0"]:
        told = done.stderr.decode(errors="replace").strip() or f"it ended with {said}"
        return _Wrong(_reason(told))
    found = done.stdout.decode(errors="replace").strip()
    return _Wrong(f"layers do not work as they should: {found}") if found else None


def _reason(told: str) -> str:
    """Say why in a part of a sentence what the launcher says in one of its own."""
    why = told.rstrip(".").removeprefix(entering.NOT_MOUNTED)
    return f"no user namespace can be made here: {why}" if why.endswith("(unshare)") else why


def _left_wrong(layers: Layers) -> _Wrong | None:
    """Look from outside at what was left: that is what a capture sees."""
    if any((layers.lower / file).read_bytes() != _BEFORE for file in _FILES):
        return _Wrong("the folder below was changed")
    upper = look_at_upper(os.fsencode(layers.upper))
    if not {b"folder", b"gone"} <= set(upper.whiteouts) or b"replaced" not in upper.hiding:
        return _Wrong("what was removed cannot be told from outside")
    if not (layers.upper / "changed").read_bytes().startswith(checking.WRITTEN):
        return _Wrong("what was written cannot be read from outside")
    return None


def _advice(wrong: _Wrong, sysctls: Path) -> str:
    forbidden = next(_forbidding(sysctls), None)
    if forbidden is not None:
        return forbidden
    if "(seccomp)" in wrong.why or "tell of renames" in wrong.why:
        return f"That needs Linux 5.19 or later, on x86-64 or ARM 64. {_OTHERWISE}"
    if "(unshare)" in wrong.why:
        return f"Namespaces are forbidden here, as in most containers. {_OTHERWISE}"
    if "(mount overlay)" in wrong.why:
        return (
            "That needs Linux 5.11 or later with overlayfs, and a file system with extended "
            "attributes for the state folder (not a network's, and not a container's own, which is "
            f"an overlay itself: a volume is). {_OTHERWISE}"
        )
    return _OTHERWISE


def _forbidding(sysctls: Path) -> Iterator[str]:
    for place, forbids, allows in _SYSCTLS:
        try:
            found = (sysctls / place).read_text(encoding="ascii").strip()
        except OSError:
            # This kernel does not have the setting, so it is not what forbids.
            continue
        if found == forbids:
            name = place.replace("/", ".")
            yield f"The kernel forbids it by {name} = {forbids}: `sysctl -w {name}={allows}`."
