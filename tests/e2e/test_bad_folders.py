"""Folders that no task can work in are refused, with what to do."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.e2e.scene import Client, Machine, Repo, problems, sh, task

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(180)]


@pytest.mark.parametrize("kind", ["missing", "no repository", "bare", "git folder"])
def test_a_folder_that_is_no_repository_is_refused_with_what_to_do(
    machine: Machine, server: Client, repo: Repo, kind: str
) -> None:
    folder = machine.root / "odd"
    if kind == "git folder":
        folder = repo.folder / ".git"
    elif kind != "missing":
        folder.mkdir()
    if kind == "bare":
        repo.git("clone", "-q", "--bare", ".", str(folder / "x.git"))
        folder /= "x.git"
        repo.watch()
    error = server.refused("dispatch", tasks=[task("one", "true", cwd=str(folder))])
    message = problems(error)["tasks[0].cwd"]
    words = {
        "missing": "exist",
        "no repository": "repository",
        "bare": "work tree",
        "git folder": ".git",
    }  # fmt: skip
    assert words[kind] in message.lower()
    assert server.ask("tickets")["tickets"] == []
    assert server.run(task("one", "true"))["state"] == "completed"


def test_a_file_stands_for_its_folder_or_is_refused(server: Client, repo: Repo) -> None:
    answer = server.call(
        "sennit/dispatch", {"tasks": [task("one", "pwd", cwd=str(repo.folder / "a.txt"))]}
    )
    message = problems(answer["error"])["tasks[0].cwd"]
    assert "folder" in message


def test_a_git_that_cannot_merge_is_refused_before_anything_starts(
    machine: Machine, repo: Repo
) -> None:
    programs = machine.root / "programs"
    programs.mkdir()
    path = machine.environment["PATH"]
    script = (
        f'#!/bin/sh\ncase "$*" in version) echo git version 2.30.2; exit;; esac\n'
        f'PATH="{path}" exec git "$@"\n'
    )
    (programs / "git").write_text(script)
    (programs / "git").chmod(0o755)
    machine.variables["PATH"] = f"{programs}:{path}"
    error = machine.serve(repo).refused("dispatch", tasks=[task("one", sh("true"))])
    assert error["code"] == 9
    assert "git version 2.30.2 is too old. Install git 2.38" in error["message"]


def test_a_repository_of_another_owner_is_refused(machine: Machine, server: Client) -> None:
    other = machine.repo("other")
    for place, folders, names in os.walk(other.folder):
        for name in (".", *folders, *names):
            os.lchown(Path(place) / name, 12345, 12345)
    machine.repos.remove(other)
    error = server.refused("dispatch", tasks=[task("one", "true", cwd=str(other.folder))])
    assert "safe.directory" in problems(error)["tasks[0].cwd"]


def test_one_bad_repository_refuses_the_whole_call(machine: Machine, server: Client) -> None:
    plain = machine.root / "plain"
    plain.mkdir()
    server.refused("dispatch", tasks=[task("one", "true"), task("two", "true", cwd=str(plain))])
    assert server.ask("tickets")["tickets"] == []
    assert not list((machine.state / "workspaces").iterdir())
