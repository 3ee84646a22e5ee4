"""A codemod: ends a Python module with `__all__`, the list of its public classes and functions.

Use: add_exports.py FILE
"""

from __future__ import annotations

import ast
import sys
from pathlib import Path


def main(arguments: list[str]) -> int:
    """Change the file; gives the exit code."""
    path = Path(arguments[0])
    source = path.read_text(encoding="utf-8")
    names = sorted(
        node.name
        for node in ast.parse(source).body
        if isinstance(node, ast.ClassDef | ast.FunctionDef) and not node.name.startswith("_")
    )
    lines = [f'    "{name}",\n' for name in names]
    path.write_text(source + "\n__all__ = [\n" + "".join(lines) + "]\n", encoding="utf-8")
    sys.stdout.write(f"{path}: {len(names)} names\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
