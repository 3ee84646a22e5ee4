"""Repositories in which what the agent did meets what the user did in special ways."""

from __future__ import annotations

import shutil
from collections.abc import Callable

from tests.adapters.git.bench import Tree
from tests.adapters.git.scenarios.scenario import LINES, Made, Room, Scenario, made

FIRST = LINES.replace("line 3\n", "three\n")
SECOND = LINES.replace("line 15\n", "fifteen\n")


def plain(room: Room) -> Made:
    tree = room.started()
    for name in ("folder/a", "folder/b", "folder/c"):
        tree.write(name, f"{name}\n" * 12)
    tree.write("run", "#!/bin/sh\n", mode=0o755)
    tree.commit()
    return made(tree)


def driven(room: Room) -> Made:
    tree = room.started()
    # Takes both sides, one after the other.
    driver = room.folder / "driver"
    driver.write_text('#!/bin/sh\ncat "$2" "$3" > "$2.all" && mv "$2.all" "$2"\n')
    driver.chmod(0o755)
    tree.git("config", "merge.both.driver", f"{driver} %O %A %B")
    tree.write(".gitattributes", "*.list merge=both\n")
    tree.write("a.list", "base\n")
    tree.commit()
    return made(tree)


def united(room: Room) -> Made:
    tree = room.started()
    tree.write(".gitattributes", "*.log merge=union\n")
    tree.write("changes.log", "base\n")
    tree.commit()
    return made(tree)


def writes(name: str, content: str) -> Callable[[Tree], None]:
    """Give the edit that writes one file."""

    def work(tree: Tree) -> None:
        tree.write(name, content)

    return work


def renames(source: str, target: str, content: str | None = None) -> Callable[[Tree], None]:
    """Give the edit that renames one path, and writes the file anew when there is content."""

    def work(tree: Tree) -> None:
        # A layer that a test mounts itself has nobody who renames folders of the layer below.
        shutil.move(tree.path(source), tree.path(target))
        if content is not None:
            tree.write(target, content)

    return work


def other_modes(tree: Tree) -> None:
    tree.path("README").chmod(0o755)
    tree.path("run").chmod(0o644)


SCENARIOS = {
    "custom merge driver": Scenario(
        driven, writes("a.list", "base\nagent\n"), writes("a.list", "base\nuser\n")
    ),
    "merge=union": Scenario(
        united, writes("changes.log", "base\nagent\n"), writes("changes.log", "base\nuser\n")
    ),
    "rename plus edit": Scenario(
        plain, renames("src/a.py", "src/z.py", FIRST), writes("src/a.py", SECOND)
    ),
    "edit of what the user renamed": Scenario(
        plain, writes("src/a.py", FIRST), renames("src/a.py", "src/z.py", SECOND)
    ),
    "both renamed in the same way": Scenario(
        plain,
        renames("src/a.py", "src/z.py", FIRST),
        renames("src/a.py", "src/z.py", SECOND),
    ),
    "both renamed in different ways": Scenario(
        plain,
        renames("src/a.py", "src/y.py", FIRST),
        renames("src/a.py", "src/z.py", SECOND),
        conflict=True,
    ),
    "folder renamed against an addition": Scenario(
        plain,
        renames("folder", "renamed"),
        writes("folder/new", "new\n"),
        conflict=True,
        merge_config=("merge.directoryRenames=conflict",),
    ),
    "modes alone": Scenario(plain, other_modes, writes("README", "hello\nuser\n")),
}
