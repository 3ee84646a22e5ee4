"""Repositories that hold others: submodules and plain nested ones."""

from __future__ import annotations

from sennit.core.objects import LeftOutReason
from tests.adapters.git.bench import Tree
from tests.adapters.git.scenarios.scenario import Made, Room, Scenario, made

NESTED = {b"nested": LeftOutReason.NESTED_REPOSITORY}


def with_submodule(room: Room) -> Tree:
    library = room.tree("library")
    library.write("code.c", "int a;\n")
    library.commit("first of the library")
    tree = room.started()
    tree.git("submodule", "--quiet", "add", str(library.folder), "lib/one")
    tree.commit("with a submodule")
    return tree


def clean(room: Room) -> Made:
    tree = with_submodule(room)
    tree.write("src/new.py", "new\n")
    return made(tree)


def moved(room: Room) -> Made:
    tree = with_submodule(room)
    inside = room.at(tree.path("lib/one"))
    inside.write("code.c", "int b;\n")
    inside.commit("second, here alone")
    return made(tree)


def dirty(room: Room) -> Made:
    tree = with_submodule(room)
    tree.write("lib/one/code.c", "int dirty;\n")
    tree.write("lib/one/untracked", "untracked\n")
    return made(tree)


def uninitialised(room: Room) -> Made:
    origin = with_submodule(room)
    origin.git("clone", "-q", "--template=", str(origin.folder), str(room.folder / "clone"))
    return made(room.at(room.folder / "clone"))


def nested_with_commits(room: Room) -> Made:
    tree = room.started()
    inside = room.tree("repo/nested")
    inside.write("a", "a\n")
    inside.commit()
    return made(tree, inside.path(".git"))


def nested_without_commits(room: Room) -> Made:
    tree = room.started()
    inside = room.tree("repo/nested")
    inside.write("a", "a\n")
    tree.write("beside", "beside\n")
    return made(tree, inside.path(".git"))


SCENARIOS = {
    "submodule, clean": Scenario(clean),
    "submodule, moved": Scenario(moved),
    "submodule, dirty": Scenario(dirty),
    "submodule, uninitialised": Scenario(uninitialised),
    "nested repository with commits": Scenario(nested_with_commits, left_out=NESTED),
    "nested repository without commits": Scenario(nested_without_commits, left_out=NESTED),
}
