"""Does random things to the current folder: `python operations.py SEED COUNT`.

What it chooses depends on the seed and on what lies there, so that two folders which hold the same
are treated the same. Prints at the end what lies there.
"""
# It says with `os` what programs say, and runs in the mount without the packages of the tests.
# ruff: noqa: PTH101, PTH102, PTH104, PTH108, PTH112, PTH114, PTH115, PTH118, PTH123, PTH211

from __future__ import annotations

import hashlib
import os
import random
import shutil
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress

NAMES = ("a", "b", "c.txt", "d.crlf", "log", "x.log", "x.new", "sub", "deep", "ü")
PIPE = "pipe"
Choice = random.Random


def listed(folders: bool) -> list[str]:  # noqa: FBT001  two lists of one walk
    found = []
    for top, names, files in os.walk("."):
        names[:] = sorted(name for name in names if name != ".git")
        here = names if folders else files
        # Whoever opened a pipe would wait for ever.
        found += [os.path.join(top, name) for name in here if name != PIPE]
        if folders:
            continue
        found += [p for name in names if os.path.islink(p := os.path.join(top, name))]
    return sorted(set(found))


def any_file(choice: Choice) -> str:
    return choice.choice(listed(folders=False) or ["none"])


def any_folder(choice: Choice) -> str:
    return choice.choice([".", *(p for p in listed(folders=True) if not os.path.islink(p))])


def new_name(choice: Choice) -> str:
    return os.path.join(any_folder(choice), choice.choice(NAMES))


def text(choice: Choice) -> str:
    return "".join(choice.choice(("one\n", "two\r\n", "three\n")) for _ in range(3))


def write(choice: Choice) -> None:
    with open(new_name(choice), "w", newline="") as file:
        file.write(text(choice))


def append(choice: Choice) -> None:
    with open(any_file(choice), "a", newline="") as file:
        file.write(text(choice))


def write_again(choice: Choice) -> None:
    path = any_file(choice)
    with open(path, "rb") as file:
        content = file.read()
    os.unlink(path)
    with open(path, "wb") as file:
        file.write(content)


def remove(choice: Choice) -> None:
    os.unlink(any_file(choice))


def remove_folder(choice: Choice) -> None:
    folder = any_folder(choice)
    if folder != ".":
        shutil.rmtree(folder)


def remake_folder(choice: Choice) -> None:
    folder = any_folder(choice)
    if folder != ".":
        shutil.rmtree(folder)
        os.mkdir(folder)
        with open(os.path.join(folder, choice.choice(NAMES)), "w") as file:
            file.write("made anew\n")


def rename(choice: Choice) -> None:
    os.rename(any_file(choice), new_name(choice))


def rename_folder(choice: Choice) -> None:
    os.rename(any_folder(choice), new_name(choice))


def chmod(choice: Choice) -> None:
    path = any_file(choice)
    if not os.path.islink(path):
        os.chmod(path, choice.choice((0o644, 0o755)))


def touch(choice: Choice) -> None:
    os.utime(any_file(choice), (choice.randrange(10**9),) * 2, follow_symlinks=False)


def make_folder(choice: Choice) -> None:
    os.mkdir(new_name(choice))


def link(choice: Choice) -> None:
    os.symlink(choice.choice(("a", "sub", "../b", "nowhere")), new_name(choice))


def hard_link(choice: Choice) -> None:
    os.link(any_file(choice), new_name(choice), follow_symlinks=False)


def swap(choice: Choice) -> None:
    """A file becomes a folder, or a folder a file or a link."""
    path = choice.choice((any_file(choice), any_folder(choice)))
    if path == ".":
        return
    if os.path.isdir(path) and not os.path.islink(path):
        shutil.rmtree(path)
        if choice.random() < 0.5:
            os.symlink("a", path)
        else:
            with open(path, "w") as file:
                file.write("was a folder\n")
    else:
        os.unlink(path)
        os.mkdir(path)
        with open(os.path.join(path, "inner"), "w") as file:
            file.write("was a file\n")


def ignore(choice: Choice) -> None:
    with open(os.path.join(any_folder(choice), ".gitignore"), "a") as file:
        file.write(choice.choice(("log\n", "*.txt\n", "!x.log\n", "sub/\n")))


def attributes(choice: Choice) -> None:
    with open(os.path.join(any_folder(choice), ".gitattributes"), "a") as file:
        # None that would make a difference for a file that nobody touched: whether git looks
        # at such a file depends on how long ago it was written.
        file.write(choice.choice(("*.txt text\n", "*.new text\n", "* text=auto\n")))


def nest(choice: Choice) -> None:
    folder = any_folder(choice)
    if folder != ".":
        git("init", "-q", folder)


def fifo(choice: Choice) -> None:
    os.mkfifo(os.path.join(any_folder(choice), PIPE))


def move_with_git(choice: Choice) -> None:
    git("mv", choice.choice((any_file, any_folder))(choice), new_name(choice))


def use_git(choice: Choice) -> None:
    commands = (
        ("add", "-A"),
        ("commit", "-q", "-a", "-m", "on the way"),
        ("stash", "-q"),
        ("stash", "pop", "-q"),
        ("rm", "-q", "-r", "--cached", any_file(choice)),
        ("update-index", "--assume-unchanged", any_file(choice)),
    )
    git(*choice.choice(commands))


def git(*arguments: str) -> None:
    subprocess.run(["git", *arguments], check=False, capture_output=True)


OFTEN: tuple[Callable[[Choice], None], ...] = (
    append, remove, remove_folder, remake_folder, rename, rename_folder, swap, write,
)  # fmt: skip
SOMETIMES: tuple[Callable[[Choice], None], ...] = (
    attributes, chmod, fifo, hard_link, ignore, link, make_folder, move_with_git, nest, touch,
    use_git, write_again,
)  # fmt: skip


def what_lies_here() -> Iterator[str]:
    for path in sorted({*listed(folders=False), *listed(folders=True)}):
        status = os.lstat(path)
        if stat.S_ISREG(status.st_mode):
            with open(path, "rb") as file:
                content = hashlib.sha1(file.read()).hexdigest()  # noqa: S324  to compare only
            yield f"{path} {status.st_mode:o} {content}"
        elif stat.S_ISLNK(status.st_mode):
            yield f"{path} -> {os.readlink(path)}"
        else:
            yield f"{path} {status.st_mode:o}"


def main() -> None:
    choice = Choice(sys.argv[1])
    for _ in range(int(sys.argv[2])):
        do = choice.choice((*OFTEN, *OFTEN, *SOMETIMES))
        with suppress(OSError, shutil.Error):
            do(choice)
    print("\n".join(what_lies_here()))  # noqa: T201  its answer


if __name__ == "__main__":
    os.umask(0o022)
    main()
