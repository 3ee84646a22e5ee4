"""Repositories whose git directory, objects or history lie in another way."""

from __future__ import annotations

from tests.adapters.git.bench import Tree
from tests.adapters.git.scenarios.scenario import (
    Made,
    Room,
    Scenario,
    agent_works,
    fill,
    made,
)


def dirty(tree: Tree) -> Tree:
    tree.write("staged", "staged\n")
    tree.git("add", "--sparse", "staged")
    tree.write("untracked", "untracked\n")
    return tree


def sha256(room: Room) -> Made:
    return made(dirty(room.started("repo", "--object-format=sha256")))


def shallow(room: Room) -> Made:
    origin = room.started("origin")
    origin.commit("second")
    origin.git(
        "clone",
        "-q",
        "--template=",
        "--depth=1",
        f"file://{origin.folder}",
        str(room.folder / "repo"),
    )
    return made(dirty(room.at(room.folder / "repo")), origin.path(".git"))


def partial(room: Room) -> Made:
    """Make a clone in which the blobs outside of the sparse patterns are missing."""
    origin = room.started("origin")
    origin.git("config", "uploadpack.allowFilter", "true")
    for name in ("docs/b", "docs/c"):
        origin.write(name, f"{name}\n")
    origin.commit()
    clone = (
        "clone",
        "-q",
        "--template=",
        "--filter=blob:none",
        "--sparse",
        f"file://{origin.folder}",
    )
    origin.git(*clone, str(room.folder / "repo"))
    tree = room.at(room.folder / "repo")
    tree.git("sparse-checkout", "set", "src", "agent")
    # Nothing may ever be fetched, so nothing can be.
    tree.git("config", "remote.origin.url", "file:///nowhere")
    return made(dirty(tree))


def alternates(room: Room) -> Made:
    origin = room.started("origin")
    origin.git(
        "clone", "-q", "--template=", "--shared", str(origin.folder), str(room.folder / "repo")
    )
    return made(dirty(room.at(room.folder / "repo")), origin.path(".git"))


def relative_alternates(room: Room) -> Made:
    started = alternates(room)
    file = started.tree.path(".git/objects/info/alternates")
    file.write_text("../../../origin/.git/objects\n")
    return started


def worktree_config(room: Room) -> Made:
    tree = room.started()
    tree.git("config", "extensions.worktreeConfig", "true")
    tree.git("config", "--worktree", "core.autocrlf", "true")
    tree.write("dos", "one\r\n")
    return made(dirty(tree))


def linked(room: Room) -> Made:
    main = room.started("main")
    main.git("worktree", "add", "-q", str(room.folder / "repo"))
    tree = dirty(room.at(room.folder / "repo"))
    return Made(tree, (main.path(".git"),))


def separate(room: Room) -> Made:
    """Make a bare repository that names its work tree, which holds a file that leads to it."""
    folder = room.folder / "repo"
    folder.mkdir()
    tree = room.at(folder)
    tree.git("init", "-q", "--template=", "--bare", str(room.folder / "bare.git"))
    tree.write(".git", f"gitdir: {room.folder / 'bare.git'}\n")
    for key, value in (("core.bare", "false"), ("core.worktree", str(folder))):
        tree.git("--git-dir", str(room.folder / "bare.git"), "config", key, value)
    fill(tree)
    tree.commit()
    return Made(dirty(tree), (room.folder / "bare.git",))


def unborn(room: Room) -> Made:
    tree = room.tree("repo")
    fill(tree)
    tree.git("add", "README")
    return made(tree)


def empty_first_commit(room: Room) -> Made:
    tree = room.tree("repo")
    tree.commit("nothing yet")
    fill(tree)
    return made(tree)


def filemode(room: Room) -> Made:
    tree = room.started()
    tree.write("run", "#!/bin/sh\n", mode=0o755)
    tree.commit()
    tree.git("config", "core.fileMode", "false")
    tree.path("README").chmod(0o755)
    tree.path("run").chmod(0o644)
    return made(tree)


def sets_modes(tree: Tree) -> None:
    agent_works(tree)
    tree.path("src/a.py").chmod(0o755)
    tree.write("agent/run", "#!/bin/sh\n", mode=0o755)


def no_symlinks(room: Room) -> Made:
    tree = room.started()
    tree.path("link").symlink_to("README")
    tree.commit()
    tree.git("config", "core.symlinks", "false")
    tree.path("link").unlink()
    tree.write("link", "src/a.py")
    return made(tree)


def sets_links(tree: Tree) -> None:
    agent_works(tree)
    tree.path("link").unlink()
    tree.write("link", "a file in the place of a link\n")
    tree.path("agent/link").symlink_to("new.txt")


def ignore_case(room: Room) -> Made:
    tree = room.started()
    tree.write("Name", "name\n")
    tree.commit()
    tree.git("config", "core.ignoreCase", "true")
    tree.write("Name", "changed\n")
    tree.write("Other", "new\n")
    return made(tree)


def spells_otherwise(tree: Tree) -> None:
    """Rename by case alone, and commit it as agents do."""
    agent_works(tree)
    tree.git("mv", "Name", "name")
    tree.path("Src").mkdir()
    tree.git("mv", "src/a.py", "Src/a.py")
    tree.git("commit", "-q", "-m", "the agent's")


def copied_from_a_disk_that_folds_case(room: Room) -> Made:
    tree = room.started()
    tree.git("config", "core.ignoreCase", "true")
    tree.write("Readme", "never added\n")
    tree.write("SRC/b.py", "b = 1\n")
    tree.path("gone.txt").rename(tree.path("GONE.txt"))
    tree.write("gone.txt", "came back\n")
    return made(tree)


def tells_case_apart(tree: Tree) -> None:
    tree.git("config", "core.ignoreCase", "false")


def writes_beside(tree: Tree) -> None:
    """Write files that case alone tells from others, and commit one of them as agents do."""
    agent_works(tree)
    tree.write("Readme", "the agent's\n")
    tree.write("README.MD", "new\n")
    tree.write("readme.md", "another\n")
    tree.write("sRC/b.py", "b = 2\n")
    tree.git("add", "sRC")
    tree.git("commit", "-q", "-m", "the agent's")


def precomposed(room: Room) -> Made:
    tree = room.started()
    tree.git("config", "core.precomposeUnicode", "true")
    for name in ("\u00e4", "a\u0308 apart", "\ufb01"):
        tree.write(name, "x\n")
    return made(tree)


SCENARIOS = {
    "sha256": Scenario(sha256),
    "shallow clone": Scenario(shallow),
    "partial clone with missing blobs": Scenario(partial),
    "alternates": Scenario(alternates),
    "relative alternates": Scenario(relative_alternates),
    "worktreeConfig": Scenario(worktree_config),
    "linked worktree": Scenario(linked),
    "bare repository with core.worktree": Scenario(separate),
    "unborn HEAD": Scenario(unborn),
    "empty first commit": Scenario(empty_first_commit),
    "core.fileMode is false": Scenario(filemode, sets_modes),
    "core.symlinks is false": Scenario(no_symlinks, sets_links),
    "core.ignoreCase": Scenario(ignore_case, spells_otherwise),
    "core.ignoreCase on a disk that tells case apart": Scenario(
        copied_from_a_disk_that_folds_case, writes_beside, plain_first=tells_case_apart
    ),
    "core.precomposeUnicode": Scenario(precomposed),
}
