"""Trees to measure the git engine on: one that is made, one that Debian ships, and edits of both.

The large one is the source of Linux 6.1 as Debian packages it (78,000 files, 1.4 GiB unpacked):
``python -m benchmarks.git_engine --get`` fetches it by ``apt-get`` and commits it under
``.cache/benchmarks``, which takes some minutes and 2.5 GiB.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

from attrs import frozen

CACHE = Path(__file__).parent.parent / ".cache" / "benchmarks"
PACKAGE = "linux-source-6.1"
GIB = 1 << 30
_PACKAGING = "# Debian packaging:"
_ROOM = 6 * GIB
_FOLDER_SIZE = 20
_EDITED, _ADDED, _DELETED = 40, 20, 5
_BY_AGENT = 12


@frozen
class BenchTree:
    """A repository to measure on. ``shared`` is a long text that every task edits elsewhere."""

    name: str
    folder: Path
    shared: str

    def git(self, *arguments: str) -> bytes:
        """Run git in it, as a person would."""
        return git(self.folder, *arguments)

    def files(self) -> list[str]:
        """Its tracked texts, in an order of no meaning that is always the same."""
        listed = self.git("ls-files", "-z", "*.c", "*.h", "*.rst").decode().split("\0")
        names = sorted(name for name in listed if name and name != self.shared)
        random.Random(1).shuffle(names)  # noqa: S311  nothing is a secret here
        return names

    def restore(self) -> None:
        """Take every edit back."""
        self.git("read-tree", "--reset", "-u", "HEAD")
        self.git("clean", "-ffdxq")

    def make_dirty(self) -> None:
        """Edit, delete and add some files, as somebody at work has."""
        names = self.files()
        for name in names[:_EDITED]:
            _append(self.folder / name, "/* edited */\n")
        for name in names[_EDITED : _EDITED + _DELETED]:
            (self.folder / name).unlink()
        for number in range(_ADDED):
            (self.folder / f"added-{number}.c").write_text(f"int added_{number};\n")


def git(folder: Path, *arguments: str, stdin: bytes = b"") -> bytes:
    """Run git as a person would, with no configuration but the repository's."""
    done = subprocess.run(
        ["git", *arguments],
        cwd=folder,
        input=stdin,
        stdout=subprocess.PIPE,
        check=True,
        env={**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"},
    )
    return done.stdout


def work(folder: Path, tree: BenchTree, task: int, names: list[str]) -> None:
    """Do what an agent would: edit a dozen files of its own, add two, delete one, and a shared."""
    first = _EDITED + _DELETED + task * (_BY_AGENT + 1)
    mine = [names[(first + number) % len(names)] for number in range(_BY_AGENT + 1)]
    for name in mine[1:]:
        if (folder / name).exists():
            _append(folder / name, f"/* by task {task} */\n")
    (folder / mine[0]).unlink(missing_ok=True)
    for number in range(2):
        (folder / f"task-{task}-{number}.c").write_text(f"int made_by_{task};\n")
    shared = folder / tree.shared
    lines = shared.read_bytes().splitlines(keepends=True)
    lines.insert(10 + 12 * task, b"a line of task %d\n" % task)
    shared.write_bytes(b"".join(lines))


def made_tree(folder: Path, count: int) -> BenchTree:
    """Make a repository of so many small texts, about 4 KiB each."""
    chance = random.Random(count)  # noqa: S311  nothing is a secret here
    words = [f"word_{number}" for number in range(500)]
    folder.mkdir(parents=True)
    for number in range(count - 1):
        below = folder / f"area-{number // 400}" / f"part-{number // _FOLDER_SIZE}"
        below.mkdir(parents=True, exist_ok=True)
        lines = (" ".join(chance.choices(words, k=8)) for _ in range(60))
        (below / f"file-{number}.c").write_text("\n".join(lines) + "\n")
    (folder / "shared.txt").write_text("".join(f"line {number}\n" for number in range(2_000)))
    _commit(folder)
    return BenchTree(f"{count:,} files", folder, "shared.txt")


def linux_tree(cache: Path = CACHE) -> BenchTree | None:
    """The large tree, if it was fetched."""
    folder = cache / "linux"
    if not (folder / ".git" / "HEAD").exists():
        return None
    return BenchTree("Linux 6.1", folder, "Makefile")


def get_linux(cache: Path = CACHE) -> BenchTree:
    """Fetch, unpack and commit the large tree where it is missing."""
    found = linux_tree(cache)
    if found is not None:
        return found
    cache.mkdir(parents=True, exist_ok=True)
    status = os.statvfs(cache)
    if status.f_bavail * status.f_frsize < _ROOM:
        raise SystemExit(f"{cache} has less than {_ROOM // GIB} GiB free; make room first.")
    with tempfile.TemporaryDirectory(dir=cache) as name:
        place = Path(name)
        _say(f"fetching {PACKAGE}")
        subprocess.run(["apt-get", "download", "-qq", PACKAGE], cwd=place, check=True)
        (package,) = place.glob("*.deb")
        subprocess.run(["dpkg-deb", "-x", package, place / "x"], check=True)
        (archive,) = (place / "x" / "usr" / "src").glob("*.tar.xz")
        unpacked = place / "linux"
        unpacked.mkdir()
        _say("unpacking")
        unpack = ["tar", "-xf", str(archive), "-C", str(unpacked), "--strip-components=1"]
        subprocess.run(unpack, check=True)
        _without_packaging(unpacked / ".gitignore")
        _say("committing")
        _commit(unpacked)
        unpacked.rename(cache / "linux")
    return BenchTree("Linux 6.1", cache / "linux", "Makefile")


def _without_packaging(rules: Path) -> None:
    """Take out the lines at the end by which the package has all ignored: no checkout has these.

    With them git looks into no folder for new files, and everything is quicker than it is.
    """
    text = rules.read_text()
    rules.write_text(text.partition(_PACKAGING)[0].rstrip("#\n") + "\n")


def _commit(folder: Path) -> None:
    git(folder, "init", "--quiet")
    git(folder, "add", "-A", "-f", ".")
    who = ("-c", "user.name=b", "-c", "user.email=b@localhost")
    git(folder, *who, "commit", "--quiet", "-m", "files")
    git(folder, "repack", "-adq", "--window=4")
    git(folder, "prune-packed", "-q")
    # The reference writes there, and a clean-up in between would be measured too.
    git(folder, "config", "gc.auto", "0")


def _append(file: Path, text: str) -> None:
    with file.open("a") as stream:
        stream.write(text)


def _say(what: str) -> None:
    print(f"{what} …", file=sys.stderr)
