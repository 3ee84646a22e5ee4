"""Repositories in which the bytes of a file differ from those of its object."""

from __future__ import annotations

from tests.adapters.git.bench import Tree
from tests.adapters.git.scenarios.scenario import (
    LINES,
    Made,
    Room,
    Scenario,
    agent_works,
    and_writes,
    made,
)

POINTERS = """#!/bin/sh
# Stores what it cleans below lfs.storage, as git-lfs does, and writes a pointer.
store=$(git config lfs.storage || echo "$(git rev-parse --git-common-dir)/lfs")/objects
if [ "$1" = clean ]; then
  mkdir -p "$store"; cat > "$store/incoming.$$"
  name=$(sha1sum < "$store/incoming.$$" | cut -d' ' -f1)
  mv "$store/incoming.$$" "$store/$name"; echo "pointer $name"
else
  read -r word name
  if [ -f "$store/$name" ]; then cat "$store/$name"; else echo "$word $name"; fi
fi
"""


def filtered(room: Room) -> Made:
    tree = room.started()
    tree.git("config", "filter.upper.clean", "tr a-z A-Z")
    tree.git("config", "filter.upper.smudge", "tr A-Z a-z")
    tree.write(".gitattributes", "*.up filter=upper\n")
    tree.write("one.up", "one\n")
    tree.commit()
    tree.write("one.up", "changed\n")
    tree.write("two.up", "two\n")
    return made(tree)


def pointers(room: Room) -> Made:
    tree = room.started()
    program = room.folder / "pointers"
    program.write_text(POINTERS)
    program.chmod(0o755)
    tree.git("config", "filter.lfs.clean", f"{program} clean")
    tree.git("config", "filter.lfs.smudge", f"{program} smudge")
    tree.git("config", "filter.lfs.required", "true")
    tree.write(".gitattributes", "*.bin filter=lfs diff=lfs merge=lfs -text\n")
    tree.write("large.bin", b"\0large\n")
    tree.commit()
    tree.write("large.bin", b"\0larger\n")
    tree.write("new.bin", b"\0new\n")
    # Git-lfs would have stored them with the user's last `git add`; the engine stores its own.
    tree.git("add", "new.bin")
    return made(tree)


def encoded(room: Room) -> Made:
    tree = room.started()
    tree.write(".gitattributes", "*.txt16 working-tree-encoding=UTF-16LE-BOM eol=crlf text\n")
    tree.write("wide.txt16", "wide\r\nää\r\n".encode("utf-16"))
    tree.commit()
    tree.write("wide.txt16", "wide\r\nöö\r\n".encode("utf-16"))
    return made(tree)


def encoded_by_the_agent(tree: Tree) -> None:
    agent_works(tree)
    tree.write("wide.txt16", "wide\r\nüü\r\n".encode("utf-16"))


def idents(room: Room) -> Made:
    tree = room.started()
    tree.write(".gitattributes", "*.c ident\n")
    tree.write("id.c", "/* $Id$ */\nint a;\n")
    tree.commit()
    tree.path("id.c").unlink()
    tree.git("checkout", "--", "id.c")
    tree.write("id.c", tree.path("id.c").read_bytes() + b"int b;\n")
    return made(tree)


def autocrlf(room: Room) -> Made:
    tree = room.started()
    tree.git("config", "core.autocrlf", "true")
    tree.write("dos", "one\r\ntwo\r\n")
    tree.commit()
    tree.write("dos", "one\r\ntwo\r\nthree\r\n")
    tree.write("new dos", "one\r\n")
    return made(tree)


def crlf_agent(tree: Tree) -> None:
    agent_works(tree)
    tree.write("dos", "zero\r\n" + tree.path("dos").read_bytes().decode())


def eol(room: Room) -> Made:
    tree = room.started()
    tree.write(".gitattributes", "*.bat text eol=crlf\n*.sh text eol=lf\n*.raw -text\n")
    tree.write("a.bat", "one\r\n")
    tree.write("a.sh", "one\n")
    tree.write("a.raw", "one\r\ntwo\n")
    tree.commit()
    tree.write("a.bat", "one\r\ntwo\n")
    tree.write("a.sh", "one\r\ntwo\n")
    return made(tree)


def safecrlf(room: Room) -> Made:
    tree = room.started()
    tree.git("config", "core.autocrlf", "input")
    tree.git("config", "core.safecrlf", "true")
    tree.write("mixed", "one\r\ntwo\n")
    return made(tree)


def renormalised(room: Room) -> Made:
    tree = room.started()
    tree.write("dos", LINES.replace("\n", "\r\n"))
    tree.commit()
    tree.write(".gitattributes", "dos text eol=crlf\n")
    tree.git("config", "merge.renormalize", "true")
    tree.write("dos", LINES.replace("line 3\n", "three\n").replace("\n", "\r\n"))
    return made(tree)


def renormalised_by_the_agent(tree: Tree) -> None:
    agent_works(tree)
    text = tree.path("dos").read_bytes().replace(b"line 17", b"seventeen")
    tree.write("dos", text)


SCENARIOS = {
    "clean and smudge filter": Scenario(
        filtered, and_writes({"one.up": "agent\n", "three.up": "three\n"})
    ),
    "filter like that of LFS": Scenario(
        pointers, and_writes({"large.bin": b"\0agent", "agent.bin": b"\0"})
    ),
    "working-tree-encoding": Scenario(encoded, encoded_by_the_agent),
    "ident": Scenario(idents, and_writes({"new.c": "/* $Id$ */\n"})),
    "autocrlf": Scenario(autocrlf, crlf_agent),
    "eol attributes": Scenario(eol, and_writes({"b.bat": "a\r\n", "a.sh": "three\n"})),
    "safecrlf": Scenario(safecrlf, and_writes({"mixed too": "one\r\ntwo\n"})),
    "renormalise": Scenario(renormalised, renormalised_by_the_agent),
}
