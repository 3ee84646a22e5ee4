"""The types of LSP: those of lsprotocol, which is imported when the first of them is used.

It is 550 classes, a third of what a server imports, and the clients of a terminal speak nothing of
LSP but its life cycle. For an editor it is imported when it introduces itself. Nothing may use a
name of this module while it is imported itself; names of methods are in `lsp_names`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lsprotocol.types import *  # noqa: F403  all of it
else:

    def __getattr__(name: str) -> object:
        """Look a name up in lsprotocol; Python asks here for what a module has not."""
        from lsprotocol import types  # noqa: PLC0415  see the top

        return getattr(types, name)
