from __future__ import annotations

import json
from pathlib import Path

import click
import pytest

from sennit.cli import main
from sennit.cli.nvim_path_command import MARK, plugin_folder


def test_the_folder_of_the_plugin_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["nvim-path"]) == 0
    assert (Path(capsys.readouterr().out.strip()) / MARK).is_file()


def test_the_folder_can_be_had_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["nvim-path", "--json"]) == 0
    assert (Path(json.loads(capsys.readouterr().out)["folder"]) / MARK).is_file()


def test_a_package_is_taken_before_a_checkout(tmp_path: Path) -> None:
    for name in ("package", "checkout"):
        (tmp_path / name / MARK).parent.mkdir(parents=True)
        (tmp_path / name / MARK).touch()
    places = [tmp_path / name for name in ("none", "package", "checkout")]
    assert plugin_folder(places) == tmp_path / "package"


def test_an_installation_without_the_plugin_says_where_it_looked(tmp_path: Path) -> None:
    with pytest.raises(click.ClickException, match="none"):
        plugin_folder([tmp_path / "none"])
