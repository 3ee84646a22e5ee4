"""Sets the stage: a copy of this project's own repository with work of a user in it."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType

from attrs import frozen

import sennit
import sennit_protocol
from sennit.cli.demo.scenario import (
    DRAFT,
    DRAFT_FILE,
    MODIFIED_LINE,
    RENAMED_FILE,
    STAGED_FILE,
    STAGED_LINE,
)
from sennit.cli.exits import Exit
from sennit.cli.failures import CommandError

GIT_LIMIT_S = 60.0
_AUTHOR = ("-c", "user.name=Demo", "-c", "user.email=demo@localhost", "-c", "commit.gpgsign=false")
# Git would go on to tidy up in the background, in a folder that is compared, and is gone soon.
_ALONE = ("-c", "maintenance.auto=false")


@frozen
class Stage:
    """Where the demonstration happens; all of it lies in one temporary folder.

    ``source`` says in a sentence what the repository is a copy of.
    """

    folder: Path
    repository: Path
    source: str
    environment: Mapping[str, str]


def set_stage(folder: Path) -> Stage:
    """Make repository and environment in the empty ``folder``, and the user's work in them."""
    repository = folder / "repository"
    environment = _environment(folder)
    checkout = checkout_of_this_project()
    if checkout is None:
        source = "A small repository made from the installed package"
        _make_repository(repository, environment)
    else:
        source = "A copy of this very repository"
        _copy_repository(checkout, repository, environment)
    _do_what_users_do(repository, environment)
    return Stage(folder, repository, source, environment)


def checkout_of_this_project() -> Path | None:
    """Find the checkout that this package runs from; ``None`` for an installed package."""
    root = _folder_of(sennit).parents[1]
    is_checkout = (root / ".git").exists() and (root / RENAMED_FILE).exists()
    return root if is_checkout else None


def _folder_of(package: ModuleType) -> Path:
    return Path(package.__path__[0]).resolve()


def _copy_repository(checkout: Path, copy: Path, environment: Mapping[str, str]) -> None:
    """Clone, then bring over what is not committed yet, so that the code shown is the code run."""
    clone = ["clone", "--quiet", "--no-hardlinks", str(checkout), str(copy)]
    git(clone, copy.parent, environment)
    git(["config", "core.hooksPath", os.devnull], copy, environment)
    tracked = _listed(checkout, environment, ["ls-files", "-z", "--cached"])
    others = _listed(checkout, environment, ["ls-files", "-z", "--others", "--exclude-standard"])
    for name in tracked | others:
        _bring_over(checkout, copy, name)
    _commit_everything(copy, environment)


def _make_repository(repository: Path, environment: Mapping[str, str]) -> None:
    git(["init", "--quiet", str(repository)], repository.parent, environment)
    ignored = shutil.ignore_patterns("__pycache__", "*.pyc")
    for package, place in ((sennit, "rpc_server"), (sennit_protocol, "protocol")):
        origin = _folder_of(package)
        shutil.copytree(origin, repository / place / origin.name, ignore=ignored)
    (repository / STAGED_FILE).write_text("A repository for the demonstration.\n")
    _commit_everything(repository, environment)


def _do_what_users_do(repository: Path, environment: Mapping[str, str]) -> None:
    _append(repository / STAGED_FILE, STAGED_LINE)
    git(["add", STAGED_FILE], repository, environment)
    _append(repository / RENAMED_FILE, MODIFIED_LINE)
    draft = repository / DRAFT_FILE
    draft.parent.mkdir(exist_ok=True)
    draft.write_text(DRAFT, encoding="utf-8")


def _append(path: Path, text: str) -> None:
    with path.open("a", encoding="utf-8") as file:
        file.write(text)


def _bring_over(checkout: Path, copy: Path, name: bytes) -> None:
    origin, target = (Path(os.fsdecode(os.path.join(os.fsencode(top), name)))  # noqa: PTH118  names are bytes
                      for top in (checkout, copy))  # fmt: skip
    if origin.is_symlink() or not origin.is_file():
        if not origin.exists():
            target.unlink(missing_ok=True)
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    if not target.exists() or target.read_bytes() != origin.read_bytes():
        shutil.copy(origin, target)


def _listed(folder: Path, environment: Mapping[str, str], arguments: Sequence[str]) -> set[bytes]:
    return {each for each in git(arguments, folder, environment).split(b"\0") if each}


def _commit_everything(folder: Path, environment: Mapping[str, str]) -> None:
    git(["add", "--all"], folder, environment)
    message = ("--message", "Where the demo begins")
    commit = [*_AUTHOR, *_ALONE, "commit", "--quiet", "--allow-empty", *message]
    git(commit, folder, environment)


def _environment(folder: Path) -> Mapping[str, str]:
    """Keep the user's own settings, of git and of Sennit, out of the demonstration."""
    dropped = ("GIT_", "SENNIT_")
    kept = {name: text for name, text in os.environ.items() if not name.startswith(dropped)}
    return {
        **kept,
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "SENNIT_STATE_DIR": str(folder / "state"),
        "SENNIT_CONFIG_DIR": str(folder / "config"),
    }


def git(arguments: Sequence[str], folder: Path, environment: Mapping[str, str]) -> bytes:
    """Run git and give its output; raises `CommandError` with what git said."""
    try:
        done = subprocess.run(
            ["git", *arguments],  # noqa: S607  the user's git is wanted
            cwd=folder,
            env=environment,
            capture_output=True,
            check=True,
            timeout=GIT_LIMIT_S,
        )
    except FileNotFoundError as error:
        raise CommandError("git was not found: install it first.", Exit.PARTLY) from error
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as error:
        said = (error.stderr or b"").decode(errors="replace").strip()
        raise CommandError(f"git {arguments[0]} failed in {folder}: {said}", Exit.PARTLY) from error
    return done.stdout
