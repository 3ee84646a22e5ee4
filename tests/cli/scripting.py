from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from sennit.cli.client import ClientOptions

FAKE_SERVER = Path(__file__).parent / "fake_server.py"

Scripted = Callable[[Mapping[str, object]], ClientOptions]
Keyboard = Callable[[bytes], None]
"""Types into the terminal that is standard input."""


def scripted_options(folder: Path, script: Mapping[str, object]) -> ClientOptions:
    """Make options of a client whose server follows a script: method → what it does."""
    path = folder / "script.json"
    path.write_text(json.dumps(script))
    return ClientOptions(folder, command=(sys.executable, str(FAKE_SERVER), str(path)))
