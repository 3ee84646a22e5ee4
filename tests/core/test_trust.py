from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sennit.core.trust import (
    Grant,
    accepts,
    granted,
    granted_by_client,
    judged,
    program_part_of_git_config,
    revoked,
    state_for_client,
)
from sennit_protocol.states import TrustState

FOLDER = b"/repo"
AT = "2026-01-01T00:00:00Z"
GIT = shutil.which("git") or "git"


def grant_of(found: dict[bytes, str], before: Grant | None = None) -> Grant:
    return granted(before, FOLDER, found, AT)


def test_what_was_never_granted_is_not_trusted() -> None:
    assert judged(None, {}).state is TrustState.UNTRUSTED


def test_a_granted_folder_is_trusted_while_its_files_stay_the_same() -> None:
    assert judged(grant_of({b".mcp.json": "1"}), {b".mcp.json": "1"}).state is TrustState.TRUSTED


def test_changed_and_new_content_asks_again_and_is_named() -> None:
    grant = grant_of({b".mcp.json": "1"})
    verdict = judged(grant, {b".mcp.json": "2", b".sennit.toml": "3"})
    assert verdict.state is TrustState.CHANGED
    assert verdict.changed == (b".mcp.json", b".sennit.toml")


def test_a_file_that_may_forbid_things_asks_again_when_it_is_gone() -> None:
    grant = grant_of({b"sub/.claude/settings.json": "1", b".claude/skills/x.md": "2"})
    assert judged(grant, {}).changed == (b"sub/.claude/settings.json",)


def test_going_back_and_forth_between_granted_contents_asks_once_for_each() -> None:
    first, second, nothing = {b".mcp.json": "1"}, {b".mcp.json": "2"}, dict[bytes, str]()
    grant = grant_of(second, grant_of(first, grant_of(nothing)))
    for each in (first, second, nothing):
        assert judged(grant, each).state is TrustState.TRUSTED
    assert judged(grant, {b".mcp.json": "3"}).state is TrustState.CHANGED


def test_an_editor_grants_what_is_unknown_and_nothing_else() -> None:
    grant = granted_by_client(None, FOLDER, {b".mcp.json": "1"}, AT)
    assert judged(grant, {b".mcp.json": "1"}).state is TrustState.TRUSTED
    again = granted_by_client(grant, FOLDER, {b".mcp.json": "2"}, AT)
    assert judged(again, {b".mcp.json": "2"}).state is TrustState.CHANGED


def test_an_editor_does_not_overrule_the_user_who_took_the_word_back() -> None:
    grant = revoked(grant_of({b".mcp.json": "1"}), AT)
    assert judged(grant, {b".mcp.json": "1"}).state is TrustState.UNTRUSTED
    again = granted_by_client(grant, FOLDER, {b".mcp.json": "1"}, AT)
    assert judged(again, {b".mcp.json": "1"}).state is TrustState.UNTRUSTED
    assert judged(grant_of({}, grant), {}).state is TrustState.TRUSTED


def test_a_grant_after_a_revocation_does_not_bring_back_what_was_accepted_before() -> None:
    grant = grant_of({b".mcp.json": "2"}, revoked(grant_of({b".mcp.json": "1"}), AT))
    assert judged(grant, {b".mcp.json": "1"}).state is TrustState.CHANGED


def test_a_file_counts_only_with_a_granted_content() -> None:
    grant = grant_of({b".sennit.toml": "1"})
    assert accepts(grant, b".sennit.toml", "1")
    assert not accepts(grant, b".sennit.toml", "2")
    assert not accepts(None, b".sennit.toml", "1")
    assert not accepts(revoked(grant, AT), b".sennit.toml", "1")


def test_the_no_of_an_editor_always_counts_and_its_yes_adds_nothing() -> None:
    trusted, unknown = judged(grant_of({}), {}), judged(None, {})
    assert state_for_client(said=False, verdict=trusted) is TrustState.UNTRUSTED
    assert state_for_client(said=True, verdict=unknown) is TrustState.UNTRUSTED
    assert state_for_client(said=None, verdict=trusted) is TrustState.TRUSTED


def test_everyday_changes_of_git_configuration_do_not_count() -> None:
    before = b'[core]\n\tbare = false\n[filter "x"]\n\tclean = run me\n'
    after = (
        before
        + b'[remote "origin"]\n\turl = https://host/x\n\tfetch = +refs/heads/*:refs/remotes/o/*\n'
        b'[branch "main"]\r\n\tremote = origin\n\tmerge = refs/heads/main\n'
        b"[user]\n\tname = Somebody\n"
    )
    assert program_part_of_git_config(after) == program_part_of_git_config(before)


@pytest.mark.parametrize(
    "content",
    [
        b"[core]\n\tfsmonitor = run me\n",
        b'[branch "x"]\n\tremote = a\n\trunme = run me\n',
        b'[branch "x"] fsmonitor = run me\n',
        b'[remote "x"]\n\tuploadpack = run me\n',
        b'[branch "x"]\n# \\\n[alias]\nmerge = !run me\n',
        b'[branch "x"]\nmerge = a\\\n[alias]\nmerge = !run me\n',
        b'[branch "a\\"]"]\n[alias]\nmerge = !run me\n',
        b"[user]\n [alias] merge = !run me\n",
        b"[include]\npath = run me\n",
    ],
)
def test_whatever_could_start_a_program_stays(content: bytes) -> None:
    assert b"run me" in program_part_of_git_config(content)


LINES = st.sampled_from([
    b"[alias]", b"[core]", b'[branch "x"]', b'[remote "x"]', b"[user]", b"# c \\", b"; [core]",
    b"url = !run me", b"merge = !run me", b"name = !run me", b"push = !run me \\", b" fsmonitor=x",
    b'[branch "x"] merge = a', b"\t[alias] x = y", b'url = "a \\" b"', b"", b"bare",
])  # fmt: skip


HARMLESS = re.compile(
    rb"branch\..*\.(remote|merge|rebase|pushremote|description)"
    rb"|remote\..*\.(url|pushurl|fetch|push|tagopt|prune)|user\.(name|email|signingkey)"
)


@settings(max_examples=60, deadline=None)
@given(lines=st.lists(LINES, min_size=1, max_size=7), data=st.data())
def test_whatever_makes_a_difference_to_git_makes_one_to_the_hash(
    tmp_path_factory: pytest.TempPathFactory, lines: list[bytes], data: st.DataObject
) -> None:
    file: Path = tmp_path_factory.mktemp("config") / "config"
    left_out = data.draw(st.integers(0, len(lines) - 1))
    one, other = b"\n".join(lines), b"\n".join(lines[:left_out] + lines[left_out + 1 :])
    if program_part_of_git_config(one) == program_part_of_git_config(other):
        assert dangerous_to_git(file, one) == dangerous_to_git(file, other)


def dangerous_to_git(file: Path, content: bytes) -> list[bytes] | None:
    file.write_bytes(content)
    asked = [GIT, "config", "--file", str(file), "--list", "-z"]
    done = subprocess.run(asked, capture_output=True, check=False)
    if done.returncode:
        return None
    entries = done.stdout.split(b"\0")
    return [each for each in entries if not HARMLESS.fullmatch(each.split(b"\n")[0])]
