"""Names files of calls that are running, each with the process whose call it is.

What a living process uses is known by that and not by its age: a clock may be set, and a machine
may sleep in the middle of a call.
"""

from __future__ import annotations

import os
import re
import secrets
from functools import lru_cache
from typing import TYPE_CHECKING

from sennit.adapters.git.records import is_alive
from sennit.adapters.platform.lives import Owner, this_process

if TYPE_CHECKING:
    from sennit.adapters.git.store import Store

_OWNER = re.compile(r"\.(\d+)-(\d+)((?:-[0-9a-f]+)*)\.[0-9a-f]{12}(?:\.|\Z)")


def scratch_name(what: str) -> str:
    """Give a name that nothing else has for a file of this process."""
    owner = _this_process(os.getpid())
    realm = f"-{owner.realm}" if owner.realm else ""
    return f"{what}.{owner.pid}-{owner.started}{realm}.{secrets.token_hex(6)}"


def is_somebodys(name: str, store: Store) -> bool:
    """Tell whether a file of this name, or one made beside it, may be that of a living process."""
    found = _OWNER.search(name)
    return found is not None and is_alive(_named(found), store)


def _named(found: re.Match[str]) -> Owner:
    return Owner(int(found[1]), int(found[2]), found[3].removeprefix("-"))


@lru_cache(maxsize=1)
def _this_process(_pid: int) -> Owner:
    return this_process()
