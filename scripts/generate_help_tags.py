"""Generate the tags of Neovim's help; with ``--check`` only say whether they are stale.

Written is what `:helptags` writes. It comes with the plugin: where that is installed nobody may be
able to write, and `:help` finds nothing without it.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDER = Path("editors/neovim/doc")
TAG = re.compile(r"(?<!\S)\*([^\s*|]+)\*(?!\S)")
CODE = re.compile(r"(^|.*\s)>[a-z]*$")
"""The line before an example, in which nothing is a tag."""


def tags_of(path: Path) -> list[str]:
    """Give a line for each tag that a help text defines."""
    found, is_code = [], False
    for line in path.read_text("utf-8").splitlines():
        # An example ends with the first line that is not indented.
        is_code = is_code and (not line or line[0] in " \t")
        if is_code:
            continue
        for tag in TAG.findall(line):
            pattern = tag.replace("\\", "\\\\").replace("/", "\\/")
            found.append(f"{tag}\t{path.name}\t/*{pattern}*\n")
        is_code = CODE.match(line) is not None
    return found


def generated() -> str:
    """Give the text of the file of tags."""
    texts = sorted((ROOT / FOLDER).glob("*.txt"))
    return "".join(sorted((line for text in texts for line in tags_of(text)), key=str.encode))


def main(arguments: list[str]) -> int:
    """Write the tags where they are stale, or with `--check` say so and end with 1."""
    path, text = ROOT / FOLDER / "tags", generated()
    if path.is_file() and path.read_text("utf-8") == text:
        return 0
    if "--check" in arguments:
        print(f"{FOLDER / 'tags'} is not up to date; run scripts/generate_help_tags.py")
        return 1
    path.write_text(text, "utf-8")
    print(f"wrote {FOLDER / 'tags'}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
