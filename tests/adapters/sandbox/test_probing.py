from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from sennit.adapters.sandbox.probing import probe, try_out
from sennit.core.sandbox import SandboxMissing, SandboxReady


def false_bubblewrap(folder: Path, script: str) -> str:
    program = folder / "bwrap"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    return str(program)


def sysctls(folder: Path, **values: str) -> Path:
    for name, value in values.items():
        file = folder / name.replace("__", "/")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(value + "\n")
    return folder


def refused(program: str, settings: Path) -> SandboxMissing:
    found = try_out(program, settings)
    assert isinstance(found, SandboxMissing)
    return found


def test_a_machine_has_a_sandbox_or_says_why_not() -> None:
    program = shutil.which("bwrap")
    found = probe({"PATH": "/usr/local/bin:/usr/bin:/bin"})
    if isinstance(found, SandboxReady):
        assert found.program == program
        assert found.version.startswith("bubblewrap ")
    else:
        assert found.advice
        assert ("not installed" in found.problem) == (program is None)


def test_bubblewrap_that_is_not_installed_is_named(tmp_path: Path) -> None:
    found = probe({"PATH": str(tmp_path)})
    assert isinstance(found, SandboxMissing)
    assert "not installed" in found.problem
    assert "Install" in found.advice


def test_a_relative_folder_of_path_is_not_searched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    false_bubblewrap(tmp_path, "echo bubblewrap 99")
    monkeypatch.chdir(tmp_path)
    found = probe({"PATH": f".:{tmp_path / 'nowhere'}"})
    assert isinstance(found, SandboxMissing)
    assert "not installed" in found.problem


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("kernel__unprivileged_userns_clone", "0"),
        ("user__max_user_namespaces", "0"),
        ("kernel__apparmor_restrict_unprivileged_userns", "1"),
    ],
)
def test_the_setting_of_the_kernel_that_forbids_it_is_named(
    tmp_path: Path, name: str, value: str
) -> None:
    said = "bwrap: setting up uid map: Permission denied"
    program = false_bubblewrap(tmp_path, f"echo '{said}' >&2; exit 1")
    found = refused(program, sysctls(tmp_path / "sys", **{name: value}))
    assert said in found.problem
    assert f"sysctl -w {name.replace('__', '.')}=" in found.advice


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("bwrap: No permissions to create new namespace", "container"),
        ("bwrap: Can't mount proc on /newroot/proc: Operation not permitted", "/proc"),
        ("bwrap: Can't find source path /x: Input/output error", "See its words"),
    ],
)
def test_bubblewrap_that_fails_is_told_with_its_words(tmp_path: Path, said: str, told: str) -> None:
    program = false_bubblewrap(tmp_path, f'echo "{said}" >&2; exit 1')
    allowing = sysctls(tmp_path / "sys", user__max_user_namespaces="1000")
    found = refused(program, allowing)
    assert said in found.problem
    assert told in found.advice


def test_a_program_that_cannot_be_run_is_told(tmp_path: Path) -> None:
    found = refused(str(tmp_path / "none"), tmp_path)
    assert "cannot be run" in found.problem


def test_what_failed_is_tried_again_and_what_worked_is_remembered(tmp_path: Path) -> None:
    calls = tmp_path / "calls"
    script = f"echo x >> {calls}; test -e {tmp_path}/mended && echo bubblewrap 99"
    false_bubblewrap(tmp_path, script)
    environ = {"PATH": str(tmp_path)}
    assert isinstance(probe(environ), SandboxMissing)
    (tmp_path / "mended").touch()
    assert isinstance(probe(environ), SandboxReady)
    assert isinstance(probe(environ), SandboxReady)
    assert calls.read_text() == "x\nx\n"
