"""A pipe holds nothing up either where a `.git` leads to it, wherever it lies."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

import anyio
import pytest

from sennit.adapters.git import held_up
from sennit.adapters.git.base import take_snapshot
from sennit.adapters.git.capture import Captured
from sennit.adapters.git.discovery import Trust, discover
from sennit.adapters.git.held_up import looked_at
from sennit.adapters.git.whole_capture import capture_whole, peek_whole
from sennit.adapters.git.workspace import Workspace, make_checkout
from sennit.core.objects import GitFailed, LeftOutReason
from tests.adapters.git.bench import Bench, Tree, this_process

pytestmark = pytest.mark.anyio

SOON_S = 60
"""Much less than git is given for one call, and much more than any of these takes."""


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(held_up, "PATIENCE_S", 0.3)


def repository_at(folder: Path) -> None:
    """Make what git takes for a git directory at a commit."""
    for name in ("objects", "refs/heads"):
        (folder / name).mkdir(parents=True)
    (folder / "HEAD").write_text("ref: refs/heads/main\n")
    (folder / "packed-refs").write_text(f"{'1' * 40} refs/heads/main\n")


def pipe_at(path: Path) -> None:
    path.unlink(missing_ok=True)
    path.parent.mkdir(parents=True, exist_ok=True)
    os.mkfifo(path)


def by_a_file(nested: Path, hostile: Path, name: str) -> None:
    (nested / ".git").write_text(f"gitdir: {hostile}\n")
    pipe_at(hostile / name)


def by_a_relative_one(nested: Path, hostile: Path) -> None:
    (nested / ".git").write_text(f"gitdir: {os.path.relpath(hostile, nested)}")
    pipe_at(hostile / "HEAD")


def by_a_link(nested: Path, hostile: Path) -> None:
    (nested / ".git").symlink_to(hostile)
    pipe_at(hostile / "HEAD")


def by_a_link_to_a_file(nested: Path, hostile: Path) -> None:
    beside = hostile.with_name("beside")
    beside.write_text(f"gitdir: {hostile}\n")
    (nested / ".git").symlink_to(beside)
    pipe_at(hostile / "HEAD")


def by_a_common_one(nested: Path, hostile: Path) -> None:
    worktree = hostile.with_name("worktree")
    worktree.mkdir()
    (worktree / "HEAD").write_text("ref: refs/heads/main\n")
    (worktree / "commondir").write_text(os.path.relpath(hostile, worktree) + "\n")
    (nested / ".git").write_text(f"gitdir: {worktree}\n")
    pipe_at(hostile / "packed-refs")


def by_its_own_common_one(nested: Path, hostile: Path) -> None:
    repository_at(nested / ".git")
    (nested / ".git/packed-refs").unlink()
    (nested / ".git/commondir").write_text(f"{hostile}\n")
    pipe_at(hostile / "packed-refs")


def by_links_within(nested: Path, hostile: Path) -> None:
    repository_at(nested / ".git")
    (nested / ".git/refs/heads").rmdir()
    (nested / ".git/refs/heads").symlink_to(hostile / "refs/heads")
    pipe_at(hostile / "refs/heads/main")


def by_a_link_for_a_file(nested: Path, hostile: Path) -> None:
    (nested / ".git").symlink_to(hostile)
    pipe_at(hostile.with_name("beside"))
    (hostile / "commondir").symlink_to("../beside")


Way = tuple[Callable[[Path, Path], None], str]
NESTED: Mapping[str, Way] = {
    "HEAD": (lambda nested, hostile: by_a_file(nested, hostile, "HEAD"), ".git"),
    "commondir": (lambda nested, hostile: by_a_file(nested, hostile, "commondir"), ".git"),
    "a relative path": (by_a_relative_one, ".git"),
    "a link": (by_a_link, ".git"),
    "a link to a file": (by_a_link_to_a_file, ".git"),
    "a link for a file": (by_a_link_for_a_file, ".git"),
}
"""Ways, and what is blamed; git asks no more than whether a repository lies there."""

OF_A_SUBMODULE: Mapping[str, Way] = {
    **NESTED,
    "packed-refs": (lambda nested, hostile: by_a_file(nested, hostile, "packed-refs"), ".git"),
    "a ref": (lambda nested, hostile: by_a_file(nested, hostile, "refs/heads/main"), ".git"),
    "a linked worktree": (by_a_common_one, ".git"),
    "a folder with a commondir": (by_its_own_common_one, ".git/commondir"),
    "a folder with a link": (by_links_within, ".git/refs/heads"),
}
"""Git asks for the commit too."""


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    made = tmp_path / "elsewhere" / "hostile"
    repository_at(made)
    return made


def nest(tree: Tree, way: str, hostile: Path) -> None:
    tree.write("nested/file", "of the nested one\n")
    NESTED[way][0](tree.path("nested"), hostile)


def spoil(tree: Tree, way: str, hostile: Path) -> None:
    """Have the submodule lead elsewhere."""
    dot_git = tree.path("sub/.git")
    if dot_git.is_dir():
        shutil.rmtree(dot_git)
    dot_git.unlink(missing_ok=True)
    OF_A_SUBMODULE[way][0](tree.path("sub"), hostile)


@pytest.fixture
def with_submodule(bench: Bench, environment: dict[str, str]) -> Bench:
    inner = Tree(bench.tmp_path / "inner", environment)
    inner.folder.mkdir()
    inner.git("init", "-q")
    inner.write("file", "of the submodule\n")
    inner.commit()
    bench.tree.git("submodule", "--quiet", "add", str(inner.folder), "sub")
    bench.tree.commit()
    return bench


async def assert_put_away(bench: Bench, workspace: Workspace, lead: str, hostile: Path) -> Captured:
    """Look while an agent works, then capture; what lies elsewhere is not the workspace's."""
    store = await bench.store()
    before = sorted(hostile.parent.rglob("*"))
    with anyio.fail_after(SOON_S):
        seen = await peek_whole(bench.git, store, workspace)
        assert isinstance(seen, GitFailed), seen
        taken = await capture_whole(bench.git, store, workspace, date=1)
    assert isinstance(taken, Captured), taken
    told = {one.path: one for one in taken.left_out}
    assert told[lead.encode()].reason is LeftOutReason.SPECIAL_FILE
    assert str(hostile.parent) in told[lead.encode()].detail
    assert not lies_at(workspace.folder / lead)
    assert sorted(hostile.parent.rglob("*")) == before
    return taken


def lies_at(path: Path) -> bool:
    return os.path.lexists(path)


async def assert_told(bench: Bench, lead: str, hostile: Path) -> None:
    with anyio.fail_after(SOON_S):
        repository, store = await bench.repository(), await bench.store()
        taken = await looked_at(
            os.fsencode(bench.tree.folder), lambda: take_snapshot(bench.git, store, repository)
        )
    assert isinstance(taken, GitFailed), taken
    assert f"{lead}, which leads to {hostile.parent}" in taken.stderr


@pytest.mark.parametrize("way", NESTED)
async def test_what_leads_git_away_in_a_nested_repository_is_put_away_and_the_rest_captured(
    bench: Bench, way: str, hostile: Path
) -> None:
    workspace = await bench.workspace()
    inside = bench.inside(workspace)
    inside.write("README", "changed\n")
    nest(inside, way, hostile)
    taken = await assert_put_away(bench, workspace, f"nested/{NESTED[way][1]}", hostile)
    files = await bench.files_of(taken.commit)
    assert files[b"README"][1] == b"changed\n"
    assert files[b"nested/file"][1] == b"of the nested one\n"


@pytest.mark.parametrize("way", OF_A_SUBMODULE)
async def test_what_leads_git_away_in_a_submodule_is_put_away_and_the_rest_captured(
    with_submodule: Bench, way: str, hostile: Path
) -> None:
    bench = with_submodule
    workspace = await bench.workspace()
    inside = bench.inside(workspace)
    inside.write("README", "changed\n")
    spoil(inside, way, hostile)
    taken = await assert_put_away(bench, workspace, f"sub/{OF_A_SUBMODULE[way][1]}", hostile)
    assert (await bench.files_of(taken.commit))[b"README"][1] == b"changed\n"


@pytest.mark.parametrize("way", NESTED)
async def test_a_user_is_told_what_leads_git_from_a_nested_repository_to_which_pipe(
    bench: Bench, way: str, hostile: Path
) -> None:
    nest(bench.tree, way, hostile)
    await assert_told(bench, f"nested/{NESTED[way][1]}", hostile)


@pytest.mark.parametrize("way", OF_A_SUBMODULE)
async def test_a_user_is_told_what_leads_git_from_a_submodule_to_which_pipe(
    with_submodule: Bench, way: str, hostile: Path
) -> None:
    spoil(with_submodule.tree, way, hostile)
    await assert_told(with_submodule, f"sub/{OF_A_SUBMODULE[way][1]}", hostile)


@pytest.mark.parametrize("depth", [1, 2])
async def test_objects_of_an_agent_that_lead_to_a_pipe_are_put_away(
    bench: Bench, hostile: Path, depth: int
) -> None:
    workspace = await bench.workspace()
    inside = bench.inside(workspace)
    inside.write("README", "changed\n")
    inside.commit()
    lead = ".git/objects/info/alternates"
    last = hostile / "objects"
    if depth > 1:
        beside = hostile.with_name("beside")
        (beside / "info").mkdir(parents=True)
        (beside / "info/alternates").write_text(f"{last}\n")
        last = beside
    with inside.path(lead).open("a") as alternates:
        alternates.write(f"# of an agent\n{last}\n")
    pipe_at(hostile / "objects/info/alternates")
    store = await bench.store()
    with anyio.fail_after(SOON_S):
        taken = await capture_whole(bench.git, store, workspace, date=1)
    assert isinstance(taken, Captured), taken
    told = {one.path: one.detail for one in taken.left_out}
    assert f"it leads to {hostile}/objects/info/alternates" in told[lead.encode()]
    assert (await bench.files_of(taken.commit))[b"README"][1] == b"changed\n"


async def test_a_pipe_that_comes_while_git_looks_is_found(bench: Bench, hostile: Path) -> None:
    workspace = await bench.workspace()
    nest(bench.inside(workspace), "HEAD", hostile)
    store = await bench.store()
    (hostile / "HEAD").unlink()
    (hostile / "HEAD").write_text("ref: refs/heads/main\n")
    looks = 0
    with anyio.fail_after(SOON_S):
        while isinstance(await peek_whole(bench.git, store, workspace), str):
            looks += 1
            pipe_at(hostile / "HEAD")
    assert looks == 1


@pytest.mark.parametrize("name", ["HEAD", "commondir", "config"])
async def test_a_linked_worktree_that_leads_to_a_pipe_is_told(
    bench: Bench, name: str, tmp_path: Path
) -> None:
    linked = tmp_path / "linked"
    bench.tree.git("worktree", "add", "-q", str(linked))
    with bench.tree.by_hand():
        pipe_at(bench.tree.path(".git" if name == "config" else ".git/worktrees/linked") / name)
    with anyio.fail_after(SOON_S):
        found = await discover(bench.git, linked, Trust.UNTRUSTED)
    assert isinstance(found, GitFailed), found
    assert f"{linked}/.git, which leads to {bench.tree.folder}/.git/" in found.stderr
    assert name in found.stderr


@pytest.mark.parametrize("name", ["HEAD", "config"])
async def test_a_submodule_of_the_user_that_leads_to_a_pipe_is_told(
    with_submodule: Bench, name: str
) -> None:
    bench = with_submodule
    snapshot, store, repository = (
        await bench.snapshot(), await bench.store(), await bench.repository(),
    )  # fmt: skip
    with bench.tree.by_hand():
        pipe_at(bench.tree.path(f".git/modules/sub/{name}"))
    with anyio.fail_after(SOON_S):
        made = await make_checkout(
            bench.git, store, repository, snapshot, bench.tmp_path / "task", owner=this_process()
        )
    assert isinstance(made, GitFailed), made
    assert f".git/modules/sub/{name}" in made.stderr


async def test_ignored_files_to_copy_are_not_waited_for(bench: Bench, hostile: Path) -> None:
    bench.tree.write(".gitignore", "given\n")
    bench.tree.write("given", "x\n")
    snapshot, store, repository = (
        await bench.snapshot(), await bench.store(), await bench.repository(),
    )  # fmt: skip
    nest(bench.tree, "HEAD", hostile)
    with anyio.fail_after(SOON_S):
        made = await make_checkout(
            bench.git,
            store,
            repository,
            snapshot,
            bench.tmp_path / "task",
            owner=this_process(),
            include=("given",),
        )
    assert isinstance(made, GitFailed), made
    assert "nested/.git, which leads to" in made.stderr
