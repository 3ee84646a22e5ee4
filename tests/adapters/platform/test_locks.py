import os
import subprocess
import sys
from pathlib import Path

from sennit.adapters.platform.locks import is_locked, lock_if_free

HOLD = """
import os, sys
from sennit.adapters.platform.locks import lock_if_free
assert lock_if_free(os.open(sys.argv[1], os.O_RDWR))
print("held", flush=True)
sys.stdin.read()
"""


def test_a_lock_ends_with_its_holder(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    path.touch()
    descriptor = os.open(path, os.O_RDWR)
    assert not is_locked(descriptor)
    argv = [sys.executable, "-c", HOLD, str(path)]
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        assert is_locked(descriptor)
        assert not lock_if_free(descriptor)
        holder.kill()
    assert not is_locked(descriptor)
    assert lock_if_free(descriptor)
    os.close(descriptor)
