"""Draw docs/reference-parity.md from docs/parity.toml; with --check only say whether it is fresh.

Fails when a row is missing, doubled or incomplete, and when a test that it names does not exist.
"""

from __future__ import annotations

import ast
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

import cattrs
from attrs import frozen

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "docs" / "parity.toml"
PAGE = ROOT / "docs" / "reference-parity.md"

SYSTEMS: Mapping[str, tuple[str, int]] = {
    "D": ("pi-delegate", 50),
    "P": ("pi-subagent", 47),
    "C": ("pi-crew", 42),
    "B": ("backburner", 25),
}
"""Name and number of rows of each system, by the letter of its ids."""

NEEDED: Mapping[str, str] = {"done": "tests", "planned": "missing", "refused": "reason"}
"""What a row of each status has to say."""

HEAD = """\
# Parity with the reference systems

<!-- Made by scripts/generate_parity.py from docs/parity.toml. -->

Four existing systems do parts of what Sennit does. Each row is one thing that one of them does, and
where Sennit stands:

- **done**: the tests that are named show it;
- **planned**: what is missing is said, and what is there already;
- **refused**: decided against, with the reason.
"""


@frozen
class Row:
    """One thing that a system does."""

    id: str
    title: str
    status: str
    tests: tuple[str, ...] = ()
    note: str = ""
    there: str = ""
    missing: str = ""
    reason: str = ""


def main(arguments: Sequence[str]) -> int:
    """Write the page, or compare it; return the exit code."""
    rows = read()
    problems = [*problems_of_ids(rows), *(told for row in rows for told in problems_of(row))]
    if problems:
        sys.stderr.write("".join(f"docs/parity.toml: {problem}\n" for problem in problems))
        return 1
    text = page(rows)
    if "--check" not in arguments:
        PAGE.write_text(text)
    elif not PAGE.exists() or PAGE.read_text() != text:
        sys.stderr.write("docs/reference-parity.md is stale: run scripts/generate_parity.py\n")
        return 1
    return 0


def read() -> tuple[Row, ...]:
    """Return the rows of the source; a key that no row has is an error."""
    converter = cattrs.Converter(forbid_extra_keys=True)
    return converter.structure(tomllib.loads(SOURCE.read_text())["row"], tuple[Row, ...])


def problems_of_ids(rows: Sequence[Row]) -> Iterator[str]:
    """Tell which ids are missing, doubled or unknown."""
    counted = Counter(row.id for row in rows)
    known = [f"{letter}{n}" for letter, (_, most) in SYSTEMS.items() for n in range(1, most + 1)]
    yield from (f"{name} is missing" for name in known if name not in counted)
    yield from (f"{name} is there {times} times" for name, times in counted.items() if times > 1)
    yield from (f"{name} is no known id" for name in counted if name not in known)


def problems_of(row: Row) -> Iterator[str]:
    """Tell what a row lacks and which of its tests do not exist."""
    if row.status not in NEEDED:
        yield f"{row.id} has the status {row.status!r}; valid are {', '.join(NEEDED)}"
    elif not getattr(row, NEEDED[row.status]):
        yield f"{row.id} is {row.status} and has no `{NEEDED[row.status]}`"
    for name in row.tests:
        path, _, function = name.partition("::")
        if function not in tests_in(path):
            yield f"{row.id} names a test that is not there: {name}"


@cache
def tests_in(path: str) -> frozenset[str]:
    """Return the names of a test file's functions; the file is read and not run."""
    file = ROOT / path
    if not file.is_file():
        return frozenset()
    return frozenset(
        node.name
        for node in ast.walk(ast.parse(file.read_text()))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    )


def page(rows: Sequence[Row]) -> str:
    """Return the whole page."""
    parts = [HEAD, counts(rows)]
    parts += [section(letter, rows) for letter in SYSTEMS]
    return "\n".join(parts)


def counts(rows: Sequence[Row]) -> str:
    """Return the table of how many rows have which status, by system and in all."""
    lines = [f"| | {' | '.join(NEEDED)} | in all |", "|---" * (len(NEEDED) + 2) + "|"]
    for letter, (name, most) in SYSTEMS.items():
        of_system = Counter(row.status for row in rows if row.id.startswith(letter))
        numbers = " | ".join(str(of_system[status]) for status in NEEDED)
        lines.append(f"| [{name}](#{letter.lower()}-{name}) | {numbers} | {most} |")
    total = Counter(row.status for row in rows)
    numbers = " | ".join(f"**{total[status]}**" for status in NEEDED)
    lines.append(f"| **all** | {numbers} | **{len(rows)}** |")
    return "\n".join(lines) + "\n"


def section(letter: str, rows: Sequence[Row]) -> str:
    """Return the part of one system, its rows in the order of their numbers."""
    own = sorted(
        (row for row in rows if row.id.startswith(letter)), key=lambda row: int(row.id[1:])
    )
    lines = [
        f"## {letter}. {SYSTEMS[letter][0]}",
        "",
        "| id | what it does | status | |",
        "|---" * 4 + "|",
    ]
    lines += [
        f"| {row.id} | {cell(row.title)} | {row.status} | {cell(remarks(row))} |" for row in own
    ]
    return "\n".join(lines) + "\n"


def remarks(row: Row) -> str:
    """Return what there is to say of a row beside its status, with links to its tests."""
    said = [
        row.reason or row.note,
        f"Missing: {row.missing}." if row.missing else "",
        f"There: {row.there}." if row.there else "",
        ", ".join(link(name) for name in row.tests),
    ]
    return "<br>".join(part for part in said if part)


def link(test: str) -> str:
    """Return a test as a link to its file."""
    path, _, function = test.partition("::")
    return f"[`{function}`](../{path})"


def cell(text: str) -> str:
    """Return text that does not end a cell of a table."""
    return text.replace("|", "\\|")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
