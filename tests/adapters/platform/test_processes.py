import os
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from sennit.adapters.platform import processes


@pytest.fixture
def sleeper(tmp_path: Path) -> Iterator[subprocess.Popen[bytes]]:
    environment = {"PATH": os.environ["PATH"], "MARK": str(tmp_path)}
    running = subprocess.Popen(["/bin/sleep", "1000"], cwd=tmp_path, env=environment)
    yield running
    running.kill()
    running.wait()


def start_of(pid: int) -> int:
    start = processes.start_time(pid)
    assert start is not None
    return start


def test_a_process_is_alive_by_pid_and_start_time(sleeper: subprocess.Popen[bytes]) -> None:
    start = start_of(sleeper.pid)
    assert processes.is_alive(sleeper.pid, start)
    assert not processes.is_alive(sleeper.pid, start + 1)


def test_a_zombie_is_not_alive(sleeper: subprocess.Popen[bytes]) -> None:
    start = start_of(sleeper.pid)
    os.kill(sleeper.pid, 9)
    os.waitid(os.P_PID, sleeper.pid, os.WEXITED | os.WNOWAIT)
    assert processes.start_time(sleeper.pid) == start
    assert not processes.is_alive(sleeper.pid, start)


def test_a_pid_that_does_not_exist_is_no_process() -> None:
    ended = subprocess.Popen(["/bin/true"])
    ended.wait()
    assert processes.start_time(ended.pid) is None
    assert not processes.is_alive(ended.pid, 0)
    assert processes.signal_process(ended.pid, 0, 9) == "gone"


def test_start_times_are_in_the_unit_of_the_present(sleeper: subprocess.Popen[bytes]) -> None:
    second = os.sysconf("SC_CLK_TCK")
    assert 0 <= processes.ticks_now() - start_of(sleeper.pid) < 60 * second


def test_a_signal_never_reaches_the_successor_of_a_pid(sleeper: subprocess.Popen[bytes]) -> None:
    start = start_of(sleeper.pid)
    assert processes.signal_process(sleeper.pid, start - 1, 9) == "gone"
    assert sleeper.poll() is None
    assert processes.signal_process(sleeper.pid, start, 9) == "sent"
    assert sleeper.wait() == -9


def test_a_name_with_parentheses_and_spaces_is_read_past(tmp_path: Path) -> None:
    program = tmp_path / ") R 1 (x y"
    program.symlink_to("/bin/sleep")
    running = subprocess.Popen([program, "1000"])
    try:
        found = processes.process(running.pid)
        assert found is not None
        assert found.parent == os.getpid()
    finally:
        running.kill()
        running.wait()


def test_the_marker_finds_its_carriers_and_no_others(
    sleeper: subprocess.Popen[bytes], tmp_path: Path
) -> None:
    mark = b"MARK=" + os.fsencode(tmp_path)
    identity = (sleeper.pid, start_of(sleeper.pid))
    assert processes.carrying(mark) == (identity,)
    assert processes.carrying(mark[:-1]) == ()


def test_the_folder_finds_who_works_inside_it_even_when_it_is_gone(tmp_path: Path) -> None:
    inside, beside = tmp_path / "in" / "deep", tmp_path / "inside"
    inside.mkdir(parents=True)
    beside.mkdir()
    with (
        subprocess.Popen(["/bin/sleep", "1000"], cwd=inside) as one,
        subprocess.Popen(["/bin/sleep", "1000"], cwd=beside) as other,
    ):
        try:
            found = processes.working_inside(os.fsencode(tmp_path / "in"))
            inside.rmdir()
            (tmp_path / "in").rmdir()
            again = processes.working_inside(os.fsencode(tmp_path / "in"))
        finally:
            one.kill()
            other.kill()
    assert [pid for pid, _ in found] == [one.pid]
    assert again == found


def test_descendants_include_other_sessions(tmp_path: Path) -> None:
    script = f"setsid sh -c 'sleep 1000 & echo > {tmp_path}/ready; wait' & wait"
    root = subprocess.Popen(["/bin/sh", "-c", script])
    deadline = time.monotonic() + 10
    while not (tmp_path / "ready").exists():
        assert time.monotonic() < deadline
    found = processes.descendants(root.pid)
    assert len(found) == 2
    assert root.pid in processes.ancestors(found[-1][0])
    for pid, start in ((root.pid, start_of(root.pid)), *found):
        processes.signal_process(pid, start, 9)
    root.wait()


def test_a_boot_has_a_name_that_stays() -> None:
    assert processes.boot_id() == processes.boot_id() != ""


def test_children_are_told_until_they_are_reaped(sleeper: subprocess.Popen[bytes]) -> None:
    assert sleeper.pid in processes.children(os.getpid())
    sleeper.kill()
    os.waitid(os.P_PID, sleeper.pid, os.WEXITED | os.WNOWAIT)
    assert sleeper.pid in processes.children(os.getpid())
    sleeper.wait()
    assert sleeper.pid not in processes.children(os.getpid())
    assert processes.children(sleeper.pid) == ()
