"""Rules of the tree that no linter knows."""

from __future__ import annotations

import ast
import gc
import re
import subprocess
import sys
from collections.abc import Iterator
from enum import StrEnum
from functools import cache
from pathlib import Path

import pytest

from sennit_protocol import states

ROOT = Path(__file__).resolve().parent.parent
SOURCES = (ROOT / "rpc_server", ROOT / "protocol")
LONGEST_MODULE = 400
LONGEST_FUNCTION = 60


def modules(*folders: Path) -> Iterator[Path]:
    for folder in folders or SOURCES:
        yield from sorted(folder.rglob("*.py"))


@cache
def parsed(path: Path) -> ast.Module:
    # To look for garbage among a million new nodes takes three times as long as to make them.
    gc.disable()
    try:
        return ast.parse(path.read_text())
    finally:
        gc.enable()


def tracked() -> list[Path]:
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    names = listed.stdout.decode().split("\0")
    return [ROOT / name for name in names if name and (ROOT / name).is_file()]


def functions(tree: ast.AST) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Find functions, in statements alone: to look into expressions takes ten times as long."""
    for name in ("body", "orelse", "finalbody", "handlers", "cases"):
        for node in getattr(tree, name, ()):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                yield node
            yield from functions(node)


@cache
def words(path: Path) -> tuple[tuple[ast.keyword, ...], tuple[ast.Constant, ...]]:
    """Give named arguments and constants of a module."""
    nodes = list(ast.walk(parsed(path)))
    return (
        tuple(node for node in nodes if isinstance(node, ast.keyword)),
        tuple(node for node in nodes if isinstance(node, ast.Constant)),
    )


def test_no_module_is_longer_than_four_hundred_lines() -> None:
    long = {
        str(path.relative_to(ROOT)): count
        for path in modules()
        if (count := len(path.read_text().splitlines())) > LONGEST_MODULE
    }
    assert not long


def test_no_function_is_longer_than_sixty_lines() -> None:
    long = [
        f"{path.relative_to(ROOT)}:{node.lineno} {node.name}"
        for path in modules(*SOURCES, ROOT / "tests", ROOT / "benchmarks", ROOT / "scripts")
        for node in functions(parsed(path))
        if (node.end_lineno or 0) - node.lineno >= LONGEST_FUNCTION
    ]
    assert not long


def test_every_module_says_what_it_is_for() -> None:
    silent = [
        str(path.relative_to(ROOT)) for path in modules() if not ast.get_docstring(parsed(path))
    ]
    assert not silent


def test_modules_are_named_after_a_stage_or_a_thing() -> None:
    vague = {"utils", "util", "helpers", "helper", "manager", "common", "misc"}
    assert not [path for path in modules() if path.stem in vague]


def test_no_shell_is_used_anywhere() -> None:
    shells = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in modules()
        for node in words(path)[0]
        if node.arg == "shell"
        and not (isinstance(node.value, ast.Constant) and node.value.value is False)
    ]
    assert not shells


SPELLED_ELSEWHERE = frozenset({
    # These words are also plain words of git, LSP, JSON or of another enum.
    "none", "failed", "running", "starting", "deletion", "sensitive", "generated", "settled",
    "stale", "exit", "signal", "change", "patch", "disk", "editor", "auto", "manual", "accepted",
    "rejected",
    "answer", "dependency", "slot", "spawn", "setup", "stalled", "timeout", "queued", "waiting",
    "completed", "partial", "cancelled", "interrupted", "blocked", "skipped", "preparing", "ended",
    "limit", "trusted", "untrusted", "changed", "refused", "internal", "protocol", "uncertain",
    "applied", "unknown", "clean", "conflict", "pending", "retained", "discarded", "quarantined",
    "recovered", "captured", "stopping", "cancelling", "offered", "undone", "applying", "delivery",
    "unchanged", "unchecked", "undecided", "attention", "user", "escaped", "budget", "retry",
    "permission", "selection", "provider", "model", "agent",
})  # fmt: skip


def test_a_status_of_two_words_is_spelled_in_one_place() -> None:
    statuses = {
        member.value
        for cls in vars(states).values()
        if isinstance(cls, type) and issubclass(cls, StrEnum)
        for member in cls
    } - SPELLED_ELSEWHERE
    found = [
        f"{path.relative_to(ROOT)}:{node.lineno} {node.value}"
        for path in modules()
        if path.name != "states.py"
        for node in words(path)[1]
        if node.value in statuses
    ]
    assert not found


@pytest.mark.parametrize("script", sorted((ROOT / "scripts").glob("generate_*.py")), ids=str)
def test_what_is_generated_is_fresh(script: Path) -> None:
    checked = subprocess.run(
        [sys.executable, str(script), "--check"], cwd=ROOT, capture_output=True, check=False
    )
    assert checked.returncode == 0, (checked.stdout + checked.stderr).decode()


PRIVATE = re.compile(
    r"""(?x)
      (?: ^ | [^A-Za-z0-9_.] ) / (?: work | farm | root ) / [a-z]   # a path of one machine
    | https?://[^\s)>"']* (?: pypi | npmjs | debian ) \. [a-z]+      # a registry
    """
)


def test_no_file_names_a_machine_or_a_registry() -> None:
    found = []
    for path in tracked():
        try:
            text = path.read_text()
        except UnicodeDecodeError:
            continue
        if path != Path(__file__).resolve() and (match := PRIVATE.search(text)):
            found.append(f"{path.relative_to(ROOT)}: {match.group().strip()}")
    assert not found


def test_lock_files_hold_no_addresses() -> None:
    python = [path for path in tracked() if path.parent.name == "requirements"]
    node = [path for path in tracked() if path.name == "package-lock.json"]
    assert (len(python), len(node)) == (2, 3)
    assert not [path for path in (*python, *node) if "://" in path.read_text()]


def test_every_link_of_the_documents_leads_somewhere() -> None:
    broken = [
        f"{path.relative_to(ROOT)}: {target}"
        for path in tracked()
        if path.suffix == ".md"
        for target in re.findall(r"\]\(([^)#\s]+)", path.read_text())
        if "://" not in target and not (path.parent / target).exists()
    ]
    assert not broken


def test_every_module_that_the_architecture_names_exists() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text()
    named = set(re.findall(r"`((?:core|server|adapters|runtime|settings)/[\w/]+\.py)`", text))
    base = ROOT / "rpc_server" / "sennit"
    assert named
    assert not [name for name in named if not (base / name).exists()]
