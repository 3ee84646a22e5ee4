"""Repositories whose index has another form, or says less than is true."""

from __future__ import annotations

from tests.adapters.git.bench import Tree
from tests.adapters.git.scenarios.scenario import Made, Room, Scenario, made


def touched(tree: Tree) -> Made:
    """Change, stage and add files on top of whatever the index is."""
    tree.write("src/new.py", "new\n")
    tree.write("staged", "staged\n")
    tree.git("add", "--sparse", "staged")
    tree.write("README", "hello\n")
    tree.write("src/b.py", "changed\n")
    return made(tree)


def with_folders(room: Room) -> Tree:
    tree = room.started()
    for name in ("src/b.py", "docs/deep/b", "docs/c", "other/d"):
        tree.write(name, f"{name}\n")
    tree.commit()
    return tree


def sparse_cone(room: Room) -> Made:
    tree = with_folders(room)
    tree.git("sparse-checkout", "set", "--cone", "src", "agent")
    return touched(tree)


def sparse_patterns(room: Room) -> Made:
    tree = with_folders(room)
    tree.git("sparse-checkout", "set", "--no-cone", "/*", "!/docs/deep/", "!/other/")
    return touched(tree)


def sparse_index(room: Room) -> Made:
    tree = with_folders(room)
    tree.git("sparse-checkout", "set", "--cone", "--sparse-index", "src", "agent")
    return touched(tree)


def split_index(room: Room) -> Made:
    tree = with_folders(room)
    tree.git("update-index", "--split-index")
    return touched(tree)


def untracked_cache(room: Room) -> Made:
    tree = with_folders(room)
    tree.git("config", "core.untrackedCache", "true")
    tree.git("update-index", "--untracked-cache")
    tree.git("status", "-s")
    return touched(tree)


def watched(room: Room, answer: str) -> Made:
    tree = with_folders(room)
    hook = room.folder / "watchman"
    hook.write_text(f"#!/bin/sh\nprintf 'token\\0{answer}'\n")
    hook.chmod(0o755)
    tree.git("config", "core.fsmonitor", str(hook))
    tree.git("update-index", "--fsmonitor")
    tree.git("status", "-s")
    return touched(tree)


def honest_monitor(room: Room) -> Made:
    return watched(room, "/\\0")


def lying_monitor(room: Room) -> Made:
    return watched(room, "")


def version_four(room: Room) -> Made:
    tree = with_folders(room)
    tree.git("update-index", "--index-version", "4")
    return touched(tree)


def without_a_hash(room: Room) -> Made:
    tree = with_folders(room)
    made_ = touched(tree)
    index = tree.path(".git/index")
    # What index.skipHash writes, which older versions of git read too.
    index.write_bytes(index.read_bytes()[:-20] + bytes(20))
    return made_


def intent_to_add(room: Room) -> Made:
    tree = with_folders(room)
    tree.write("intended", "intended\n")
    tree.write("empty", "")
    tree.git("add", "--intent-to-add", "intended", "empty")
    return made(tree)


def assume_unchanged(room: Room) -> Made:
    tree = with_folders(room)
    tree.git("update-index", "--assume-unchanged", "src/b.py", "docs/c")
    tree.write("src/b.py", "changed all the same\n")
    tree.path("docs/c").unlink()
    return made(tree)


def look_again(tree: Tree) -> None:
    tree.git("update-index", "--no-assume-unchanged", "src/b.py")


def skip_worktree(room: Room) -> Made:
    tree = with_folders(room)
    tree.git("update-index", "--skip-worktree", "src/b.py", "docs/c")
    tree.write("src/b.py", "changed all the same\n")
    tree.path("docs/c").unlink()
    return made(tree)


def look_at_all(tree: Tree) -> None:
    tree.git("update-index", "--no-skip-worktree", "src/b.py")


def tracked_but_ignored(room: Room) -> Made:
    tree = with_folders(room)
    tree.write(".gitignore", "*.log\nbuild/\n")
    tree.write("kept.log", "kept\n")
    tree.write("build/kept", "kept\n")
    tree.git("add", "-f", "kept.log", "build/kept")
    tree.commit()
    tree.write("kept.log", "changed\n")
    tree.write("build/kept", "changed\n")
    tree.write("new.log", "ignored\n")
    tree.write("build/new", "ignored\n")
    return made(tree)


def works_on_ignored(tree: Tree) -> None:
    tree.write("kept.log", "agent\n")
    tree.path("build/kept").unlink()


def excludes(room: Room) -> Made:
    tree = with_folders(room)
    tree.write(".gitignore", "*.o\n!important.o\n/out/*\n!/out/keep\n")
    tree.write("src/.gitignore", "!deep.o\n")
    tree.write(".git/info/exclude", "private*\n")
    room.folder.joinpath("excludes").write_text("*.swp\n")
    tree.git("config", "core.excludesFile", str(room.folder / "excludes"))
    for name in ("a.o", "important.o", "out/x", "out/keep", "src/deep.o", "private1", ".a.swp"):
        tree.write(name, "x\n")
    return made(tree)


SCENARIOS = {
    "sparse checkout by cone": Scenario(sparse_cone),
    "sparse checkout by patterns": Scenario(sparse_patterns),
    "sparse index": Scenario(sparse_index),
    "split index": Scenario(split_index),
    "untracked cache": Scenario(untracked_cache),
    "file system monitor": Scenario(honest_monitor),
    "file system monitor that lies": Scenario(lying_monitor),
    "index version 4": Scenario(version_four),
    "index without a hash": Scenario(without_a_hash),
    "intent to add": Scenario(intent_to_add),
    "assume-unchanged": Scenario(assume_unchanged, plain_first=look_again),
    "skip-worktree": Scenario(skip_worktree, plain_first=look_at_all),
    "tracked but ignored": Scenario(tracked_but_ignored, works_on_ignored),
    "excludes and negations": Scenario(excludes),
}
