from __future__ import annotations

import os
from collections.abc import Callable
from urllib.parse import unquote_to_bytes, urlsplit

import pytest

from tests.adapters.git.installed import needs_git
from tests.e2e.scene import Client, Machine, Repo, sh, task

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(180)]


def with_files(**more: object) -> Callable[[Machine], Repo]:
    def make(machine: Machine) -> Repo:
        repo = machine.repo()
        for name, content in more.items():
            repo.write(name, str(content))
        repo.commit("more")
        return repo

    return make


STRANGE = (
    b"with space.txt", b"new\nline.txt", b'quote".txt', b"it's.txt", "🐍.txt".encode(),
    b"\xff\xfe.txt", b"-dash.txt", b"tab\t.txt", b"back\\slash.txt", b"deep/\xc3(/x.txt",
)  # fmt: skip


def strange_names(machine: Machine) -> Repo:
    repo = machine.repo()
    for name in STRANGE:
        repo.write(name, b"before\n")
    repo.commit("strange")
    return repo


def crlf(machine: Machine) -> Repo:
    repo = machine.repo()
    repo.write("dos.txt", b"one\r\ntwo\r\nthree\r\n")
    repo.write("mixed.txt", b"one\r\ntwo\nthree\r\n")
    repo.commit("crlf")
    return repo


def autocrlf(machine: Machine) -> Repo:
    repo = machine.repo()
    repo.git("config", "core.autocrlf", "true")
    repo.write("dos.txt", b"one\r\ntwo\r\nthree\r\n")
    repo.commit("crlf")
    return repo


def odd_ends(machine: Machine) -> Repo:
    repo = machine.repo()
    repo.write("noend.txt", b"one\ntwo")
    repo.write("empty.txt", b"")
    repo.write("binary.bin", bytes(range(256)) * 20)
    repo.commit("ends")
    return repo


def links_and_modes(machine: Machine) -> Repo:
    repo = machine.repo()
    repo.write("run.sh", "#!/bin/sh\n", mode=0o755)
    repo.write("plain.sh", "#!/bin/sh\n")
    repo.path("link").symlink_to("a.txt")
    repo.path("dangling").symlink_to("nowhere")
    repo.commit("links")
    return repo


def shapes(machine: Machine) -> Repo:
    repo = machine.repo()
    repo.write("file", "was a file\n")
    repo.write("folder/inside.txt", "was inside\n")
    repo.write("old name.txt", "".join(f"line {n}\n" for n in range(40)))
    repo.write("away.txt", "goes away\n")
    repo.commit("shapes")
    return repo


def dirty(machine: Machine) -> Repo:
    repo = shapes(machine)
    repo.write("a.txt", "one\ntwo\nthree\nfour\nfive\nsix\nseven, not committed\n")
    repo.write("staged.txt", "staged\n")
    repo.git("add", "staged.txt")
    repo.write("untracked.txt", "untracked\n")
    repo.path("away.txt").unlink()
    return repo


def no_commit(machine: Machine) -> Repo:
    repo = machine.bare_beginning()
    repo.write("a.txt", "one\ntwo\nthree\n")
    return repo


def detached(machine: Machine) -> Repo:
    repo = machine.repo()
    repo.git("checkout", "-q", "--detach")
    return repo


def index_lock(machine: Machine) -> Repo:
    repo = machine.repo()
    repo.write(".git/index.lock", "")
    return repo


def rebasing(machine: Machine) -> Repo:
    repo = machine.repo()
    repo.git("switch", "-q", "-c", "side")
    repo.write("src/b.txt", "side\n")
    repo.commit("side")
    repo.git("switch", "-q", "main")
    repo.write("src/b.txt", "main\n")
    repo.commit("main")
    repo.git("rebase", "side", check=False)
    assert repo.path(".git/rebase-merge").exists()
    return repo


def merging(machine: Machine) -> Repo:
    repo = machine.repo()
    repo.git("switch", "-q", "-c", "side")
    repo.write("src/c.txt", "side\n")
    repo.commit("side")
    repo.git("switch", "-q", "main")
    repo.write("src/d.txt", "main\n")
    repo.commit("main")
    repo.git("merge", "-q", "--no-commit", "side")
    return repo


def no_identity(machine: Machine) -> Repo:
    repo = machine.repo()
    (machine.home / ".gitconfig").write_text("[user]\n\tuseConfigOnly = true\n")
    return repo


def signing_and_failing_hooks(machine: Machine) -> Repo:
    repo = machine.repo()
    repo.git("config", "commit.gpgsign", "true")
    repo.git("config", "gpg.program", "/bin/false")
    for hook in ("pre-commit", "post-checkout", "post-index-change", "reference-transaction"):
        repo.write(f".git/hooks/{hook}", "#!/bin/sh\nexit 1\n", mode=0o755)
    return repo


def with_submodule(machine: Machine) -> Repo:
    inner = machine.repo("inner")
    repo = machine.repo()
    repo.git("submodule", "--quiet", "add", str(inner.folder), "sub")
    repo.commit("submodule")
    machine.repos.remove(inner)
    return repo


def copied_from_a_disk_that_folds_case(machine: Machine) -> Repo:
    repo = machine.repo()
    repo.git("config", "core.ignoreCase", "true")
    repo.write("A.txt", "never added\n")
    repo.write("SRC/new.txt", "never added\n")
    return repo


def linked_worktree(machine: Machine) -> Repo:
    main = machine.repo("main")
    folder = machine.root / "linked"
    main.git("worktree", "add", "-q", "-b", "linked", str(folder))
    repo = Repo(folder, machine.environment)
    machine.repos.append(repo)
    return repo


def sha256(machine: Machine) -> Repo:
    return machine.repo("repo", "--object-format=sha256")


def reftable(machine: Machine) -> Repo:
    needs_git((2, 45), "reftable")
    return machine.repo("repo", "--ref-format=reftable")


def as_git_three_makes_them(machine: Machine) -> Repo:
    needs_git((2, 48), "worktrees by relative paths, with reftable and SHA-256")
    main = machine.repo("main", "--object-format=sha256", "--ref-format=reftable")
    main.git("worktree", "add", "-q", "--relative-paths", "-b", "linked", "../linked")
    repo = Repo(machine.root / "linked", machine.environment)
    repo.git("config", "--global", "safe.bareRepository", "explicit")
    machine.repos.append(repo)
    return repo


EDIT = "sed -i s/two/TWO/ a.txt"
CASES: dict[str, tuple[Callable[[Machine], Repo], str, dict[bytes, tuple[str, bytes] | None]]] = {
    "strange names": (
        strange_names,
        """find . -name .git -prune -o -type f ! -name a.txt ! -name b.txt -print0 |
        xargs -0 -n1 sh -c 'echo after > "$1"' -""",
        dict.fromkeys(STRANGE, ("file", b"after\n")),
    ),
    "crlf": (
        crlf,
        "sed -i s/two/TWO/ dos.txt mixed.txt",
        {
            b"dos.txt": ("file", b"one\r\nTWO\r\nthree\r\n"),
            b"mixed.txt": ("file", b"one\r\nTWO\nthree\r\n"),
        },
    ),
    "autocrlf": (
        autocrlf,
        "sed -i s/two/TWO/ dos.txt",
        {b"dos.txt": ("file", b"one\r\nTWO\r\nthree\r\n")},
    ),
    "names that case alone tells apart": (
        copied_from_a_disk_that_folds_case,
        "sed -i s/never/NEVER/ A.txt SRC/new.txt; echo b > SRC/b.txt; sed -i s/b/B/ src/b.txt",
        {
            b"a.txt": ("file", b"one\ntwo\nthree\nfour\nfive\nsix\n"),
            b"A.txt": ("file", b"NEVER added\n"),
            b"SRC/new.txt": ("file", b"NEVER added\n"),
            b"SRC/b.txt": ("file", b"b\n"),
            b"src/b.txt": ("file", b"B\n"),
        },
    ),
    "no final newline, empty, binary": (
        odd_ends,
        r"""printf 'one\nTWO' > noend.txt; printf x > empty.txt; printf '\000\001' > binary.bin
        : > new-empty.txt""",
        {
            b"noend.txt": ("file", b"one\nTWO"),
            b"empty.txt": ("file", b"x"),
            b"binary.bin": ("file", b"\0\1"),
            b"new-empty.txt": ("file", b""),
        },
    ),
    "links and modes": (
        links_and_modes,
        """ln -sf src/b.txt link; rm dangling; ln -s gone new-link
        chmod -x run.sh; chmod +x plain.sh""",
        {
            b"link": ("link", b"src/b.txt"),
            b"dangling": None,
            b"new-link": ("link", b"gone"),
            b"run.sh": ("file", b"#!/bin/sh\n"),
            b"plain.sh": ("executable", b"#!/bin/sh\n"),
        },
    ),
    "renames, deletions, file and folder": (
        shapes,
        """rm file; mkdir file; echo now > file/inside.txt; rm -r folder; echo flat > folder
        git mv 'old name.txt' 'new name.txt'; rm away.txt""",
        {
            b"file": None,
            b"file/inside.txt": ("file", b"now\n"),
            b"folder": ("file", b"flat\n"),
            b"folder/inside.txt": None,
            b"old name.txt": None,
            b"new name.txt": ("file", b"".join(b"line %d\n" % n for n in range(40))),
            b"away.txt": None,
        },
    ),
    "a dirty tree": (
        dirty,
        f"{EDIT}; echo more >> untracked.txt; echo more >> staged.txt",
        {
            b"a.txt": (
                "file", b"one\nTWO\nthree\nfour\nfive\nsix\nseven, not committed\n",
            ),
            b"untracked.txt": ("file", b"untracked\nmore\n"),
            b"staged.txt": ("file", b"staged\nmore\n"),
        },
    ),
    "no commit": (no_commit, EDIT, {b"a.txt": ("file", b"one\nTWO\nthree\n")}),
    "a commit of the agent": (
        with_files(), f"{EDIT}; git commit -qam mine; git branch x; git stash -q; git tag y",
        {b"a.txt": ("file", b"one\nTWO\nthree\nfour\nfive\nsix\n")},
    ),
    **{
        make.__name__.replace("_", " "): (
            make, EDIT, {b"a.txt": ("file", b"one\nTWO\nthree\nfour\nfive\nsix\n")},
        )
        for make in (
            detached, index_lock, rebasing, merging, no_identity, signing_and_failing_hooks,
            with_submodule, linked_worktree, sha256, reftable, as_git_three_makes_them,
        )
    },
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_work_is_applied_to_the_byte_and_undone_to_the_byte(machine: Machine, case: str) -> None:
    make, script, expected = CASES[case]
    repo = make(machine)
    before = repo.contents()
    head = repo.git("rev-parse", "HEAD", check=False)
    staged = repo.path(".git/index").read_bytes() if repo.path(".git/index").is_file() else b""
    server = machine.serve(repo)
    ticket = server.dispatch(task("one", sh(script)))
    view = server.settled(ticket)
    assert view["state"] == "completed", view["tasks"]
    assert repo.contents() == before
    server.accept_all(ticket)
    applied = server.apply(ticket)
    assert applied["state"] == "applied", applied
    wanted = {**before, **expected}
    assert repo.contents() == {path: one for path, one in wanted.items() if one is not None}
    repo.check()
    undone = server.ask("undo", application=applied["id"])
    assert undone["state"] == "applied", undone
    assert repo.contents() == before
    repo.check()
    assert repo.git("rev-parse", "HEAD", check=False) == head
    if staged:
        assert repo.path(".git/index").read_bytes() == staged


def test_the_views_of_strange_names_hold_for_every_name(machine: Machine) -> None:
    repo = strange_names(machine)
    server = machine.serve(repo)
    _, script, _ = CASES["strange names"]
    ticket = server.dispatch(task("one", sh(script)))
    server.settled(ticket)
    [summary] = server.proposals(ticket)
    proposal = server.ask("proposal", proposal=summary["id"])
    uris = {each["uri"] for each in proposal["files"]}
    assert len(uris) == len(STRANGE)
    top = os.fsencode(repo.folder) + b"/"
    paths = {unquote_to_bytes(urlsplit(uri).path).removeprefix(top) for uri in uris}
    assert paths == set(STRANGE)
    patch = server.ask("proposal", proposal=summary["id"], format="patch")
    assert patch.get("patch") or patch.get("patchBase64")


def test_a_task_in_a_folder_of_a_strange_name_works_there(machine: Machine) -> None:
    repo = machine.repo("re po 🐍")
    repo.write("in ner/x.txt", "x\n")
    repo.commit()
    server: Client = machine.serve(repo)
    view = server.run(task("one", sh("cat x.txt"), cwd=(repo.folder / "in ner").as_uri()))
    assert view["tasks"][0]["resultText"] == "x\n"
