"""Repositories in the middle of an operation, and work trees with things that git cannot hold."""

from __future__ import annotations

import os
import socket

from sennit.core.objects import LeftOutReason
from tests.adapters.git.bench import Tree
from tests.adapters.git.scenarios.scenario import Made, Room, Scenario, made

MARKERS = {b"both": LeftOutReason.CONFLICT_MARKERS}
SPECIAL = LeftOutReason.SPECIAL_FILE


def apart(room: Room, *options: str) -> Tree:
    """Make two branches that do not go together in one file, and are otherwise apart."""
    tree = room.started("repo", *options)
    tree.write("both", "base\n")
    tree.commit("base")
    tree.git("switch", "-q", "-c", "side")
    tree.write("both", "side\n")
    tree.write("of the side", "x\n")
    tree.commit("side")
    tree.git("switch", "-q", "main")
    tree.write("both", "main\n")
    tree.commit("main")
    return tree


def merging(room: Room) -> Made:
    tree = apart(room)
    tree.git("merge", "side", check=False)
    return made(tree)


def rebasing(room: Room) -> Made:
    tree = apart(room)
    tree.git("rebase", "side", check=False)
    return made(tree)


def picking(room: Room) -> Made:
    tree = apart(room)
    tree.git("cherry-pick", "side", check=False)
    tree.write("both", "resolved, not yet added\n")
    return made(tree)


def bisecting(room: Room) -> Made:
    tree = apart(room)
    for number in range(4):
        tree.write("count", f"{number}\n")
        tree.commit(f"number {number}")
    tree.git("bisect", "start", "HEAD", "HEAD~4")
    tree.write("tried", "in between\n")
    return made(tree)


def head_side(tree: Tree) -> None:
    """Take the side of HEAD where there are markers, as the engine says that it does."""
    for line in tree.git("ls-files", "--unmerged", "--", "both").decode().splitlines():
        mode, identity, stage = line.partition("\t")[0].split(" ")
        if stage == "2":
            tree.git("update-index", "--cacheinfo", f"{mode},{identity},both")


def swaps(room: Room) -> Made:
    tree = room.started()
    for name in ("file", "folder/inside", "second/inside", "other"):
        tree.write(name, f"{name}\n")
    tree.path("link").symlink_to("file")
    tree.path("to folder").symlink_to("folder")
    tree.commit()
    tree.path("file").unlink()
    tree.write("file/now a folder", "x\n")
    tree.path("folder/inside").unlink()
    tree.path("folder").rmdir()
    tree.write("folder", "now a file\n")
    tree.path("second/inside").unlink()
    tree.path("second").rmdir()
    tree.path("second").symlink_to("src")
    tree.path("other").unlink()
    tree.path("other").symlink_to("nowhere")
    tree.path("link").unlink()
    tree.write("link", "now a file\n")
    tree.path("to folder").unlink()
    tree.write("to folder/inside", "now a folder\n")
    return made(tree)


def swaps_of_the_agent(tree: Tree) -> None:
    tree.path("README").unlink()
    tree.write("README/inside", "a folder now\n")
    tree.path("second").unlink()
    tree.write("second", "a file again\n")
    tree.path("gone.txt").unlink()
    tree.path("gone.txt").symlink_to("README/inside")


def special(room: Room) -> Made:
    tree = room.started()
    tree.write("was a file", "content\n")
    tree.write("folder/also", "content\n")
    tree.commit()
    tree.path("was a file").unlink()
    os.mkfifo(tree.path("was a file"))
    tree.path("folder/also").unlink()
    where = os.open(tree.path("folder"), os.O_RDONLY)
    try:
        # The name of a socket may only be short, so it is given by the descriptor of its folder.
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(f"/proc/self/fd/{where}/also")
    finally:
        os.close(where)
    os.mkfifo(tree.path("new pipe"))
    return made(tree)


def unreadable(room: Room) -> Made:
    tree = room.started()
    tree.write("closed", "was open\n")
    tree.write("shut/inside", "was open\n")
    tree.commit()
    tree.write("closed", "changed and closed\n", mode=0o000)
    tree.write("new", "closed\n", mode=0o000)
    return made(tree)


ODD = (
    b"with space", b"new\nline", b'quote"', b"it's", "\N{SNAKE}".encode(), b"\xff\xfe", b"-dash",
    b"tab\t", b"back\\slash", b"deep/\xc3(/x", b":(top)", b"*", b"[a]", b"!not", b"#hash", b"~",
    b"trailing ", b"CON", b"\x01", "a\u0308".encode(), "\u00e4".encode(),
)  # fmt: skip


def odd_names(room: Room) -> Made:
    tree = room.started()
    for name in ODD:
        tree.write(b"committed/" + name, b"x\n")
    tree.commit()
    for name in ODD:
        tree.write(b"committed/" + name, b"changed\n")
        tree.write(b"new/" + name, b"new\n")
    return made(tree)


def odd_agent(tree: Tree) -> None:
    for name in ODD[::2]:
        tree.path(b"committed/" + name).unlink()
        tree.write(b"agent/" + name, b"agent's\n")


def large(room: Room) -> Made:
    tree = room.started()
    tree.write("large", b"large" + bytes(30 << 20))
    return made(tree)


def many(room: Room) -> Made:
    tree = room.started()
    for number in range(10_000):
        tree.write(f"many/{number % 10}/{number}", f"{number}\n")
    return made(tree)


SCENARIOS = {
    "merge in progress": Scenario(
        merging, left_out=MARKERS, in_progress="merge", plain_first=head_side
    ),
    "rebase in progress": Scenario(
        rebasing, left_out=MARKERS, in_progress="rebase", plain_first=head_side
    ),
    "cherry-pick in progress": Scenario(picking, in_progress="cherry-pick"),
    "bisect in progress": Scenario(bisecting, in_progress="bisect"),
    "files, folders and links swapped": Scenario(swaps, swaps_of_the_agent),
    "pipes and sockets": Scenario(
        special, left_out={b"was a file": SPECIAL, b"folder/also": SPECIAL}
    ),
    "unreadable files": Scenario(
        unreadable,
        left_out={b"closed": LeftOutReason.UNREADABLE, b"new": LeftOutReason.UNREADABLE},
        somebody=True,
    ),
    "odd names": Scenario(odd_names, odd_agent),
    "a file of 30 MB": Scenario(large),
    "10,000 changed files": Scenario(many, slow=True),
}
