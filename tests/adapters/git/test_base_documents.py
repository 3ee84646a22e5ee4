"""Unsaved buffers are part of a base."""

from __future__ import annotations

import pytest

from sennit.adapters.git.look import SnapshotLimits
from sennit.core.objects import LeftOutReason, OpenDocument, Unsaved
from tests.adapters.git.bench import Bench, Tree
from tests.adapters.git.snapshots import EXECUTABLE, FILE, LINK, reasons

pytestmark = pytest.mark.anyio


async def test_an_unchanged_buffer_is_no_change(bench: Bench) -> None:
    bench.tree.write("README", b"\xef\xbb\xbfh\xc3\xa9llo\r\n")
    snapshot = await bench.snapshot(OpenDocument(b"README", 3, "h\u00e9llo\r\n"))
    assert snapshot.manifest.unsaved == ()
    assert (await bench.files_of(snapshot.commit))[b"README"][1] == b"\xef\xbb\xbfh\xc3\xa9llo\r\n"


async def test_an_unsaved_buffer_is_part_of_the_base(bench: Bench) -> None:
    bench.tree.path("README").chmod(0o755)
    snapshot = await bench.snapshot(
        OpenDocument(b"README", 7, "typed\n"), OpenDocument(b"not/yet/saved", 1, "new")
    )
    files = await bench.files_of(snapshot.commit)
    assert files[b"README"] == (EXECUTABLE, b"typed\n")
    assert files[b"not/yet/saved"] == (FILE, b"new")
    assert snapshot.manifest.unsaved == (Unsaved(b"README", 7), Unsaved(b"not/yet/saved", 1))
    assert bench.tree.path("README").read_text() == "hello\n"


@pytest.mark.parametrize(
    ("on_disk", "told", "expected"),
    [
        (b"\xff\xfea\x00", None, b"\xff\xfe\xe9\x00"),
        (b"\xfe\xff\x00a", None, b"\xfe\xff\x00\xe9"),
        (b"\xef\xbb\xbfa", None, b"\xef\xbb\xbf\xc3\xa9"),
        (b"a", "latin-1", b"\xc3\xa9"),
        (b"\xe4", "latin-1", b"\xe9"),
    ],
)
async def test_a_buffer_is_encoded_as_its_file(
    bench: Bench, on_disk: bytes, told: str | None, expected: bytes
) -> None:
    bench.tree.write("text", on_disk)
    snapshot = await bench.snapshot(OpenDocument(b"text", 1, "\u00e9", told))
    assert (await bench.files_of(snapshot.commit))[b"text"][1] == expected


async def test_a_buffer_goes_through_the_attributes_of_git(bench: Bench) -> None:
    tree = bench.tree
    tree.write(
        ".gitattributes", "*.txt text eol=crlf\n*.u text working-tree-encoding=UTF-16LE-BOM\n"
    )
    tree.write("a.txt", "one\r\n")
    tree.write("b.u", b"\xff\xfeo\x00\n\x00")
    tree.commit()
    snapshot = await bench.snapshot(
        OpenDocument(b"a.txt", 1, "two\r\n"), OpenDocument(b"b.u", 1, "\u00e9\n")
    )
    files = await bench.files_of(snapshot.commit)
    assert files[b"a.txt"][1] == b"two\n"
    assert files[b"b.u"][1] == "\u00e9\n".encode()


async def test_buffers_that_cannot_be_taken_are_named(bench: Bench) -> None:
    tree = bench.tree
    tree.write("latin", b"\xe9")
    tree.write("elsewhere", "disk")
    tree.write(".gitignore", "ignored\n")
    tree.write("ignored", "disk")
    tree.write(".env", "KEY=1")
    snapshot = await bench.snapshot(
        OpenDocument(b"latin", 1, "x"),
        OpenDocument(b"elsewhere", 1, "mine"),
        OpenDocument(b"ignored", 1, "typed"),
        OpenDocument(b"README", 1, None),
        OpenDocument(b"src/a.py", 1, "\ud800"),
        OpenDocument(b".env", 1, "KEY=2"),
        OpenDocument(b"../outside", 1, "x"),
        OpenDocument(b".git/config", 1, "x"),
        OpenDocument(b"README/below a file", 1, "x"),
        OpenDocument(b"src", 1, "a folder"),
        unsaved_elsewhere=frozenset({b"elsewhere"}),
    )
    assert reasons(snapshot) == {
        b"latin": LeftOutReason.UNKNOWN_ENCODING,
        b"elsewhere": LeftOutReason.UNSAVED_ELSEWHERE,
        b"ignored": LeftOutReason.IGNORED,
        b"README": LeftOutReason.UNKNOWN_TEXT,
        b"src/a.py": LeftOutReason.UNKNOWN_ENCODING,
        b".env": LeftOutReason.LOOKS_LIKE_A_SECRET,
        b"README/below a file": LeftOutReason.UNREADABLE,
        b"src": LeftOutReason.UNREADABLE,
    }
    assert snapshot.manifest.unsaved == ()
    files = await bench.files_of(snapshot.commit)
    assert files[b"elsewhere"][1] == b"disk"
    assert files.keys().isdisjoint({b"ignored", b".env"})


async def test_a_buffer_opened_through_a_link_changes_what_the_link_leads_to(bench: Bench) -> None:
    bench.tree.path("link").symlink_to("README")
    snapshot = await bench.snapshot(OpenDocument(b"link", 1, "typed"))
    files = await bench.files_of(snapshot.commit)
    assert files[b"link"] == (LINK, b"README")
    assert files[b"README"] == (FILE, b"typed")


async def test_a_document_without_a_place_in_the_base_stays_out(bench: Bench) -> None:
    tree = bench.tree
    inner = Tree(bench.tmp_path / "inner", tree.environment)
    inner.folder.mkdir()
    inner.git("init", "-q")
    inner.write("file", "1\n")
    inner.commit()
    tree.git("submodule", "--quiet", "add", str(inner.folder), "module")
    tree.write("outside/a", "a\n")
    tree.commit()
    tree.git("sparse-checkout", "set", "--no-cone", "/*", "!/outside/")
    tree.git("init", "-q", "nested")
    tree.write("nested/a", "a\n")
    head = tree.git("rev-parse", "HEAD").decode().strip()
    snapshot = await bench.snapshot(
        OpenDocument(b"module/file", 1, "typed\n"),
        OpenDocument(b"new", 1, "typed\n"),
        OpenDocument(b"new/below", 1, "typed\n"),
        OpenDocument(b"outside", 1, "typed\n"),
        OpenDocument(b"nested/a", 1, "typed\n"),
    )
    assert reasons(snapshot) == {
        b"module/file": LeftOutReason.IN_A_SUBMODULE,
        b"new/below": LeftOutReason.UNREADABLE,
        b"outside": LeftOutReason.UNREADABLE,
        b"nested": LeftOutReason.NESTED_REPOSITORY,
    }
    assert snapshot.manifest.unsaved == (Unsaved(b"new", 1),)
    store = f"--git-dir={(await bench.store()).git_dir}"
    changed = tree.git(store, "diff-tree", "-r", "--name-status", head, snapshot.commit)
    assert changed == b"A\tnew\n"


async def test_a_document_that_was_never_saved_stays_out_as_its_file_would(bench: Bench) -> None:
    snapshot = await bench.snapshot(
        OpenDocument(b".env", 1, "KEY=1\n"),
        OpenDocument(b"large", 1, "x" * 101),
        OpenDocument(b"small", 1, "x" * 100),
        limits=SnapshotLimits(untracked_file=100),
    )
    assert reasons(snapshot) == {
        b".env": LeftOutReason.LOOKS_LIKE_A_SECRET,
        b"large": LeftOutReason.TOO_LARGE,
    }
    assert snapshot.manifest.unsaved == (Unsaved(b"small", 1),)


@pytest.mark.parametrize(("crlf", "rules"), [("true", ""), ("input", ""), ("", "* text=auto\n")])
async def test_line_endings_that_git_keeps_are_kept_in_a_buffer(
    bench: Bench, crlf: str, rules: str
) -> None:
    bench.tree.write("crlf", "one\r\ntwo\r\n")
    bench.tree.commit()
    bench.tree.git("config", "core.autocrlf", crlf or "false")
    if rules:
        bench.tree.write(".gitattributes", rules)
    snapshot = await bench.snapshot(OpenDocument(b"crlf", 1, "one\r\ntwo\r\nthree\r\n"))
    files = await bench.files_of(snapshot.commit)
    assert files[b"crlf"][1] == b"one\r\ntwo\r\nthree\r\n"


async def test_rules_that_are_out_of_view_count_for_buffers(bench: Bench) -> None:
    tree = bench.tree
    tree.git("config", "filter.loud.clean", "tr a-z A-Z")
    tree.write("out/.gitattributes", "*.txt filter=loud\n*.u working-tree-encoding=UTF-16LE-BOM\n")
    tree.write("out/a.txt", "A\n")
    tree.write("out/b.u", b"\xff\xfea\x00")
    tree.commit()
    tree.git("sparse-checkout", "set", "--no-cone", "/*", "!/out/.gitattributes")
    for _ in range(2):
        snapshot = await bench.snapshot(
            OpenDocument(b"out/a.txt", 1, "typed\n"), OpenDocument(b"out/b.u", 1, "\u00e9")
        )
        files = await bench.files_of(snapshot.commit)
        assert files[b"out/a.txt"][1] == b"TYPED\n"
        assert files[b"out/b.u"][1] == "\u00e9".encode()


async def test_a_buffer_that_a_filter_refuses_leaves_the_text_of_the_disk(bench: Bench) -> None:
    bench.tree.write(".gitattributes", "*.txt filter=picky\n")
    bench.tree.write("a.txt", "fine\n")
    bench.tree.git("config", "filter.picky.clean", "grep -v typed")
    bench.tree.git("config", "filter.picky.required", "true")
    bench.tree.commit()
    snapshot = await bench.snapshot(
        OpenDocument(b"a.txt", 1, "typed\n"), OpenDocument(b"README", 1, "typed\n")
    )
    assert reasons(snapshot) == {b"a.txt": LeftOutReason.REFUSED_BY_GIT}
    assert snapshot.manifest.unsaved == (Unsaved(b"README", 1),)
    files = await bench.files_of(snapshot.commit)
    assert (files[b"a.txt"][1], files[b"README"][1]) == (b"fine\n", b"typed\n")
