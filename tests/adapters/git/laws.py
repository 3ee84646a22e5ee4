"""Trees that hypothesis makes up, and the engine to try laws on them."""

from __future__ import annotations

from anyio.from_thread import BlockingPortal
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from sennit.adapters.git.changes import changes_between
from sennit.adapters.git.merges import merge_trees
from sennit.core.objects import FileChange, MergeResult
from sennit.core.reconciliation import MergeWanted, Proposed, Reconciled, reconcile, run_with
from tests.adapters.git.made_trees import AT, Content, Executable, Files, Link, Workbench, must

LAWS = settings(
    max_examples=20,
    deadline=None,
    # Trees that happen to be equal are passed over, and some seeds draw many of them.
    suppress_health_check=[
        HealthCheck.function_scoped_fixture,
        HealthCheck.too_slow,
        HealthCheck.filter_too_much,
    ],
)
NAMES = [b"a", b"b", b"d/e", b"d/f", b"new\nline", b'q"\xff', "😀".encode(), b"empty"]
"""Few names, so that trees meet; ``a/x`` and ``d`` below make files of folders and back."""

SWAPPED = {b"a": b"a/x", b"d/e": b"d", b"d/f": b"d/f/deep"}
LINE = st.sampled_from([b"1\n", b"2\n", b"3\r\n", b"4\n", b"\n", b"5\xff\n", b"6\n"])
TEXT = st.builds(
    lambda lines, end: b"".join(lines) + end,
    st.lists(LINE, max_size=7),
    st.sampled_from([b"", b"", b"no newline"]),
)
CONTENT: st.SearchStrategy[Content] = st.one_of(
    TEXT,
    TEXT,
    st.sampled_from([b"", b"\0binary", b"\0other", Link(b"a"), Link(b"b"), Executable(b"#!\n")]),
)


@st.composite
def trees(draw: st.DrawFn) -> Files:
    names = draw(st.lists(st.sampled_from(NAMES), unique=True, max_size=len(NAMES)))
    return without_clashes({name: draw(CONTENT) for name in names})


@st.composite
def edited(draw: st.DrawFn, base: Files) -> Files:
    """Edit a tree as an agent would: some files changed, gone, new, moved, or made folders."""
    files = dict(base)
    for name in draw(st.lists(st.sampled_from(NAMES), unique=True, max_size=4)):
        action = draw(st.sampled_from(["set", "edit", "edit", "remove", "move", "swap"]))
        content = files.pop(name, None)
        match action, content:
            case "set", _:
                files[name] = draw(CONTENT)
            case "edit", bytes():
                files[name] = _edit(draw, content)
            case "move", bytes() | Link() | Executable():
                files[name + b".moved"] = content
            case "swap", bytes() | Link() | Executable() if name in SWAPPED:
                files[SWAPPED[name]] = content
            case _:
                pass
    return without_clashes(files)


def _edit(draw: st.DrawFn, content: bytes) -> bytes:
    lines = content.split(b"\n")
    place = draw(st.integers(0, len(lines) - 1))
    lines[place : place + draw(st.integers(0, 2))] = [draw(st.sampled_from([b"x", b"y", b"z\r"]))]
    return b"\n".join(lines)


def without_clashes(files: Files) -> Files:
    return {
        path: content
        for path, content in files.items()
        if not any(other.startswith(path + b"/") for other in files)
    }


class Lab:
    """The engine, called from tests without a loop."""

    def __init__(self, portal: BlockingPortal, bench: Workbench) -> None:
        self.portal = portal
        self.bench = bench

    def tree(self, files: Files) -> str:
        return self.portal.call(self.bench.tree, files)

    def files(self, tree: str) -> Files:
        return self.portal.call(self.bench.files, tree)

    def merge(self, base: str, ours: str, theirs: str) -> MergeResult:
        bench = self.bench
        return self.portal.call(merge_trees, bench.git, bench.store, base, ours, theirs, AT)

    def changes(self, old: str, new: str) -> tuple[FileChange, ...]:
        bench = self.bench
        return must(self.portal.call(changes_between, bench.git, bench.store, old, new))

    def reconcile(self, base: str, proposals: list[Proposed]) -> Reconciled:
        def merge(wanted: MergeWanted) -> MergeResult:
            return self.merge(wanted.base, wanted.ours, wanted.theirs)

        return run_with(reconcile(base, proposals), merge)
