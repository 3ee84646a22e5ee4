"""Repositories as newer gits make them, and settings that only these know."""

from __future__ import annotations

from pathlib import Path

from tests.adapters.git.bench import Tree
from tests.adapters.git.scenarios import under_way
from tests.adapters.git.scenarios.layouts import dirty
from tests.adapters.git.scenarios.nested import with_submodule
from tests.adapters.git.scenarios.scenario import (
    LINES,
    Made,
    Room,
    Scenario,
    agent_works,
    fill,
    made,
)


def reftable(room: Room) -> Made:
    return made(dirty(room.started("repo", "--ref-format=reftable")))


def sha256_with_reftable(room: Room) -> Made:
    return made(dirty(room.started("repo", "--object-format=sha256", "--ref-format=reftable")))


def picking_with_reftable(room: Room) -> Made:
    tree = under_way.apart(room, "--ref-format=reftable")
    tree.git("cherry-pick", "side", check=False)
    tree.write("both", "resolved, not yet added\n")
    return made(tree)


def reverting_with_reftable(room: Room) -> Made:
    tree = under_way.apart(room, "--ref-format=reftable")
    tree.git("revert", "--no-edit", "HEAD~1", check=False)
    tree.write("both", "resolved, not yet added\n")
    return made(tree)


def linked_with_reftable(room: Room) -> Made:
    main = room.started("main", "--ref-format=reftable")
    main.git("worktree", "add", "-q", str(room.folder / "repo"))
    return Made(dirty(room.at(room.folder / "repo")), (main.path(".git"),))


def migrated_to_reftable(room: Room) -> Made:
    tree = room.started()
    tree.git("tag", "-a", "-m", "annotated", "v1")
    tree.git("refs", "migrate", "--ref-format=reftable")
    return made(dirty(tree))


def refs_elsewhere(room: Room) -> Made:
    tree = room.tree("repo")
    folder = room.folder / "refs elsewhere"
    folder.mkdir()
    tree.path(".git").rename(room.folder / "old")
    environment = {**tree.environment, "GIT_REFERENCE_BACKEND": f"reftable://{folder}"}
    Tree(tree.folder, environment).git("init", "-q", "--template=")
    fill(tree)
    tree.commit("first")
    return made(dirty(tree))


def relative_worktree(room: Room) -> Made:
    main = room.started("main")
    main.git("config", "worktree.useRelativePaths", "true")
    main.git("worktree", "add", "-q", "../repo")
    tree = room.at(room.folder / "repo")
    assert not Path(tree.path(".git").read_text().removeprefix("gitdir: ")).is_absolute()
    return Made(dirty(tree), (main.path(".git"),))


def no_bare_repositories(room: Room) -> Made:
    tree = with_submodule(room)
    # What keeps git from a bare repository in a folder keeps it from none that is named.
    tree.git("config", "--global", "safe.bareRepository", "explicit")
    tree.write("src/new.py", "new\n")
    return made(tree)


def layered_indexes_of_packs(room: Room) -> Made:
    tree = room.started()
    for number in range(3):
        tree.write("count", f"{number}\n")
        tree.commit(f"number {number}")
        tree.git("repack", "-q", "-d")
        tree.git("multi-pack-index", "write", "--incremental")
    assert tree.path(".git/objects/pack/multi-pack-index.d").is_dir()
    return made(dirty(tree))


def many_files(room: Room) -> Made:
    tree = room.tree("repo")
    for key in ("feature.manyFiles", "feature.experimental", "index.skipHash", "core.lockfilePid"):
        tree.git("config", key, "true")
    fill(tree)
    tree.commit("first")
    tree.git("status", "-s")
    assert tree.path(".git/index").read_bytes()[-20:] == bytes(20)
    return made(dirty(tree))


def cruft(room: Room) -> Made:
    tree = room.started()
    for number in range(3):
        tree.write("dropped", f"{number}\n")
        tree.git("add", "dropped")
    tree.git("reset", "-q", "--hard")
    tree.git("gc", "-q", "--cruft", "--prune=never")
    assert list(tree.path(".git/objects/pack").glob("*.mtimes"))
    return made(dirty(tree))


def optional_files(room: Room) -> Made:
    """Name a file of attributes and one of patterns that may be missing, and are there."""
    tree = room.started()
    attributes, patterns = room.folder / "attributes", room.folder / "patterns"
    attributes.write_text("*.dos eol=crlf text\n")
    patterns.write_text("*.swp\n")
    tree.git("config", "core.attributesFile", f":(optional){attributes}")
    tree.git("config", "core.excludesFile", f":(optional){patterns}")
    tree.write("a.dos", "one\r\n")
    tree.commit()
    tree.write("b.dos", "two\r\n")
    tree.write("c.swp", "ignored\n")
    return made(tree)


def names_paths_of_submodules(room: Room) -> Made:
    library = room.tree("library")
    library.write("code.c", "int a;\n")
    library.commit("first of the library")
    tree = room.started()
    tree.git("config", "core.repositoryFormatVersion", "1")
    tree.git("config", "extensions.submodulePathConfig", "true")
    adding = ("submodule", "--quiet", "add", "--name", "Lib/One", str(library.folder), "lib/one")
    tree.git(*adding)
    tree.commit("with a submodule")
    tree.write("src/new.py", "new\n")
    return made(tree)


def ignores_a_submodule(room: Room) -> Made:
    tree = with_submodule(room)
    tree.git("config", "submodule.lib/one.ignore", "all")
    inside = room.at(tree.path("lib/one"))
    inside.write("code.c", "int b;\n")
    inside.commit("second, here alone")
    tree.write("src/new.py", "new\n")
    return made(tree)


def attributes_of_a_tree(room: Room, where: str) -> Made:
    tree = room.started()
    tree.write(".gitattributes", "*.dos text eol=crlf\n")
    tree.write("a.dos", "one\r\n")
    tree.commit()
    tree.git("config", where, "attr.tree", "HEAD")
    tree.write(".gitattributes", "*.dos -text\n")
    tree.write("a.dos", "one\r\ntwo\r\n")
    return made(tree)


def attributes_of_head(room: Room) -> Made:
    return attributes_of_a_tree(room, "--local")


def attributes_of_head_everywhere(room: Room) -> Made:
    return attributes_of_a_tree(room, "--global")


def words_of_its_own(room: Room) -> Made:
    """Say whatever changes how git shows, compares and merges."""
    tree = room.started()
    for key, value in {
        "diff.noPrefix": "true",
        "diff.srcPrefix": "before/",
        "diff.dstPrefix": "after/",
        "diff.context": "0",
        "diff.interHunkContext": "9",
        "diff.renames": "copies",
        "diff.algorithm": "patience",
        "diff.relative": "true",
        "diff.orderFile": "/dev/null",
        "diff.ignoreSubmodules": "all",
        "diff.python.algorithm": "minimal",
        "diff.indentHeuristic": "false",
        "merge.renames": "false",
        "merge.directoryRenames": "true",
        "merge.renormalize": "true",
        "merge.conflictStyle": "zdiff3",
        "merge.verbosity": "0",
        "status.showUntrackedFiles": "no",
        "status.relativePaths": "false",
        "status.renames": "copies",
        "status.compareBranches": "@{upstream} @{push}",
        "status.short": "true",
        "log.showSignature": "true",
        "log.mailmap": "false",
        "log.date": "relative",
        "log.decorate": "full",
        "core.quotePath": "false",
        "core.abbrev": "4",
        "core.commentString": ";;",
        "core.maxTreeDepth": "64",
        "submodule.propagateBranches": "true",
        "submodule.recurse": "true",
        "grep.patternType": "perl",
        "pack.usePathWalk": "true",
        "pack.writeReverseIndex": "false",
        "index.sparse": "true",
        "index.threads": "1",
        "advice.mergeConflict": "false",
        "advice.submoduleMergeConflict": "false",
        "init.defaultRefFormat": "reftable",
        "init.defaultObjectFormat": "sha256",
        "color.ui": "always",
        "column.ui": "always",
        "help.autocorrect": "immediate",
    }.items():
        tree.git("config", key, value)
        tree.git("config", "--global", key, value)
    tree.write(".gitattributes", "*.py diff=python\n")
    tree.commit()
    return made(dirty(tree))


def renames_and_works(tree: Tree) -> None:
    agent_works(tree)
    tree.write("src/moved.py", LINES.replace("line 3\n", "three\n"))
    tree.path("src/a.py").unlink()


SCENARIOS = {
    "reftable": Scenario(reftable, needs_git=(2, 45)),
    "reftable and SHA-256": Scenario(sha256_with_reftable, needs_git=(2, 45)),
    "reftable, cherry-pick in progress": Scenario(
        picking_with_reftable, in_progress="cherry-pick", needs_git=(2, 45)
    ),
    "reftable, revert in progress": Scenario(
        reverting_with_reftable, in_progress="revert", needs_git=(2, 45)
    ),
    "reftable, linked worktree": Scenario(linked_with_reftable, needs_git=(2, 45)),
    "migrated to reftable": Scenario(migrated_to_reftable, needs_git=(2, 48)),
    "refs in another folder": Scenario(refs_elsewhere, needs_git=(2, 54)),
    "linked worktree by a relative path": Scenario(relative_worktree, needs_git=(2, 48)),
    "safe.bareRepository": Scenario(no_bare_repositories),
    "layered indexes of packs": Scenario(layered_indexes_of_packs, needs_git=(2, 50)),
    "feature.manyFiles": Scenario(many_files, needs_git=(2, 40)),
    "pack of what is dropped": Scenario(cruft),
    "optional files": Scenario(optional_files, needs_git=(2, 52)),
    "paths of submodules by configuration": Scenario(names_paths_of_submodules, needs_git=(2, 54)),
    "ignored submodule": Scenario(ignores_a_submodule),
    "attr.tree": Scenario(attributes_of_head, needs_git=(2, 43)),
    "attr.tree of the user": Scenario(attributes_of_head_everywhere, needs_git=(2, 43)),
    "settings of how git shows and merges": Scenario(
        words_of_its_own,
        renames_and_works,
        merge_config=(
            "merge.renames=true",
            "merge.directoryRenames=conflict",
            "merge.renormalize=false",
            "diff.renames=true",
            "diff.algorithm=histogram",
        ),
    ),
}
