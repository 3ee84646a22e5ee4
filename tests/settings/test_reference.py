from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from sennit.settings.keys import TABLE, Source
from sennit.settings.reader import Sources, read_settings
from sennit.settings.reference import settings_page, settings_schema
from sennit.settings.values import Settings


def test_every_key_is_on_the_page() -> None:
    page = settings_page()
    for key in TABLE:
        assert f"### `{key.name}`" in page


@pytest.mark.parametrize("source", [Source.USER, Source.REPOSITORY, Source.CLIENT])
def test_the_schemas_are_schemas(source: Source) -> None:
    Draft202012Validator.check_schema(dict(settings_schema(source)))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "limits.tasks = 4",
        "limits.tasks = 0",
        "limits.tasks = true",
        "limits.nonsense = 1",
        "limits.agent.command = 1",
        "limits.agent.x = 0",
        "limits.agent.'x y' = 1",
        "limits.agent = 1",
        "limits.model.'a-1.5/b:c d' = 1",
        "limits.model.a.b = 1",
        "limits.provider.'' = 1",
        "limits.provider.us = 256",
        "review.offer = 'auto'",
        "review.offer = 'never'",
        "[agents.x]\nargv = ['a']\nenv = {A = 'b'}\nstop.termMs = 3",
        "[agents.x]\nargv = []",
        "[agents.x]\nargv = ['a']\nnonsense = 1",
        "[agents.'x y']\nargv = ['a']",
        "log.file = 'relative'",
        "workspace.include = [1]",
    ],
)
def test_schema_and_reader_agree(tmp_path: Path, text: str) -> None:
    values: dict[str, Any] = tomllib.loads(text)
    by_schema = Draft202012Validator(dict(settings_schema(Source.USER))).is_valid(values)
    (tmp_path / "config.toml").write_text(text)
    by_reader = isinstance(read_settings(Sources(user_folder=tmp_path)), Settings)
    assert by_schema == by_reader
