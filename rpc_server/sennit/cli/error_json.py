"""An error as one JSON value, which is all that a command with `--json` writes then."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence

JSON_OPTION = "--json"


def wants_json(arguments: Sequence[str]) -> bool:
    """Whether these arguments, which may be wrong in any way, ask for JSON."""
    options = arguments[: arguments.index("--")] if "--" in arguments else arguments
    return JSON_OPTION in options


def error_json(
    message: str, exit_code: int, code: int | None = None, data: object = None
) -> dict[str, object]:
    """Give the JSON value of an error; ``code`` is the protocol's, if the server has answered."""
    error = {"code": code, "message": message, "data": data}
    return {"error": error, "exitCode": int(exit_code)}


def write_json(value: object) -> None:
    """Write one JSON value to standard output, in ASCII, whatever the terminal's encoding is."""
    sys.stdout.write(json.dumps(value, indent=2, ensure_ascii=True) + "\n")
    sys.stdout.flush()
