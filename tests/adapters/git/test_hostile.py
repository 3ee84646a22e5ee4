"""Nothing that a repository configures runs when the repository is not trusted."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from sennit.adapters.git.capture import Captured, capture
from sennit.adapters.git.discovery import Trust
from sennit.adapters.git.git import Git
from sennit.core.objects import GitFailed, OpenDocument
from tests.adapters.git.bench import Bench, Tree, Watch
from tests.adapters.git.installed import needs_git

pytestmark = pytest.mark.anyio

HOOKS = (
    "post-index-change",
    "post-checkout",
    "pre-commit",
    "post-commit",
    "reference-transaction",
    "fsmonitor-watchman",
)


def booby_trapped(tree: Tree, canary: Path) -> None:
    """Name a program that leaves a canary wherever git could be made to run one."""
    program = tree.write(".git/evil", f'#!/bin/sh\necho "$0 $@" >> "{canary}"\ncat\n', mode=0o755)
    for hook in HOOKS:
        tree.write(f".git/hooks/{hook}", program.read_bytes(), mode=0o755)
    tree.write(".git/info/attributes", "* filter=evil diff=evil merge=evil\n")
    settings = {
        "core.fsmonitor": program,
        "core.hooksPath": tree.path(".git/hooks"),
        "core.pager": program,
        "core.editor": program,
        "core.sshCommand": program,
        "core.askPass": program,
        "core.alternateRefsCommand": program,
        "filter.evil.clean": program,
        "filter.evil.smudge": program,
        "filter.evil.process": program,
        "filter.evil.required": "true",
        "diff.external": program,
        "diff.evil.command": program,
        "diff.evil.textconv": program,
        "merge.evil.driver": program,
        "gpg.program": program,
        "commit.gpgSign": "true",
        "credential.helper": program,
        "uploadpack.packObjectsHook": program,
        "extensions.partialClone": "evil",
        "remote.evil.url": f"ext::{program}",
        "remote.evil.promisor": "true",
        "protocol.ext.allow": "always",
    }
    for key, value in settings.items():
        tree.git("config", key, str(value))
    names_hooks(tree, program, "--local")


def names_hooks(tree: Tree, program: Path, where: str) -> None:
    """Name hooks by configuration, also so that the switch of an event is taken for that of one."""
    for hook in HOOKS:
        name = f"hook.of my own.{hook}"
        tree.git("config", where, f"{name}.command", str(program))
        tree.git("config", where, f"{name}.event", hook)
        tree.git("config", where, f"hook.{hook}.command", str(program))
        tree.git("config", where, f"hook.{hook}.enabled", "true")


async def whole_way(bench: Bench) -> Captured:
    """Take a base with a buffer, make a workspace, change it and capture it."""
    bench.tree.write("README", "changed\n")
    bench.tree.write("new", "new\n")
    snapshot = await bench.snapshot(OpenDocument(b"src/a.py", 1, "typed\n"))
    workspace = await bench.workspace(snapshot, include=("*.log",))
    bench.inside(workspace).folder.joinpath("README").write_text("by the agent\n")
    captured = await capture(bench.git, await bench.store(), workspace, date=1_900_000_000)
    assert isinstance(captured, Captured), captured
    return captured


async def test_no_program_of_an_untrusted_repository_runs(
    tree: Tree, git: Git, tmp_path: Path, untouched: Watch
) -> None:
    canary = tmp_path / "canary"
    booby_trapped(tree, canary)
    untouched.begin(tree.folder / ".git")
    bench = Bench(tree, tmp_path, git, Trust.UNTRUSTED)
    captured = await whole_way(bench)
    files = await bench.files_of(captured.commit)
    assert files[b"README"][1] == b"by the agent\n"
    assert files[b"src/a.py"][1] == b"typed\n"
    assert not canary.exists(), canary.read_text()


async def test_the_trap_would_work(tree: Tree, tmp_path: Path) -> None:
    canary = tmp_path / "canary"
    booby_trapped(tree, canary)
    tree.write("README", "changed\n")
    tree.git("status", check=False)
    assert canary.exists()


async def test_no_hook_that_the_user_configured_runs_on_what_is_ours(
    bench: Bench, hook: Path, canary: Path
) -> None:
    needs_git((2, 54), "hooks by configuration")
    names_hooks(bench.tree, hook, "--global")
    await whole_way(bench)
    inside = bench.inside(await bench.workspace())
    works_with_git(inside)
    assert none_ran(canary)
    works_with_git(bench.tree)
    assert not none_ran(canary)


async def test_no_hook_that_the_user_configures_later_runs_in_a_workspace(
    bench: Bench, hook: Path, canary: Path
) -> None:
    needs_git((2, 55), "a switch for all hooks of an event")
    inside = bench.inside(await bench.workspace())
    bench.tree.git("config", "--global", "hook.later.command", str(hook))
    for event in HOOKS:
        bench.tree.git("config", "--global", "--add", "hook.later.event", event)
    works_with_git(inside)
    assert none_ran(canary)


@pytest.fixture
def canary(tmp_path: Path) -> Path:
    return tmp_path / "canary"


@pytest.fixture
def hook(tmp_path: Path, canary: Path) -> Path:
    """A program that leaves the canary."""
    program = tmp_path / "hook"
    program.write_text(f'#!/bin/sh\necho "$0 $@" >> "{canary}"\n')
    program.chmod(0o755)
    return program


def none_ran(canary: Path) -> bool:
    return not canary.exists()


def works_with_git(tree: Tree) -> None:
    tree.write("README", "by the agent\n")
    tree.commit("of the agent")
    tree.git("checkout", "-q", "-b", "other")


async def test_no_daemon_of_git_watches_a_workspace(bench: Bench) -> None:
    if b"feature: fsmonitor--daemon" not in bench.tree.git("version", "--build-options"):
        pytest.skip("runs with a git that watches files by itself: on Linux 2.55 or newer")
    bench.tree.git("config", "--global", "core.fsmonitor", "true")
    inside = bench.inside(await bench.workspace())
    works_with_git(inside)
    watched = inside.git("fsmonitor--daemon", "status", check=False)
    inside.git("fsmonitor--daemon", "stop", check=False)
    assert b"is not watching" in watched


async def test_no_protocol_is_allowed_whatever_is_configured_of_a_single_one(
    bench: Bench, git: Git, tmp_path: Path
) -> None:
    canary = tmp_path / "canary"
    program = bench.tree.write(".git/evil", f'#!/bin/sh\ntouch "{canary}"\n', mode=0o755)
    for key, value in (("protocol.ssh.allow", "always"), ("core.sshCommand", str(program))):
        bench.tree.git("config", key, value)
    asked = ["ls-remote", "ssh://localhost/x"]
    bench.tree.git(*asked, check=False)
    assert not none_ran(canary)
    refused = await git.run(asked, (await bench.repository()).place)
    assert isinstance(refused, GitFailed)
    assert "transport 'ssh' not allowed" in refused.stderr


async def test_a_trusted_repository_runs_filters_and_nothing_else(
    tree: Tree, git: Git, tmp_path: Path
) -> None:
    canary = tmp_path / "canary"
    booby_trapped(tree, canary)
    tree.git("config", "--unset", "filter.evil.process")
    filter_only = tmp_path / "filter"
    filter_only.write_text("#!/bin/sh\ncat\n")
    filter_only.chmod(0o755)
    for part in ("clean", "smudge"):
        tree.git("config", f"filter.evil.{part}", str(filter_only))
    await whole_way(Bench(tree, tmp_path, git))
    assert not canary.exists(), canary.read_text()


async def test_no_program_of_a_submodule_runs(
    bench: Bench, git: Git, new_tree: Callable[..., Tree], tmp_path: Path
) -> None:
    canary = tmp_path / "canary"
    library = new_tree("library")
    library.write("code", "1")
    library.commit()
    bench.tree.git("submodule", "--quiet", "add", str(library.folder), "lib")
    bench.tree.commit()
    inside = bench.tree.within("lib")
    program = inside.write("../evil", f'#!/bin/sh\ntouch "{canary}"\n', mode=0o755)
    inside.git("config", "core.fsmonitor", str(program))
    inside.write("code", "changed")
    await whole_way(Bench(bench.tree, tmp_path, git, Trust.UNTRUSTED))
    assert not canary.exists()
