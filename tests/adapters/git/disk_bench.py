"""A work tree to write into."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from sennit.adapters.git.disk_stage import Job, stage
from sennit.core.disk_application import (
    Staged,
    Unstageable,
)
from sennit.core.objects import GitFailed
from tests.adapters.git.made_trees import (
    Content,
    Executable,
    Files,
    Link,
    Pointer,
    Workbench,
)

CHILD = Path(__file__).with_name("disk_child.py")
ROOT = Path(__file__).parents[3]


def lay_out(work_tree: Path, files: Files) -> None:
    for path, content in files.items():
        where = work_tree / os.fsdecode(path)
        where.parent.mkdir(parents=True, exist_ok=True)
        match content:
            case Link(target):
                where.symlink_to(os.fsdecode(target))
            case Executable(inner):
                where.write_bytes(inner)
                where.chmod(0o755)
            case bytes():
                where.write_bytes(content)
            case Pointer():
                where.mkdir()


def on_disk(work_tree: Path) -> dict[bytes, Content]:
    """Read everything below a work tree but its git directory, folders that are empty too."""
    found: dict[bytes, Content] = {}
    for folder, folders, names in os.walk(os.fsencode(work_tree)):
        if b".git" in folders:
            folders.remove(b".git")
        for name in [*names, *folders]:
            path = Path(os.fsdecode(folder + b"/" + name))
            key = os.fsencode(path.relative_to(work_tree))
            status = path.lstat()
            if stat.S_ISLNK(status.st_mode):
                found[key] = Link(os.fsencode(path.readlink()))
            elif stat.S_ISREG(status.st_mode):
                content = path.read_bytes()
                found[key] = Executable(content) if status.st_mode & 0o100 else content
        if not folders and not names:
            found[os.path.relpath(folder, os.fsencode(work_tree)) + b"/"] = b""
    return found


BEFORE: Files = {
    b"edit": b"one\ntwo\n",
    b"gone/deep/file": b"x\n",
    b"mode": b"#!\n",
    b"link": Link(b"old"),
    b"was-file": b"f\n",
    b"was-folder/a": b"a\n",
    b"was-folder/b/c": b"c\n",
    b"binary": b"\0\1",
    b'name\nwith "odd" \xff': b"x",
    b"keep": b"untouched\r\n",
    b"type": b"text\n",
}
AFTER: Files = {
    b"edit": b"one\n2",
    b"mode": Executable(b"#!\n"),
    b"link": Link(b"new"),
    b"was-file/inside": b"i\n",
    b"was-folder": b"now a file\n",
    b"binary": b"\0\2",
    b'name\nwith "odd" \xff': b"y",
    b"keep": b"untouched\r\n",
    b"type": Link(b"text"),
    b"new/a/b": b"",
    b"new/run": Executable(b"#!/bin/sh\n"),
}


async def staged(
    bench: Workbench, before: Files, after: Files, name: str = "a_1"
) -> Staged | Unstageable:
    job = Job(name, await bench.tree(before), await bench.tree(after))
    answer = await stage(bench.git, bench.store, bench.repository, job)
    assert not isinstance(answer, GitFailed), answer
    return answer


async def ready(bench: Workbench, before: Files = BEFORE, after: Files = AFTER) -> Staged:
    lay_out(bench.repository.work_tree, before)
    answer = await staged(bench, before, after)
    assert isinstance(answer, Staged), answer
    return answer
