"""Remotes can be read in a workspace and fetched from, and never pushed to."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from sennit.adapters.git.capture import Captured, Unchanged, capture
from sennit.adapters.git.workspace import Workspace
from tests.adapters.git.bench import Bench, Tree

pytestmark = pytest.mark.anyio


async def test_pushing_is_refused_whatever_the_users_own_rules_say(
    bench: Bench, new_tree: Callable[..., Tree]
) -> None:
    bare, other = new_tree("bare", "--bare"), new_tree("other", "--bare")
    tree = bench.tree
    tree.git("remote", "add", "origin", str(bare.folder))
    tree.git("remote", "add", "apart", "https://example.org/x")
    tree.git("config", "remote.apart.pushurl", str(bare.folder))
    tree.git("config", "--global", "remote.mine.url", str(other.folder))
    tree.git("config", "--global", "remote.mine.pushurl", str(other.folder))
    # Of several rules that fit git takes the longest.
    tree.git("config", "--global", f"url.{other.folder}.pushInsteadOf", str(bare.folder))
    inside = bench.inside(await bench.workspace())
    for to in (str(bare.folder), str(other.folder), "origin", "apart", "mine"):
        code, said = pushed(inside, to)
        assert code != 0, to
        assert "pushing-from-a-workspace-is-refused" in said.lower().replace(" ", "-"), to
    assert bare.git("for-each-ref") == other.git("for-each-ref") == b""


def pushed(tree: Tree, to: str) -> tuple[int, str]:
    done = subprocess.run(
        ["git", "push", to, "HEAD:refs/heads/x"],
        cwd=tree.folder,
        env=tree.environment,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stderr


async def test_remotes_can_be_read_without_what_is_secret(bench: Bench) -> None:
    tree = bench.tree
    addresses = {
        "web": ("https://me:secret@example.org/x", "https://example.org/x"),
        "token": ("https://secret@example.org/x", "https://example.org/x"),
        "ssh": ("ssh://git:secret@[::1]:22/x", "ssh://git@[::1]:22/x"),
        "short": ("git@example.org:x/y", "git@example.org:x/y"),
        "beside": ("../else where", str(bench.tmp_path / "else where")),
        "home": ("~/x", "~/x"),
    }
    for name, (theirs, _) in addresses.items():
        tree.git("remote", "add", name, theirs)
    tree.git("config", "remote.web.pushurl", "https://secret@example.org/y")
    tree.git("remote", "add", "helper", "ext::secret")
    tree.git("update-ref", "refs/remotes/web/main", "HEAD")
    tree.git("branch", "-q", "--set-upstream-to=web/main", "main")
    inside = bench.inside(await bench.workspace())
    listed = inside.git("remote", "-v").decode().splitlines()
    assert {line for line in listed if line.endswith("(fetch)")} >= {
        f"{name}\t{ours} (fetch)" for name, (_, ours) in addresses.items()
    }
    assert b"secret" not in inside.path(".git/config").read_bytes()
    assert inside.git("rev-parse", "--abbrev-ref", "main@{upstream}") == b"web/main\n"


async def test_making_a_workspace_talks_to_no_remote(bench: Bench, tmp_path: Path) -> None:
    contacted = tmp_path / "contacted"
    program = bench.tree.write(".git/upload", f'#!/bin/sh\ntouch "{contacted}"\n', mode=0o755)
    bench.tree.git("remote", "add", "origin", str(tmp_path))
    bench.tree.git("config", "--global", "remote.origin.uploadpack", str(program))
    workspace = await bench.workspace()
    assert not contacted.exists()
    bench.inside(workspace).git("fetch", check=False)
    assert contacted.exists()


async def test_what_an_agent_fetches_is_no_commit_of_its_own(
    bench: Bench, new_tree: Callable[..., Tree]
) -> None:
    theirs = new_tree("theirs")
    theirs.git("pull", "-q", str(bench.tree.folder), "HEAD")
    bench.tree.git("remote", "add", "origin", str(theirs.folder))
    theirs.write("theirs", "x\n")
    theirs.commit("of another")
    workspace = await bench.workspace()
    inside = bench.inside(workspace)
    inside.git("fetch", "-q", "origin")
    taken = await captured(bench, workspace)
    assert isinstance(taken, Unchanged)
    assert taken.agent_commits == ()
    inside.write("mine", "x\n")
    mine = inside.commit("the agent's")
    inside.git("merge", "-q", "-m", "merged", "origin/main")
    inside.git("pack-refs", "--all")
    theirs.write("theirs", "y\n")
    theirs.commit("of nobody's use")
    inside.git("fetch", "-q", "origin")
    taken = await captured(bench, workspace)
    assert [one.message for one in taken.agent_commits] == ["the agent's", "merged"]
    assert taken.agent_commits[0].id == mine
    store = await bench.store()
    merged = taken.agent_commits[1].id
    assert (await bench.files_of(merged)).keys() == {b"README", b"src/a.py", b"mine", b"theirs"}
    bench.tree.git(f"--git-dir={store.git_dir}", "rev-list", "--objects", "--quiet", merged)


async def captured(bench: Bench, workspace: Workspace) -> Captured | Unchanged:
    taken = await capture(bench.git, await bench.store(), workspace, date=1_900_000_000)
    assert isinstance(taken, Captured | Unchanged), taken
    assert taken.commits_failed is None
    return taken
