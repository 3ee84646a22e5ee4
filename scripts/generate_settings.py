"""Writes docs/settings.md and the JSON schemas of the settings; with --check only compares."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from sennit.settings.keys import Source
from sennit.settings.reference import settings_page, settings_schema

ROOT = Path(__file__).resolve().parent.parent
FOLDER = Path("rpc_server/sennit/settings")


def generated() -> dict[Path, str]:
    """Give the text of every generated file, by its path in the repository."""
    return {
        Path("docs/settings.md"): settings_page(),
        FOLDER / "sennit.schema.json": _schema(Source.REPOSITORY),
        FOLDER / "config.schema.json": _schema(Source.USER),
    }


def _schema(source: Source) -> str:
    return json.dumps(settings_schema(source), indent=2, ensure_ascii=False) + "\n"


def main(arguments: list[str]) -> int:
    """Write what is not up to date, or with `--check` name it and end with 1."""
    stale = {
        path: text
        for path, text in generated().items()
        if not (ROOT / path).is_file() or (ROOT / path).read_text("utf-8") != text
    }
    for path, text in stale.items():
        if "--check" in arguments:
            print(f"{path} is not up to date; run scripts/generate_settings.py")
        else:
            (ROOT / path).write_text(text, "utf-8")
            print(f"wrote {path}")
    return 1 if stale and "--check" in arguments else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
