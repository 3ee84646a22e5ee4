from __future__ import annotations

import os
import select
import subprocess

from sennit.adapters.platform.ancestry import ancestors, open_handle


def test_the_parent_and_its_parents_are_ancestors_and_we_are_not() -> None:
    found = ancestors()
    assert os.getppid() in found
    assert os.getpid() not in found


def test_a_child_is_no_ancestor_and_its_end_is_noticed() -> None:
    with subprocess.Popen(["/bin/sleep", "60"]) as child:
        assert child.pid not in ancestors()
        handle = open_handle(child.pid)
        assert handle is not None
        assert select.select([handle], [], [], 0)[0] == []
        child.kill()
        assert select.select([handle], [], [], 10)[0] == [handle]
        os.close(handle)
    assert open_handle(child.pid) is None
