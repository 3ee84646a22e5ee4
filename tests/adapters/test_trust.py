from __future__ import annotations

import json
import os
from pathlib import Path

import anyio
import pytest

from sennit.adapters.trust import NotGranted, TrustStore, TrustUnreadable
from sennit.adapters.watched_files import TrustPlace
from sennit.core.trust import GIT_CONFIG, TrustVerdict
from sennit_protocol.states import TrustState

AT = "2026-01-01T00:00:00Z"
pytestmark = pytest.mark.anyio


@pytest.fixture
def top(tmp_path: Path) -> Path:
    folder = tmp_path / "repo"
    (folder / ".git").mkdir(parents=True)
    (folder / ".git" / "config").write_bytes(b"[core]\n\tbare = false\n")
    return folder


@pytest.fixture
def store(tmp_path: Path) -> TrustStore:
    return TrustStore(tmp_path / "state")


def place_of(top: Path, *folders: Path) -> TrustPlace:
    config = os.fsencode(top / ".git" / "config")
    return TrustPlace(os.fsencode(top), (config,), tuple(os.fsencode(each) for each in folders))


def state_of(verdict: TrustVerdict | TrustUnreadable) -> TrustState:
    assert isinstance(verdict, TrustVerdict), verdict
    return verdict.state


def changed_in(verdict: TrustVerdict | TrustUnreadable) -> tuple[bytes, ...]:
    assert isinstance(verdict, TrustVerdict), verdict
    return verdict.changed


async def test_nothing_is_trusted_at_first_and_asking_writes_nothing(
    store: TrustStore, top: Path
) -> None:
    assert state_of(await store.verdict(place_of(top))) is TrustState.UNTRUSTED
    assert not store.folder.exists()


async def test_a_grant_is_seen_by_every_server_of_the_user(store: TrustStore, top: Path) -> None:
    assert state_of(await store.grant(place_of(top), AT)) is TrustState.TRUSTED
    other = TrustStore(store.folder)
    assert state_of(await other.verdict(place_of(top))) is TrustState.TRUSTED


async def test_the_trust_file_is_private(store: TrustStore, top: Path) -> None:
    await store.grant(place_of(top), AT)
    assert store.file.stat().st_mode & 0o777 == 0o600
    assert store.folder.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize(
    "name",
    [
        ".sennit.toml", ".mcp.json", ".claude/settings.json", ".claude/skills/x/run.sh",
        ".gemini/settings.json", ".codex/config.toml", "opencode.json", "opencode.jsonc",
        ".opencode/plugin/x.ts",
    ],
)  # fmt: skip
async def test_each_file_that_can_start_a_program_asks_again(
    store: TrustStore, top: Path, name: str
) -> None:
    await store.grant(place_of(top), AT)
    (top / name).parent.mkdir(parents=True, exist_ok=True)
    (top / name).write_text("run me")
    assert changed_in(await store.verdict(place_of(top))) == (name.encode(),)
    assert state_of(await store.grant(place_of(top), AT)) is TrustState.TRUSTED


async def test_a_program_in_git_configuration_asks_again_and_an_upstream_does_not(
    store: TrustStore, top: Path
) -> None:
    await store.grant(place_of(top), AT)
    with (top / ".git" / "config").open("ab") as config:
        config.write(b'[branch "main"]\n\tremote = origin\n')
    assert state_of(await store.verdict(place_of(top))) is TrustState.TRUSTED
    with (top / ".git" / "config").open("ab") as config:
        config.write(b'[filter "x"]\n\tclean = run me\n')
    assert changed_in(await store.verdict(place_of(top))) == (GIT_CONFIG,)


async def test_files_on_the_way_to_where_an_agent_starts_count_too(
    store: TrustStore, top: Path
) -> None:
    inner = top / "a" / "b"
    inner.mkdir(parents=True)
    await store.grant(place_of(top), AT)
    (inner / ".mcp.json").write_text("run me")
    assert state_of(await store.verdict(place_of(top))) is TrustState.TRUSTED
    assert changed_in(await store.verdict(place_of(top, inner))) == (b"a/b/.mcp.json",)
    await store.grant(place_of(top, inner), AT)
    (inner / ".mcp.json").write_text("run something else")
    assert changed_in(await store.verdict(place_of(top))) == (b"a/b/.mcp.json",)


async def test_a_grant_covers_no_folder_inside_and_none_around(
    store: TrustStore, top: Path
) -> None:
    inner = top / "inner"
    (inner / ".git").mkdir(parents=True)
    await store.grant(place_of(top), AT)
    assert state_of(await store.verdict(place_of(inner))) is TrustState.UNTRUSTED
    assert state_of(await store.verdict(place_of(top.parent))) is TrustState.UNTRUSTED


async def test_an_editor_grants_the_folder_and_no_changed_content(
    store: TrustStore, top: Path
) -> None:
    assert state_of(await store.grant_by_client(place_of(top), AT)) is TrustState.TRUSTED
    (top / ".mcp.json").write_text("run me")
    assert state_of(await store.grant_by_client(place_of(top), AT)) is TrustState.CHANGED
    await store.revoke(os.fsencode(top), AT)
    assert state_of(await store.grant_by_client(place_of(top), AT)) is TrustState.UNTRUSTED


async def test_a_word_can_be_taken_back_also_of_a_folder_that_is_gone(
    store: TrustStore, tmp_path: Path, top: Path
) -> None:
    await store.grant(place_of(top), AT)
    await anyio.Path(top).rename(tmp_path / "elsewhere")
    await store.revoke(os.fsencode(top), AT)
    folders = await store.granted_folders()
    assert not isinstance(folders, TrustUnreadable)
    assert [(each.folder, each.revoked) for each in folders] == [(os.fsencode(top), True)]
    assert await store.revoke(b"/nobody", AT) == NotGranted(b"/nobody")


async def test_names_that_are_not_utf8_are_kept(store: TrustStore, tmp_path: Path) -> None:
    odd = TrustPlace(os.fsencode(tmp_path) + b"/\xff %41\n")
    await anyio.Path(os.fsdecode(odd.top)).mkdir()
    await store.grant(odd, AT)
    assert state_of(await store.verdict(odd)) is TrustState.TRUSTED


async def test_the_settings_file_counts_with_the_granted_content_alone(
    store: TrustStore, top: Path
) -> None:
    (top / ".sennit.toml").write_bytes(b"x")
    await store.grant(place_of(top), AT)
    digest = "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881"
    assert store.accepts_file(os.fsencode(top), b".sennit.toml", digest)
    assert not store.accepts_file(os.fsencode(top), b".sennit.toml", digest[::-1])
    assert not store.accepts_file(b"/elsewhere", b".sennit.toml", digest)


@pytest.mark.parametrize(
    "content",
    [
        b"", b"{", b"[]", b"{}", b'{"version": 2, "folders": []}', b'{"version": 1}', b"\xff",
        b'{"version": 1, "folders": [{}]}', b'{"version": 1, "folders": 3}', b"[" * 100_000,
        b'{"version": 1, "folders": [{"folder": "/x", "at": "", "revoked": 0, "accepted": {}}]}',
        b'{"version": 1, "folders": [{"folder": "/", "at": "", "revoked": false, "accepted": 1}]}',
    ],
)  # fmt: skip
async def test_a_damaged_trust_file_means_that_nothing_is_trusted_and_is_left_alone(
    store: TrustStore, top: Path, content: bytes
) -> None:
    await store.grant(place_of(top), AT)
    store.file.write_bytes(content)
    for answer in (
        await store.verdict(place_of(top)),
        await store.grant(place_of(top), AT),
        await store.grant_by_client(place_of(top), AT),
        await store.revoke(os.fsencode(top), AT),
        await store.granted_folders(),
    ):
        assert isinstance(answer, TrustUnreadable)
        assert str(store.file) in answer.message
    assert store.file.read_bytes() == content
    assert not store.accepts_file(os.fsencode(top), b".sennit.toml", "")


async def test_a_trust_file_that_others_can_write_is_not_believed(
    store: TrustStore, top: Path
) -> None:
    await store.grant(place_of(top), AT)
    store.file.chmod(0o666)
    answer = await store.verdict(place_of(top))
    assert isinstance(answer, TrustUnreadable)
    assert "chmod 600" in answer.message


async def test_a_state_folder_that_cannot_be_written_grants_nothing(
    tmp_path: Path, top: Path
) -> None:
    (tmp_path / "file").touch()
    store = TrustStore(tmp_path / "file" / "state")
    answer = await store.grant(place_of(top), AT)
    assert isinstance(answer, TrustUnreadable)
    assert "Nothing was granted" in answer.message


async def test_a_watched_file_that_cannot_be_read_is_named(store: TrustStore, top: Path) -> None:
    await store.grant(place_of(top), AT)
    os.mkfifo(top / ".mcp.json")
    answer = await store.verdict(place_of(top))
    assert isinstance(answer, TrustUnreadable)
    assert ".mcp.json" in answer.message


async def test_a_folder_that_links_to_itself_is_walked_once(store: TrustStore, top: Path) -> None:
    skills = top / ".claude" / "skills"
    skills.mkdir(parents=True)
    (skills / "again").symlink_to(".")
    (skills / "run.sh").write_text("x")
    assert state_of(await store.grant(place_of(top), AT)) is TrustState.TRUSTED
    assert state_of(await store.verdict(place_of(top))) is TrustState.TRUSTED


async def test_a_linked_folder_counts_with_what_is_behind_the_link(
    store: TrustStore, tmp_path: Path, top: Path
) -> None:
    behind = tmp_path / "behind"
    behind.mkdir()
    (behind / "run.sh").write_text("x")
    (top / ".claude").mkdir()
    (top / ".claude" / "skills").symlink_to(behind)
    await store.grant(place_of(top), AT)
    (behind / "run.sh").write_text("y")
    assert changed_in(await store.verdict(place_of(top))) == (b".claude/skills/run.sh",)


async def test_two_servers_that_grant_at_once_lose_nothing(
    store: TrustStore, tmp_path: Path
) -> None:
    places = [TrustPlace(os.fsencode(tmp_path / str(number))) for number in range(8)]
    async with anyio.create_task_group() as group:
        for each in places:
            await anyio.Path(os.fsdecode(each.top)).mkdir()
            group.start_soon(TrustStore(store.folder).grant, each, AT)
    assert len(json.loads(store.file.read_bytes())["folders"]) == 8
