"""A codemod: renames a name in Python files, by their tokens, so that text and comments stay.

Use: rename_name.py OLD NEW FOLDER...
"""

from __future__ import annotations

import io
import sys
import tokenize
from pathlib import Path


def main(arguments: list[str]) -> int:
    """Rename in every file below the folders; gives the exit code."""
    old, new, *folders = arguments
    changed = 0
    for folder in folders:
        for path in sorted(Path(folder).rglob("*.py")):
            changed += _rename_in(path, old, new)
    sys.stdout.write(f"renamed {changed} times\n")
    return 0 if changed else 1


def _rename_in(path: Path, old: str, new: str) -> int:
    source = path.read_text(encoding="utf-8")
    places = [
        token.start
        for token in tokenize.generate_tokens(io.StringIO(source).readline)
        if token.type == tokenize.NAME and token.string == old
    ]
    if not places:
        return 0
    lines = source.splitlines(keepends=True)
    for row, column in reversed(places):
        line = lines[row - 1]
        lines[row - 1] = line[:column] + new + line[column + len(old) :]
    path.write_text("".join(lines), encoding="utf-8")
    sys.stdout.write(f"{path}: {len(places)}\n")
    sys.stdout.flush()
    return len(places)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
