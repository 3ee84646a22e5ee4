"""Generate what follows from the table of methods; with ``--check`` only say what is stale.

Written are the JSON Schema of all messages, the types for both editors, the reference page of the
protocol, and the literal from which the server answers ``initialize`` before it has imported
anything.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from sennit.server.capabilities import initialize_result
from sennit_protocol.json_schema import protocol_schema
from sennit_protocol.luacats import lua_module
from sennit_protocol.methods import METHODS
from sennit_protocol.reference import reference_page
from sennit_protocol.typescript import typescript_module

ROOT = Path(__file__).resolve().parent.parent
SCHEMA = ROOT / "protocol/sennit_protocol/schema/sennit.schema.json"
PAGE = ROOT / "docs/protocol.md"
TYPESCRIPT = ROOT / "editors/vscode/src/protocol.ts"
LUA = ROOT / "editors/neovim/lua/sennit/protocol.lua"
INITIALIZE = ROOT / "rpc_server/sennit/server/initialize_result.json"
PLACEHOLDER_ENCODING = "utf-16"


def generated() -> dict[Path, str]:
    """Make the content of every generated file."""
    return {
        SCHEMA: _json(protocol_schema(METHODS)),
        PAGE: reference_page(METHODS),
        TYPESCRIPT: typescript_module(METHODS),
        LUA: lua_module(METHODS),
        INITIALIZE: _json(initialize_result(PLACEHOLDER_ENCODING)),
    }


def stale() -> list[Path]:
    """List the generated files that are not what would be generated now."""
    return [path for path, text in generated().items() if _read(path) != text]


def main() -> int:
    """Write or check; gives the exit code."""
    if sys.argv[1:] == ["--check"]:
        for path in stale():
            print(f"{path.relative_to(ROOT)} is stale: run scripts/generate_protocol.py")
        return 1 if stale() else 0
    for path, text in generated().items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        print(f"wrote {path.relative_to(ROOT)}")
    return 0


def _read(path: Path) -> str | None:
    return path.read_text(encoding="utf-8") if path.exists() else None


def _json(value: object) -> str:
    return json.dumps(value, indent=2) + "\n"


if __name__ == "__main__":
    sys.exit(main())
