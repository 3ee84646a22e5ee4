"""A repository of the user of a test, and whether its git directory was touched."""

from __future__ import annotations

import os
from pathlib import Path

from attrs import define

from tests.adapters.git.bench import Metadata, Tree, untouched_view


@define(eq=False)
class Repo(Tree):
    """A repository of the user, and the look that tells whether its git directory was touched."""

    _before: dict[str, Metadata] | None = None

    def read(self, name: bytes | str) -> str:
        return self.path(name).read_bytes().decode()

    def contents(self) -> dict[bytes, tuple[str, bytes]]:
        """Every path of the work tree with its kind and bytes."""
        found: dict[bytes, tuple[str, bytes]] = {}
        top = os.fsencode(self.folder)
        for place, folders, names in os.walk(top):
            if place == top:
                folders.remove(b".git") if b".git" in folders else None
            links = [
                name
                for name in folders
                if (Path(os.fsdecode(place)) / os.fsdecode(name)).is_symlink()
            ]
            for name in [*names, *links]:
                path = Path(os.fsdecode(os.path.join(place, name)))  # noqa: PTH118  bytes
                relative = os.path.relpath(os.fsencode(path), top)
                if relative != b".git":
                    found[relative] = _content(path)
        return found

    def watch(self) -> None:
        """From now on the git directory must stay as it is."""
        self._before = untouched_view(self.git_dir)

    def unwatch(self) -> None:
        """The test itself changes the git directory from now on."""
        self._before = None

    @property
    def git_dir(self) -> Path:
        inside = self.folder / ".git"
        if inside.is_dir():
            return inside
        return Path(os.fsdecode(self.git("rev-parse", "--absolute-git-dir").removesuffix(b"\n")))

    def check(self) -> None:
        """Fail when the git directory was touched."""
        if self._before is None:
            return
        after = untouched_view(self.git_dir)
        differing = {
            name
            for name in self._before.keys() | after.keys()
            if self._before.get(name) != after.get(name)
        }
        assert not differing, f"{self.folder} was touched: {sorted(differing)}"


def _content(path: Path) -> tuple[str, bytes]:
    if path.is_symlink():
        return "link", os.fsencode(path.readlink())
    kind = "executable" if path.stat().st_mode & 0o100 else "file"
    return kind, path.read_bytes()
