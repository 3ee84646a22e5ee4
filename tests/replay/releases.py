"""Source archives of successive releases, from the package index by its ordinary client."""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
from pathlib import Path

from attrs import frozen

from tests.adapters.git.made_trees import Content, Executable, Files, Link

CACHE = Path(__file__).parents[2] / ".cache" / "replay"
"""Where the archives stay; git ignores it."""


@frozen
class Step:
    """Two releases of one package, the earlier first."""

    package: str
    before: str
    after: str

    @property
    def name(self) -> str:
        """What it is called in the figures."""
        return f"{self.package} {self.before} → {self.after}"


STEPS = (
    Step("click", "8.1.7", "8.1.8"),
    Step("flask", "3.0.3", "3.1.0"),
    Step("werkzeug", "3.0.6", "3.1.0"),
    Step("jinja2", "3.1.4", "3.1.6"),
    Step("httpx", "0.27.2", "0.28.1"),
    Step("attrs", "24.1.0", "24.3.0"),
    Step("more-itertools", "10.4.0", "10.6.0"),
    Step("rich", "13.8.1", "13.9.4"),
)


def files_of(package: str, version: str) -> Files:
    """The files of a release; downloads it once."""
    return dict(_members(_archive(package, version)))


def _archive(package: str, version: str) -> Path:
    folder = CACHE / f"{package}-{version}"
    if not folder.is_dir() or not any(folder.iterdir()):
        folder.mkdir(parents=True, exist_ok=True)
        asked = ["pip", "download", "-q", "--no-deps", "--no-binary", ":all:", "-d", str(folder)]
        subprocess.run([sys.executable, "-m", *asked, f"{package}=={version}"], check=True)
    [archive] = folder.iterdir()
    return archive


def _members(archive: Path) -> list[tuple[bytes, Content]]:
    found: list[tuple[bytes, Content]] = []
    with tarfile.open(archive) as opened:
        for member in opened:
            # The first folder names the version.
            path = os.fsencode(member.name).partition(b"/")[2]
            if member.issym():
                found.append((path, Link(os.fsencode(member.linkname))))
            elif member.isfile():
                stream = opened.extractfile(member)
                content = b"" if stream is None else stream.read()
                is_program = bool(member.mode & 0o100)
                found.append((path, Executable(content) if is_program else content))
    return found
