"""The settings as they are now: what a broken file said before goes on to count."""

from __future__ import annotations

from pathlib import Path

import pytest

from sennit.adapters.trust import TrustStore
from sennit.server.settings_in_force import EVERYWHERE, SettingsInForce

pytestmark = pytest.mark.anyio


async def test_a_file_that_breaks_leaves_in_force_what_it_said_until_it_is_mended(
    tmp_path: Path,
) -> None:
    file = tmp_path / "config.toml"
    environ = {"SENNIT_CONFIG_DIR": str(tmp_path)}
    settings = SettingsInForce(environ=environ, trust=TrustStore(tmp_path))
    file.write_text(f'store.path = "{tmp_path}/elsewhere"\n')
    await settings.refresh(EVERYWHERE)
    for broken in ("[store\n", "[limits\n"):
        file.write_text(broken)
        await settings.refresh(EVERYWHERE)
        assert settings.problems()
        assert settings.of(EVERYWHERE).store_path == f"{tmp_path}/elsewhere"
    file.write_text("")
    await settings.refresh(EVERYWHERE)
    assert not settings.problems()
    assert settings.of(EVERYWHERE).store_path is None


async def test_settings_that_are_read_again_as_they_were_are_one_value(tmp_path: Path) -> None:
    environ = {"SENNIT_CONFIG_DIR": str(tmp_path)}
    settings = SettingsInForce(environ=environ, trust=TrustStore(tmp_path))
    top = bytes(tmp_path / "repository")
    first = await settings.refresh(top)
    assert await settings.refresh(top) is first
    assert settings.of(top) is first
    (tmp_path / "config.toml").write_text("limits.tasks = 3\n")
    changed = await settings.refresh(top)
    assert changed != first
    assert settings.of(top) is changed
