"""Notice the end of the editor while its end of standard input is still held open by others."""

from __future__ import annotations

import logging
import os

import anyio

from sennit.adapters.platform.ancestry import open_handle

logger = logging.getLogger(__name__)


async def wait_until_gone(pid: int | None, ancestors: frozenset[int]) -> None:
    """Return when the process has ended; never for one that is no ancestor of ours.

    A ``processId`` from another process namespace or another machine names somebody else here, so
    that for those only the end of the stream counts. ``ancestors`` were listed at the start of this
    process: one that has ended since would not be found any more.
    """
    if pid not in ancestors:
        logger.info("process %s is no ancestor; only the end of the stream counts", pid)
        await anyio.sleep_forever()
        return
    handle = open_handle(pid)
    if handle is None:
        return
    try:
        await anyio.wait_readable(handle)
    finally:
        os.close(handle)
