"""Places that cannot be written: for a server that is not allowed everything, as users' are not."""

from __future__ import annotations

import os
import sys

from tests.e2e.scene import Client, Machine, Repo, sh, task

# Root may write into any folder; without this capability it may not.
_AS_ANYBODY = ["setpriv", "--bounding-set=-dac_override,-dac_read_search", "--"]


def restricted(machine: Machine, repo: Repo) -> Client:
    """A server without the rights of root, started for real."""
    argv = [sys.executable, "-P", "-m", "sennit", "serve"]
    if os.geteuid() == 0:
        argv = [*_AS_ANYBODY, *argv]
    client = Client(argv, env=machine.environment, cwd=machine.root)
    machine.servers.append(client)
    repo.watch()
    client.initialize(options={"trusted": True}, folders=[repo.folder])
    return client


def test_a_folder_that_cannot_be_written_is_named_and_all_else_is_as_before(
    machine: Machine, repo: Repo
) -> None:
    server = restricted(machine, repo)
    ticket = server.run(
        task("one", sh("echo B > src/b.txt; sed -i s/two/TWO/ a.txt"), cwd=str(repo.folder))
    )["id"]
    server.accept_all(ticket)
    before = repo.contents()
    (repo.folder / "src").chmod(0o555)
    view = server.apply(ticket)
    (repo.folder / "src").chmod(0o755)
    told = {each["path"]: each for each in view["files"]}
    assert told["src/b.txt"]["state"] == "failed"
    assert "writable" in told["src/b.txt"]["message"]
    applied = told["a.txt"]["state"] == "applied"
    assert (view["state"] == "partlyApplied") is applied
    expected = dict(before)
    if applied:
        expected[b"a.txt"] = ("file", before[b"a.txt"][1].replace(b"two", b"TWO"))
    assert repo.contents() == expected
    again = server.apply(ticket)
    assert again["state"] == "applied"
    assert (repo.read("src/b.txt"), "TWO" in repo.read("a.txt")) == ("B\n", True)
