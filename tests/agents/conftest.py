"""Real agents are tested only when asked for: `make test-agents` sets the variable."""

from __future__ import annotations

import os

WANTED = os.environ.get("AGENTS_OF_TESTS") == "1"

collect_ignore_glob = [] if WANTED else ["*"]
