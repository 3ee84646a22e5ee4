"""Program that checks one value by one JSON Schema: `python -I fitting.py SECONDS`.

A process of its own, because a pattern of a schema may take for ever with some texts, and nothing
else can be ended then. Reads `[VALUE, SCHEMA]` from standard input and writes the list of errors.
SECONDS are those of the processor.
"""
# What can be imported depends on sys.path.
# ruff: noqa: PLC0415

import json
import resource
import sys
from pathlib import Path

MOST_MEMORY = 1 << 30
"""Bytes."""


def main() -> None:
    """Check what is given."""
    seconds = int(sys.argv[1])
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    sys.path.append(str(Path(__file__).resolve().parents[3]))
    from sennit.core.structured import errors_of

    value, schema = json.load(sys.stdin)
    json.dump(errors_of(value, schema), sys.stdout)


if __name__ == "__main__":
    main()
