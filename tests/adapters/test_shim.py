import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sennit.adapters import shim
from sennit.adapters.supervision import records
from sennit.adapters.supervision.grip import Direct
from sennit.adapters.supervision.ladder import Ladder
from sennit.adapters.supervision.order import NUMBERS, Order, decode, encode
from sennit.adapters.supervision.records import to_json
from sennit.adapters.supervision.spool import Spool

argument = st.binary(max_size=20).filter(lambda data: b"\0" not in data)


def an_order(argv: list[bytes], **numbers: int) -> Order:
    usual = dict.fromkeys(NUMBERS, 0)
    return Order("r-1", (b"/run", b"/work", b"/dev/null"), argv, {**usual, **numbers})


@given(st.lists(argument, min_size=1), st.integers(min_value=0))
def test_an_order_arrives_as_it_was_given(argv: list[bytes], limit: int) -> None:
    arrived = decode(encode(an_order(argv, output_limit=limit)))
    assert arrived.argv == tuple(argv)
    assert arrived["output_limit"] == limit
    assert (arrived.run_id, arrived.run_folder, arrived.folder) == ("r-1", b"/run", b"/work")


def test_a_record_is_json() -> None:
    record = {"a": 1, "b": None, "c": "word", "d": (1, 2), "e": ()}
    assert to_json(record) == b'{"a": 1, "b": null, "c": "word", "d": [1, 2], "e": []}\n'


def test_the_shim_starts_without_slow_modules() -> None:
    """Each of these would add a tenth to a half to the start of every agent."""
    code = "; ".join(
        (
            "import sys",
            "sys.argv = ['shim', '/no/such/order']",
            "import runpy",
            "before = {*sys.modules}",
            f"sys.path.append({str(Path(shim.__file__).parents[2])!r})",
            "import sennit.adapters.supervision.owner",
            "print(*sorted({*sys.modules} - before))",
        )
    )
    argv = [sys.executable, "-I", "-S", "-P", "-c", code.replace("import runpy; ", "")]
    loaded = subprocess.run(argv, capture_output=True, check=True, text=True, timeout=20)
    slow = {"json", "re", "enum", "signal", "ctypes", "typing", "pathlib", "subprocess", "attr"}
    assert not slow & {*loaded.stdout.split()}


def test_a_full_disk_stops_neither_reading_nor_counting(tmp_path: Path) -> None:
    full = tmp_path / "full"
    full.symlink_to("/dev/full")
    spool = Spool(os.fsencode(tmp_path / "real"), 1000)
    os.close(spool._file)
    object.__setattr__(spool, "_file", os.open(full, os.O_WRONLY))
    os.write(spool.writer, b"x" * 10)
    spool.hand_over()
    assert spool.pump()
    assert not spool.pump()
    assert (spool.total, spool.kept, spool.failure) == (10, 0, 28)
    os.close(spool._file)
    os.close(spool.reader)


@pytest.mark.parametrize(("polite", "rungs"), [(2, [2, 15, 9]), (0, [15, 9])])
def test_the_ladder_has_its_rungs_in_order(polite: int, rungs: list[int]) -> None:
    ladder = Ladder(an_order([b"x"], polite_signal=polite), Direct(0), None)
    assert [number for number, _ in ladder._rungs] == rungs
    assert ladder.timeout_ms() is None


def test_a_shim_without_its_server_starts_nothing(tmp_path: Path) -> None:
    canary = tmp_path / "canary"
    paths = (os.fsencode(tmp_path), os.fsencode(tmp_path), b"/dev/null")
    numbers = dict.fromkeys(NUMBERS, 0) | {"owner_pid": 1, "output_limit": 10}
    order = Order("r-1", paths, [b"touch", os.fsencode(canary)], numbers)
    (tmp_path / "order").write_bytes(encode(order))
    argv = [sys.executable, "-I", "-S", "-P", shim.__file__, str(tmp_path / "order")]
    subprocess.run(argv, check=True, timeout=20)
    assert not canary.exists()
    assert b"never_started" in (tmp_path / "exit.json").read_bytes()


def test_a_record_fits_in_the_room_reserved_for_it(tmp_path: Path) -> None:
    path = tmp_path / "exit.json"
    records.reserve(os.fsencode(path))
    assert not path.exists()
    inode = (tmp_path / "exit.json.new").stat().st_ino
    records.write_reserved(os.fsencode(path), b'{"code": 7}\n')
    assert json.loads(path.read_bytes()) == {"code": 7}
    assert path.stat().st_ino == inode
    assert path.stat().st_size == records.RESERVED
