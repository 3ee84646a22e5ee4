from __future__ import annotations

import os
import resource
import sys
from collections.abc import Callable
from pathlib import Path

import apsw
import pytest
from attrs import evolve

from sennit.adapters.platform.filesystems import filesystem_type
from sennit.adapters.store.migrations import APPLICATION_ID, MIGRATIONS, Migration
from sennit.adapters.store.opening import Options
from sennit.core.engine.state import State
from sennit.core.stored import Committed, StoreProblem, StoreProblemKind
from tests.adapters.store.examples import (
    Added,
    CounterRow,
    opened,
    refused,
    step,
    store_step,
)

HASTY = Options(busy_timeout_ms=50)
NOBODY = 65534
COUNT = 40


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "state" / "sennit.db"


@pytest.fixture
def used(path: Path) -> Path:
    """A database with enough pages to damage some, closed in order."""
    database, state = opened(path), State()
    for seen in range(COUNT):
        store_step(database, state, Added(counter=f"{seen} {'x' * 1500}"), seen)
    database.close()
    return path


def in_child(work: Callable[[], str]) -> str:
    """What a function says when it runs in a process of its own, where it may change anything."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            said = work()
        except BaseException as error:  # noqa: BLE001  shown by the parent's assertion
            said = f"{type(error).__name__}: {error}"
        os.write(writer, said.encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as answers:
        said = answers.read()
    os.waitpid(child, 0)
    return said


def test_a_database_locked_for_longer_than_the_limit_is_told(used: Path) -> None:
    database = opened(used, options=HASTY)
    other = apsw.Connection(str(used))
    other.execute("BEGIN IMMEDIATE")
    found = database.commit(database.prepare(Added(), step(State(), Added(), COUNT + 1), COUNT + 1))
    assert isinstance(found, StoreProblem)
    assert found.kind is StoreProblemKind.LOCKED
    other.execute("ROLLBACK")
    assert isinstance(
        database.commit(database.prepare(Added(), step(State(), Added(), COUNT + 1), COUNT + 1)),
        Committed,
    )


def test_a_database_locked_at_the_start_is_told(path: Path) -> None:
    path.parent.mkdir(mode=0o700)
    other = apsw.Connection(str(path))
    other.execute("BEGIN EXCLUSIVE; CREATE TABLE a (b)")
    assert refused(path, HASTY).kind is StoreProblemKind.LOCKED


def test_a_read_only_file_is_told(used: Path) -> None:
    def look() -> str:
        if os.getuid() == 0:
            os.setuid(NOBODY)
        return refused(used).kind

    for file in (used.parent, used, used.with_name("sennit.db.users")):
        if os.getuid() == 0:
            os.chown(file, NOBODY, NOBODY)
    used.chmod(0o400)
    opened_up = [used.parent.parent, *used.parent.parent.parents]
    within = [
        folder for folder in opened_up if folder.name.startswith(("test_", "pytest-", "popen-"))
    ]
    for folder in within:
        folder.chmod(folder.stat().st_mode | 0o011)
    assert in_child(look) == StoreProblemKind.READ_ONLY
    assert used.exists()


@pytest.mark.parametrize("obstacle", ["file for folder", "folder for file", "proc"])
def test_a_place_that_cannot_be_written_is_told(tmp_path: Path, obstacle: str) -> None:
    path = tmp_path / "state" / "sennit.db"
    if obstacle == "file for folder":
        path.parent.write_text("")
    elif obstacle == "folder for file":
        path.mkdir(parents=True, mode=0o700)
        path.parent.chmod(0o700)
    else:
        path = Path("/proc/sys/sennit/sennit.db")
    found = refused(path)
    assert found.kind is StoreProblemKind.NOT_WRITABLE
    assert str(path) in found.message


def test_a_folder_that_others_may_write_is_refused(path: Path) -> None:
    path.parent.mkdir()
    path.parent.chmod(0o777)
    assert refused(path).kind is StoreProblemKind.EXPOSED


def test_a_file_that_others_may_read_is_made_private(used: Path) -> None:
    used.chmod(0o644)
    opened(used)
    assert used.stat().st_mode & 0o777 == 0o600


def test_a_full_disk_is_told_and_the_next_step_goes_on(path: Path) -> None:
    def fill() -> str:
        database, state = opened(path), State()
        seen = store_step(database, state, Added(), 0)
        limits = resource.getrlimit(resource.RLIMIT_FSIZE)
        log = path.with_name("sennit.db-wal")
        resource.setrlimit(resource.RLIMIT_FSIZE, (log.stat().st_size + 5000, limits[1]))
        while True:
            event = Added(counter="x" * 3000)
            answer = database.commit(
                database.prepare(event, step(state, event, seen + 1), seen + 1)
            )
            if isinstance(answer, StoreProblem):
                break
            seen += 1
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        after = store_step(database, state, Added(), seen)
        database.close()
        return f"{answer.kind} {after - seen} {database_value(path)}"

    assert in_child(fill) == "full 1 2"


def database_value(path: Path) -> int:
    loaded = opened(path).load()
    assert not isinstance(loaded, StoreProblem)
    return next(r.value for r in loaded.rows if isinstance(r, CounterRow) and r.id == "n")


@pytest.mark.parametrize("kind", ["nfs4", "cifs", "fuse.sshfs", "9p"])
def test_a_network_file_system_is_refused(path: Path, kind: str) -> None:
    found = refused(path, Options(filesystem_type=lambda _: kind))
    assert found.kind is StoreProblemKind.NETWORK
    assert kind in found.message
    assert not path.exists()


@pytest.mark.parametrize("kind", ["ext4", "tmpfs", "overlay", "fuse.portal", "fuse", ""])
def test_a_local_file_system_is_taken(path: Path, kind: str) -> None:
    opened(path, options=Options(filesystem_type=lambda _: kind))


def test_the_kind_of_a_file_system_is_that_of_the_innermost_mount(tmp_path: Path) -> None:
    deep = tmp_path / "a b" / "c"
    deep.mkdir(parents=True)
    name = str(tmp_path / "a b").replace(" ", "\\040")
    table = tmp_path / "mounts"
    table.write_text(
        "1 0 8:1 / / rw shared:1 - ext4 /dev/x rw\n"
        f"2 1 0:1 / {name} rw - tmpfs none rw\n"
        f"3 1 0:2 / {name} rw master:1 - nfs4 host:/ rw\n"
        f"4 1 0:3 / {tmp_path}/a rw - cifs none rw\n"
    )
    assert filesystem_type(str(deep), str(table)) == "nfs4"
    assert filesystem_type(str(tmp_path), str(table)) == "ext4"
    assert filesystem_type(str(tmp_path))


def test_a_newer_database_is_refused_and_left_alone(used: Path) -> None:
    connection = apsw.Connection(str(used))
    connection.pragma("user_version", 99)
    connection.close()
    before = used.read_bytes()
    found = refused(used)
    assert found.kind is StoreProblemKind.NEWER
    assert "version 99" in found.message
    assert used.read_bytes() == before


def test_a_table_of_rows_that_we_do_not_know_is_refused(used: Path) -> None:
    connection = apsw.Connection(str(used))
    connection.execute("CREATE TABLE row_later (key TEXT)")
    connection.close()
    assert refused(used).kind is StoreProblemKind.NEWER


def test_the_database_of_another_program_is_refused(path: Path) -> None:
    path.parent.mkdir(mode=0o700)
    connection = apsw.Connection(str(path))
    connection.execute("CREATE TABLE theirs (a)")
    connection.close()
    assert refused(path).kind is StoreProblemKind.NOT_OURS


def _second(connection: apsw.Connection) -> None:
    connection.execute("CREATE TABLE extra (a); UPDATE row_counter SET sequence = sequence + 1000")


def _broken(connection: apsw.Connection) -> None:
    connection.execute("CREATE TABLE another (a)")
    raise apsw.FullError("no space")


SECOND = Options(migrations=(*MIGRATIONS, Migration(2, "an extra table", _second)))


def test_an_older_database_is_led_forward_after_a_copy(used: Path) -> None:
    database = opened(used, options=SECOND)
    assert database._connection.pragma("user_version") == 2
    assert database._connection.execute("SELECT count(*) FROM extra").get == 0
    copy = apsw.Connection(str(used.with_name("sennit.db.version-1")))
    assert (copy.pragma("user_version"), copy.pragma("application_id")) == (1, APPLICATION_ID)
    assert copy.execute("SELECT count(*) FROM row_counter").get == COUNT
    assert used.with_name("sennit.db.version-1").stat().st_mode & 0o777 == 0o600


def test_a_new_database_is_not_copied(path: Path) -> None:
    opened(path, options=SECOND)
    assert not list(path.parent.glob("*.version-*"))


def test_a_migration_that_fails_leaves_what_was_there(used: Path) -> None:
    broken = evolve(SECOND, migrations=(*SECOND.migrations, Migration(3, "fails", _broken)))
    assert refused(used, broken).kind is StoreProblemKind.FULL
    database = opened(used, options=SECOND)
    assert database._connection.pragma("user_version") == 2
    found = database._connection.execute("SELECT name FROM sqlite_schema WHERE name = 'another'")
    assert found.get is None


def damage(path: Path, offset: int) -> bytes:
    with path.open("r+b") as file:
        file.seek(offset)
        file.write(b"\xa5" * 4096)
    return path.read_bytes()


def test_a_file_that_is_no_database_is_put_aside_whole(path: Path) -> None:
    path.parent.mkdir(mode=0o700)
    path.write_bytes(b"not a database" * 1000)
    found = refused(path)
    assert found.kind is StoreProblemKind.CORRUPT
    assert found.moved_to is not None
    assert Path(found.moved_to).read_bytes() == b"not a database" * 1000
    assert found.moved_to in found.message
    assert opened(path).load() is not None


def test_damaged_pages_are_found_after_an_unclean_end_and_put_aside(used: Path) -> None:
    def end_uncleanly() -> str:
        database = opened(used)
        store_step(database, State(), Added(), COUNT)
        os._exit(0)

    in_child(end_uncleanly)
    damaged = damage(used, 4096 * 5)
    log = used.with_name("sennit.db-wal").read_bytes()
    found = refused(used)
    assert found.kind is StoreProblemKind.CORRUPT
    assert found.moved_to is not None
    assert Path(found.moved_to).read_bytes() == damaged
    assert Path(found.moved_to + "-wal").read_bytes() == log
    database = opened(used)
    assert store_step(database, State(), Added(), 0) == 1


def test_damage_met_in_use_is_told_and_found_by_the_next_start(used: Path) -> None:
    for page in range(1, used.stat().st_size // 4096):
        damage(used, 4096 * page)
    database = opened(used)
    found = database.load()
    assert isinstance(found, StoreProblem)
    assert found.kind is StoreProblemKind.CORRUPT
    database.close()
    assert refused(used).moved_to is not None
    opened(used)


def test_a_damaged_database_is_not_moved_while_others_have_it_open(used: Path) -> None:
    other = opened(used)
    used.with_name("sennit.db.suspect").touch()
    damage(used, 4096 * 5)
    found = refused(used)
    assert (found.kind, found.moved_to) == (StoreProblemKind.CORRUPT, None)
    assert used.exists()
    other.close()
    assert refused(used).moved_to is not None


def test_a_sound_database_left_open_is_used_on(path: Path) -> None:
    def end_uncleanly() -> str:
        database, state = opened(path), State()
        for seen in range(3):
            store_step(database, state, Added(), seen)
        os._exit(0)

    in_child(end_uncleanly)
    assert database_value(path) == 3


def test_sqlite_is_new_enough() -> None:
    assert tuple(map(int, apsw.sqlite_lib_version().split("."))) >= (3, 51, 3), sys.version
