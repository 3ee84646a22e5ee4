"""Plain git as the second witness: it works in the user's repository, which is then put back."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from attrs import frozen

from tests.adapters.git.bench import Tree
from tests.adapters.git.scenarios.scenario import Made, Scenario, contents

# What decides about no object: how it is stored, and warnings that would be errors.
_CONFIG = {
    "core.safecrlf": "false",
    "core.fsmonitor": "false",
    "core.bigFileThreshold": "1",
    "core.compression": "0",
    "advice.addEmbeddedRepo": "false",
}
# A work tree of its own has this disk, whatever the repository says of the disk of another.
_DISK = ("core.fileMode=true", "core.ignoreCase=false", "core.symlinks=true")
PLAIN = tuple(word for key, value in _CONFIG.items() for word in ("-c", f"{key}={value}"))


@frozen
class Witness:
    """What plain git makes of a scenario: trees, files of a checkout, the merge or None."""

    base: str
    files: dict[bytes, tuple[str, bytes]]
    proposal: str
    live: str
    merged: str | None


def witness(scenario: Scenario, made: Made, beside: Path, absent: tuple[bytes, ...]) -> Witness:
    """Let git add, check out, commit and merge; the user's edit stays in the work tree.

    ``absent`` are submodules, whose files are not compared.
    """
    with put_back(made, beside):
        tree = made.tree
        base = _added(scenario, tree)
        on_base = _commit(tree, base, "HEAD")
        here = {**tree.environment, **_disk()}
        checkout = Tree(beside / "checkout", here)
        adding = ("worktree", "add", "-q", "--detach", str(checkout.folder), on_base)
        Tree(tree.folder, here).git(*adding)
        files = contents(checkout.folder, absent)
        scenario.agent(checkout)
        proposal = _all(checkout)
        scenario.user(tree)
        live = _added(scenario, tree)
        merged = _merged(scenario, checkout, on_base, proposal, live)
        return Witness(base, files, proposal, live, merged)


def _disk() -> dict[str, str]:
    variables = {"GIT_CONFIG_COUNT": str(len(_DISK))}
    for number, (key, _, value) in enumerate(one.partition("=") for one in _DISK):
        variables |= {f"GIT_CONFIG_KEY_{number}": key, f"GIT_CONFIG_VALUE_{number}": value}
    return variables


@contextmanager
def put_back(made: Made, beside: Path) -> Iterator[None]:
    """Put the git directories back as they were, with their times."""
    copies = {one: beside / f"copy-{number}" for number, one in enumerate(made.git_dirs)}
    for one, copy in copies.items():
        shutil.copytree(one, copy, symlinks=True)
    try:
        yield
    finally:
        for one, copy in copies.items():
            shutil.rmtree(one)
            shutil.copytree(copy, one, symlinks=True)


def _added(scenario: Scenario, tree: Tree) -> str:
    scenario.plain_first(tree)
    left = [b":(exclude,literal)" + path for path in scenario.left_out]
    tree.git(*PLAIN, "add", "-A", "--sparse", "--", b".", *left)
    return _text(tree.git("write-tree"))


def _all(checkout: Tree) -> str:
    checkout.git(*PLAIN, "add", "-A", "--sparse")
    return _text(checkout.git("write-tree"))


def _commit(tree: Tree, of: str, parent: str) -> str:
    exists = tree.git("rev-parse", "--verify", "-q", parent, check=False)
    on = ("-p", _text(exists)) if exists else ()
    return _text(tree.git("commit-tree", of, *on, "-m", "witness"))


def _merged(scenario: Scenario, checkout: Tree, base: str, proposal: str, live: str) -> str | None:
    theirs = _commit(checkout, proposal, base)
    ours = _commit(checkout, live, base)
    checkout.git("checkout", "-q", "-f", "--detach", ours)
    config = [word for one in scenario.merge_config for word in ("-c", one)]
    checkout.git(*config, "merge", "-q", "-m", "witness", theirs, check=False)
    if checkout.git("ls-files", "--unmerged"):
        return None
    return _text(checkout.git("rev-parse", "HEAD^{tree}"))


def _text(output: bytes) -> str:
    return output.decode().strip()
