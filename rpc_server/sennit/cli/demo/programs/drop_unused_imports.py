"""A fixer for machines without ruff: removes top-level imports that a Python module never uses.

Use: drop_unused_imports.py FILE
"""

from __future__ import annotations

import ast
import sys
from pathlib import Path


def main(arguments: list[str]) -> int:
    """Change the file; gives the exit code."""
    path = Path(arguments[0])
    source = path.read_text(encoding="utf-8")
    module = ast.parse(source)
    used = {node.id for node in ast.walk(module) if isinstance(node, ast.Name)}
    unused = [node for node in module.body if _is_unused(node, used)]
    gone = {row for node in unused for row in range(node.lineno, (node.end_lineno or 0) + 1)}
    lines = source.splitlines(keepends=True)
    kept = [line for row, line in enumerate(lines, start=1) if row not in gone]
    path.write_text("".join(kept), encoding="utf-8")
    sys.stdout.write(f"{path}: {len(unused)} imports removed\n")
    return 0


def _is_unused(node: ast.stmt, used: set[str]) -> bool:
    if not isinstance(node, ast.Import | ast.ImportFrom):
        return False
    names = {(alias.asname or alias.name).partition(".")[0] for alias in node.names}
    return names.isdisjoint(used)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
