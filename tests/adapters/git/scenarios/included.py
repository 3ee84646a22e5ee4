"""Repositories whose configuration stands in files that the user's own includes for them alone."""

from __future__ import annotations

from pathlib import Path

from attrs import frozen

from tests.adapters.git.bench import Tree
from tests.adapters.git.scenarios.scenario import (
    LINES,
    Made,
    Room,
    Scenario,
    and_writes,
    made,
)

CONFIG = """\
[core]
\tautocrlf = true
\texcludesFile = {folder}/ignored
[filter "upper"]
\tclean = false
\tclean = tr a-z A-Z
\tsmudge = tr A-Z a-z
\trequired
"""


@frozen
class Included:
    """Builds a repository for which a condition is true; ``{}`` in it is the work tree."""

    condition: str

    def __call__(self, room: Room) -> Made:
        """Build it."""
        tree = room.started()
        tree.git("remote", "add", "origin", "https://example.org/of the team/x")
        room.folder.joinpath("ignored").write_text("*.private\n")
        config = room.folder / "included"
        config.write_text(CONFIG.format(folder=room.folder))
        condition = self.condition.format(tree.folder)
        home = Path(room.environment["HOME"]) / ".gitconfig"
        tree.git("config", "--file", str(home), f"includeIf.{condition}.path", str(config))
        tree.write(".gitattributes", "*.up filter=upper -text\n")
        tree.write("one.up", "one\n")
        tree.write("dos", "one\r\ntwo\r\n")
        tree.write("src/a.py", LINES.replace("\n", "\r\n"))
        tree.commit()
        tree.write("one.up", "changed\n")
        tree.write("dos", "one\r\ntwo\r\nthree\r\n")
        tree.write("of mine.private", "not for an agent\n")
        return made(tree)


def agent(tree: Tree) -> None:
    text = b"zero\r\n" + tree.path("dos").read_bytes()
    and_writes({"one.up": "agent\n", "three.up": "three\n", "dos": text})(tree)


def user(tree: Tree) -> None:
    tree.write("src/a.py", LINES.replace("line 15\n", "the user's\n").replace("\n", "\r\n"))


SCENARIOS = {
    "includeIf gitdir": Scenario(Included("gitdir:{}/"), agent, user),
    "includeIf hasconfig": Scenario(
        Included("hasconfig:remote.*.url:https://example.org/of the team/**"), agent, user
    ),
}
