from __future__ import annotations

import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[3] / "scripts/generate_states.py"


def test_the_page_of_states_is_what_the_tables_say() -> None:
    found = subprocess.run(
        [sys.executable, str(SCRIPT), "--check"], capture_output=True, text=True, check=False
    )

    assert (found.stdout, found.stderr, found.returncode) == ("", "", 0)
