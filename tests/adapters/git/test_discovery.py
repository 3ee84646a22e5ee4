"""A folder's repository is found, or there is a clear reason why not."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from sennit.adapters.git.discovery import (
    Discovery,
    NotARepository,
    Refusal,
    Refused,
    Repository,
    Trust,
    discover,
)
from sennit.adapters.git.git import Git
from tests.adapters.git.bench import Tree
from tests.small_disks import small_disks

pytestmark = pytest.mark.anyio


def reason(found: Discovery) -> Refusal:
    assert isinstance(found, Refused), found
    assert found.advice
    return found.reason


async def found_at(git: Git, folder: Path) -> Repository:
    found = await discover(git, folder, Trust.TRUSTED)
    assert isinstance(found, Repository), found
    return found


async def test_a_folder_and_a_file_below_the_top_belong_to_the_repository(
    git: Git, tree: Tree
) -> None:
    top = await found_at(git, tree.folder)
    assert top.work_tree == tree.folder
    assert top.git_dir == top.common_dir == tree.folder / ".git"
    assert top.object_format == "sha1"
    assert await found_at(git, tree.path("src")) == top
    assert await found_at(git, tree.path("src/a.py")) == top


async def test_a_link_to_a_work_tree_is_that_work_tree(
    git: Git, tree: Tree, tmp_path: Path
) -> None:
    (tmp_path / "alias").symlink_to(tree.folder)
    assert (await found_at(git, tmp_path / "alias")).key == (await found_at(git, tree.folder)).key


@pytest.mark.parametrize("name", [b"with\nline end", b" spaces ", b"not utf8 \xff", b"a'b\"c"])
async def test_folders_may_have_any_name(
    git: Git, new_tree: Callable[..., Tree], name: bytes
) -> None:
    tree = new_tree(os.fsdecode(name))
    assert (await found_at(git, tree.folder)).work_tree == tree.folder


async def test_no_repository(git: Git, tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    found = await discover(git, tmp_path / "plain", Trust.TRUSTED)
    assert found == NotARepository(tmp_path / "plain")


@pytest.mark.parametrize("head", [b"rubbish", b"", None])
async def test_a_repository_without_a_head_that_git_can_read(
    git: Git, tree: Tree, head: bytes | None
) -> None:
    file = tree.folder / ".git" / "HEAD"
    with tree.by_hand():
        file.unlink()
        if head is not None:
            file.write_bytes(head)
    (tree.folder / "deep").mkdir()
    found = await discover(git, tree.folder / "deep", Trust.TRUSTED)
    assert isinstance(found, Refused)
    assert found.reason is Refusal.DAMAGED
    assert str(tree.folder / ".git") in found.advice
    assert "HEAD" in found.advice


async def test_a_folder_on_another_disk_than_the_repository_around_it(git: Git, tree: Tree) -> None:
    with small_disks() as put:
        inner = put(tree.folder / "mounted") / "inner"
        inner.mkdir()
        found = await discover(git, inner, Trust.TRUSTED)
    assert isinstance(found, Refused)
    assert found.reason is Refusal.BEYOND_A_MOUNT
    assert f"Name {tree.folder}, or" in found.advice


async def test_a_file_that_leads_to_no_git_directory(git: Git, tmp_path: Path) -> None:
    (tmp_path / ".git").write_text(f"gitdir: {tmp_path}/gone\n")
    assert reason(await discover(git, tmp_path, Trust.TRUSTED)) is Refusal.DAMAGED


async def test_an_empty_git_folder_is_no_repository(git: Git, tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    assert await discover(git, tmp_path, Trust.TRUSTED) == NotARepository(tmp_path)


async def test_a_missing_folder(git: Git, tmp_path: Path) -> None:
    assert reason(await discover(git, tmp_path / "no", Trust.TRUSTED)) is Refusal.MISSING_FOLDER


async def test_a_bare_repository_and_the_inside_of_a_git_directory(
    git: Git, tree: Tree, new_tree: Callable[..., Tree]
) -> None:
    bare = new_tree("bare.git", "--bare")
    assert reason(await discover(git, bare.folder, Trust.TRUSTED)) is Refusal.BARE
    inside = tree.folder / ".git" / "refs"
    assert reason(await discover(git, inside, Trust.TRUSTED)) is Refusal.INSIDE_GIT_DIRECTORY


async def test_a_repository_of_somebody_else(
    git: Git, tree: Tree, environment: dict[str, str]
) -> None:
    if os.geteuid() != 0:
        pytest.skip("issue 5: only root can give files away, as in CI")
    for path in (tree.folder, tree.folder / ".git"):
        os.chown(path, 12_345, 12_345)
    environment.pop("SUDO_UID", None)
    assert reason(await discover(git, tree.folder, Trust.TRUSTED)) is Refusal.OTHER_OWNER
    tree.git("config", "--global", "safe.directory", str(tree.folder))
    assert (await found_at(git, tree.folder)).work_tree == tree.folder


async def test_a_work_tree_elsewhere(git: Git, tree: Tree, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    tree.git("config", "core.worktree", str(tmp_path / "elsewhere"))
    found = await discover(git, tree.folder, Trust.TRUSTED)
    assert reason(found) is Refusal.WORK_TREE_ELSEWHERE


async def test_linked_worktrees_share_a_common_directory(
    git: Git, tree: Tree, tmp_path: Path
) -> None:
    tree.git("worktree", "add", "-q", str(tmp_path / "linked"))
    linked = await found_at(git, tmp_path / "linked")
    assert linked.common_dir == tree.folder / ".git"
    assert linked.git_dir == tree.folder / ".git" / "worktrees" / "linked"
    assert linked.key != (await found_at(git, tree.folder)).key


async def test_a_submodule_is_a_repository(
    git: Git, tree: Tree, new_tree: Callable[..., Tree]
) -> None:
    library = new_tree("library")
    library.commit()
    tree.git("submodule", "--quiet", "add", str(library.folder), "lib")
    inside = await found_at(git, tree.path("lib"))
    assert inside.work_tree == tree.path("lib")
    assert inside.git_dir == tree.folder / ".git" / "modules" / "lib"


async def test_the_hash_of_the_repository_is_known(git: Git, new_tree: Callable[..., Tree]) -> None:
    tree = new_tree("sha256", "--object-format=sha256")
    assert (await found_at(git, tree.folder)).object_format == "sha256"


async def test_drivers_of_an_untrusted_repository_have_no_program(git: Git, tree: Tree) -> None:
    for key in ("filter.a.b.clean", "filter.c.process", "merge.m.driver", "diff.d.textconv"):
        tree.git("config", key, "touch /canary")
    found = await discover(git, tree.folder, Trust.UNTRUSTED)
    assert isinstance(found, Repository)
    neutral = dict(found.neutral)
    assert neutral["filter.a.b.clean"] == neutral["filter.c.process"] == ""
    assert neutral["merge.m.driver"] == "false"
    assert neutral["diff.d.textconv"] == ""
    assert (await found_at(git, tree.folder)).neutral == ()
