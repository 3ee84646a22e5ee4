"""Who lives is told of processes that cannot be seen, too; what cannot be told counts as living."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from attrs import evolve

from sennit.adapters.platform import lives, realms
from sennit.adapters.platform.lives import LOCKS, Life, Owner, may_live, owner_of, this_process
from sennit.adapters.platform.realms import realm

HERE = realm()
MACHINE, BOOT, PIDS, TIMES = HERE.split("-")
ELSEWHERE = f"{MACHINE}-{BOOT}-1-{TIMES}"
"""A namespace of this boot that nobody is in."""
ANOTHER_BOOT = f"{MACHINE}-0-{PIDS}-{TIMES}"
ANOTHER_MACHINE = f"1-0-{PIDS}-{TIMES}"
NAMESPACES = ("unshare", "--user", "--map-root-user", "--pid", "--fork", "--kill-child")

SERVER = """
import json, sys
sys.path[:0] = sys.argv[1].split(chr(1))
from pathlib import Path
from sennit.adapters.platform.lives import Life
life = Life()
life.hold(Path(sys.argv[2]))
print(json.dumps([life.owner.pid, life.owner.started, life.owner.realm]), flush=True)
sys.stdin.read()
"""


def _are_namespaces_there() -> bool:
    return shutil.which("unshare") is not None and subprocess.call([*NAMESPACES, "true"]) == 0


@contextmanager
def living(folder: Path, *container: str) -> Iterator[Owner]:
    """A process that holds its lock in a folder, and as whom it knows itself."""
    argv = [*container, sys.executable, "-c", SERVER, "\1".join(sys.path), str(folder)]
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        pid, started, name = json.loads(process.stdout.readline())
        yield Owner(pid, started, name)
        process.communicate()


@pytest.mark.skipif(not _are_namespaces_there(), reason="no namespaces can be made here")
@pytest.mark.parametrize("of_its_own", [("--mount-proc",), ()], ids=["proc", "proc of outside"])
def test_a_process_of_a_container_lives_until_it_has_ended(
    tmp_path: Path, of_its_own: tuple[str, ...]
) -> None:
    with living(tmp_path, *NAMESPACES, *of_its_own) as owner:
        assert owner.pid == 1
        assert owner.realm != HERE
        assert may_live(owner, tmp_path)
        # One that this container had before, with the same pid.
        assert not may_live(evolve(owner, started=owner.started + 1), tmp_path)
    assert not may_live(owner, tmp_path)


def test_a_process_that_can_be_seen_lives_by_pid_and_start_time(tmp_path: Path) -> None:
    me = this_process()
    assert owner_of(os.getpid()) == me
    # No lock is asked for.
    assert may_live(me, tmp_path)
    assert may_live(evolve(me, realm=""), tmp_path)
    assert not may_live(evolve(me, started=me.started - 1), tmp_path)
    with living(tmp_path) as other:
        assert other.realm == HERE
        assert may_live(other, tmp_path)
    assert not may_live(other, tmp_path)


def test_the_pid_of_a_process_of_here_says_nothing_of_one_elsewhere(tmp_path: Path) -> None:
    there = evolve(this_process(), realm=ELSEWHERE)
    held = Life(there).hold(tmp_path)
    assert may_live(there, tmp_path)
    os.close(held)
    assert not may_live(there, tmp_path)


def test_each_owner_has_a_lock_of_its_own(tmp_path: Path) -> None:
    one, other = Owner(1, 2, ELSEWHERE), Owner(1, 3, ELSEWHERE)
    lives_on = Life(one).hold(tmp_path)
    ended = Life(other).hold(tmp_path)
    os.close(ended)
    assert [may_live(each, tmp_path) for each in (one, other)] == [True, False]
    os.close(lives_on)


def test_who_inherits_the_lock_has_its_first_owner_count_as_living(tmp_path: Path) -> None:
    owner = Owner(1, 2, ELSEWHERE)
    held = Life(owner).hold(tmp_path)
    with subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=held) as heir:
        os.close(held)
        assert may_live(owner, tmp_path)
        heir.kill()
    assert not may_live(owner, tmp_path)


def test_a_lock_is_held_once_and_anew_where_the_folder_was_made_anew(tmp_path: Path) -> None:
    owner, folder = Owner(1, 2, ELSEWHERE), tmp_path / "store"
    folder.mkdir()
    life = Life(owner)
    first = life.hold(folder)
    assert life.hold(folder) == first
    folder.joinpath(LOCKS).unlink()
    # Nobody can tell any more, so it may live.
    assert may_live(owner, folder)
    life.hold(folder)
    assert may_live(owner, folder)


@pytest.mark.parametrize("container", [ELSEWHERE, HERE])
def test_whoever_cannot_be_looked_for_counts_as_living(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, container: str
) -> None:
    monkeypatch.setattr(lives, "is_seen_whole", lambda: False)
    assert may_live(Owner(1, 2, container), tmp_path / "missing")
    assert may_live(Owner(1, 2, container), None)
    tmp_path.joinpath(LOCKS).touch()
    assert not may_live(Owner(1, 2, container), tmp_path)


@pytest.mark.parametrize(
    ("before", "disk", "expected"),
    [
        (ANOTHER_BOOT, "ext4", False),
        (ANOTHER_MACHINE, "ext4", False),
        (ANOTHER_MACHINE, "nfs4", True),
        (ANOTHER_MACHINE, "fuse.unheard-of", True),
        (ANOTHER_MACHINE, "", True),
        (f"0-0-{PIDS}-{TIMES}", "nfs4", True),
        (ANOTHER_BOOT, "nfs4", MACHINE == "0"),
    ],
)
def test_another_boot_is_over_where_no_other_machine_writes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, before: str, disk: str, *, expected: bool
) -> None:
    monkeypatch.setattr(lives, "filesystem_type", lambda _: disk)
    me = this_process()
    assert may_live(Owner(me.pid, me.started, before), tmp_path) is expected


def test_who_does_not_know_where_it_is_itself_asks_for_locks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    owner = Owner(1, 2, ELSEWHERE)
    held = Life(owner).hold(tmp_path)
    monkeypatch.setattr(lives, "realm", lambda: "")
    assert may_live(owner, tmp_path)
    os.close(held)
    assert not may_live(owner, tmp_path)


def test_where_there_are_no_such_locks_everybody_elsewhere_counts_as_living(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lives, "_OF_OPEN_FILES", False)
    os.close(Life().hold(tmp_path))
    assert may_live(Owner(1, 2, ELSEWHERE), tmp_path)


def test_a_machine_without_an_id_is_never_known_again() -> None:
    nameless = "0-1-2-3"
    assert not realms.is_of_this_machine(nameless, nameless)
    assert realms.is_of_this_machine("a-1-2-3", "a-4-5-6")
    assert not realms.is_of_this_boot("odd", "a-1-2-3")
