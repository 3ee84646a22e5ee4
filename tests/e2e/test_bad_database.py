"""A database that cannot be used is told, and nothing is lost."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from tests.e2e.scene import Client, Machine, Repo, task
from tests.wire_client import eventually

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(180)]


# The database.


def unusable(machine: Machine, repo: Repo) -> tuple[Client, str]:
    """A server whose database cannot be used, and what it says."""
    server = machine.serve(repo)
    error = server.refused("dispatch", tasks=[task("one", "true")])
    assert error["code"] == 14
    assert server.refused("tickets")["code"] == 14
    assert str(machine.state) in error["message"]
    return server, error["message"]


def test_a_state_folder_that_is_a_file_is_told_and_may_be_mended(
    machine: Machine, repo: Repo
) -> None:
    machine.state.write_text("I am a file\n")
    server, message = unusable(machine, repo)
    assert "SENNIT_STATE_DIR" in message
    machine.state.unlink()
    assert eventually(lambda: "result" in server.call("sennit/tickets", {}))
    assert server.run(task("one", "true"))["state"] == "completed"
    assert server.shut_down() == 0


def test_a_place_where_nothing_can_be_written_is_told(machine: Machine, repo: Repo) -> None:
    machine.variables["SENNIT_STATE_DIR"] = "/proc/sennit-of-a-test"
    server = machine.serve(repo)
    error = server.refused("dispatch", tasks=[task("one", "true")])
    assert error["code"] == 14
    assert "/proc/sennit-of-a-test" in error["message"]
    assert server.shut_down() == 0


def test_a_state_folder_that_is_relative_is_refused_and_not_made(
    machine: Machine, repo: Repo
) -> None:
    machine.variables["SENNIT_STATE_DIR"] = "relative"
    server = machine.serve(repo)
    error = server.refused("tickets")
    assert (error["code"], "SENNIT_STATE_DIR" in error["message"]) == (14, True)
    assert not list(machine.root.rglob("relative"))
    assert not Path("relative").exists()
    assert server.shut_down() == 0


def test_a_newer_database_is_left_alone(machine: Machine, repo: Repo) -> None:
    machine.serve(repo).shut_down()
    file = machine.state / "sennit.db"
    with sqlite3.connect(file) as database:
        database.execute("PRAGMA user_version = 9999")
    database.close()
    server, message = unusable(machine, repo)
    assert "newer" in message
    lines = server.ask("doctor")["lines"]
    assert {"area": "git", "health": "good"}.items() <= lines[2].items()
    (bad,) = [line for line in lines if line["health"] == "bad"]
    assert (bad["area"], bad["message"]) == ("database", message)
    assert server.shut_down() == 0
    with sqlite3.connect(file) as database:
        assert database.execute("PRAGMA user_version").fetchone() == (9999,)
    database.close()


def test_rows_of_another_version_are_left_alone_and_not_called_newer(
    machine: Machine, repo: Repo
) -> None:
    server = machine.serve(repo)
    ticket = server.dispatch(task("one", "true"))
    server.settled(ticket)
    assert server.shut_down() == 0
    file = machine.state / "sennit.db"
    with sqlite3.connect(file) as database:
        renamed = """UPDATE row_ticket SET body = replace(body, '"created_at"', '"made_at"')"""
        assert database.execute(renamed).rowcount == 1
    database.close()
    before = file.read_bytes()
    server, message = unusable(machine, repo)
    assert "newer or older" in message
    assert "made_at" in message
    assert server.shut_down() == 0
    assert file.read_bytes() == before


def test_a_damaged_database_is_put_aside_and_shown(machine: Machine, repo: Repo) -> None:
    first = machine.serve(repo)
    first.run(task("one", "true"))
    first.kill_9()
    file = machine.state / "sennit.db"
    for tail in ("-wal", "-shm"):
        Path(f"{file}{tail}").unlink(missing_ok=True)
    file.write_bytes(b"rubbish" * 4000)
    server = machine.serve(repo)
    assert server.ask("tickets")["tickets"] == []
    (kept,) = [each for each in machine.state.iterdir() if b"rubbish" in _bytes(each)]
    shown = server.next_of("window/showMessage")["params"]
    assert shown["type"] == 1
    assert str(kept) in shown["message"]
    assert str(kept) in server.stderr()
    lines = server.ask("doctor")["lines"]
    assert any(str(kept) in line["message"] and line["health"] == "warning" for line in lines)
    assert server.run(task("one", "true"))["state"] == "completed"


def _bytes(path: Path) -> bytes:
    return path.read_bytes() if path.is_file() else b""


@pytest.mark.slow
def test_a_locked_database_is_told_and_used_once_it_is_free(machine: Machine, repo: Repo) -> None:
    server = machine.serve(repo)
    assert server.ask("tickets")["tickets"] == []
    lock = sqlite3.connect(machine.state / "sennit.db", isolation_level=None)
    lock.execute("BEGIN IMMEDIATE")
    error = server.refused("dispatch", tasks=[task("one", "true")])
    assert (error["code"], "locked" in error["message"]) == (14, True)
    assert server.ask("tickets")["tickets"] == []
    lock.execute("ROLLBACK")
    lock.close()
    assert server.run(task("one", "true"))["state"] == "completed"
