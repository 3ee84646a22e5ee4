"""Names files of calls that are running, each with the process whose call it is.

What a living process uses is known by that and not by its age: a clock may be set, and a machine
may sleep in the middle of a call.
"""

from __future__ import annotations

import os
import re
import secrets
from functools import lru_cache

from sennit.adapters.git.records import Owner, is_alive, owner_of

_OWNER = re.compile(r"\.(\d+)-(\d+)\.[0-9a-f]{12}(?:\.|\Z)")


def scratch_name(what: str) -> str:
    """Give a name that nothing else has for a file of this process."""
    owner = _owner(os.getpid())
    return f"{what}.{owner.pid}-{owner.started}.{secrets.token_hex(6)}"


def is_somebodys(name: str) -> bool:
    """Tell whether a file of this name, or one made beside it, is that of a living process."""
    found = _OWNER.search(name)
    return found is not None and is_alive(Owner(int(found[1]), int(found[2])))


@lru_cache(maxsize=1)
def _owner(pid: int) -> Owner:
    return owner_of(pid) or Owner(pid, 0)
