"""Switches off hooks that configuration names, which git 2.54 and newer run too.

``core.hooksPath`` says nothing of these. One is switched off by its own name, and since git 2.55
all of an event are by that of the event; an older git knows neither and runs none. So with git 2.54
alone a hook that the user configures once a workspace is there runs in it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sennit.adapters.git.git import Config

_EVENTS = (
    "applypatch-msg",
    "pre-applypatch",
    "post-applypatch",
    "pre-commit",
    "pre-merge-commit",
    "prepare-commit-msg",
    "commit-msg",
    "post-commit",
    "pre-rebase",
    "post-checkout",
    "post-merge",
    "pre-receive",
    "update",
    "proc-receive",
    "post-receive",
    "post-update",
    "reference-transaction",
    "push-to-checkout",
    "pre-auto-gc",
    "post-rewrite",
    "sendemail-validate",
    "post-index-change",
)
"""All but ``pre-push``, where a hook of ours refuses; see ``remotes``."""


def all_hooks_off(names: Iterable[str]) -> Config:
    """Give what switches off the hooks of ``names`` and those that are configured later."""
    return (*named_hooks_off(names), *((f"hook.{event}.enabled", "false") for event in _EVENTS))


def named_hooks_off(names: Iterable[str]) -> Config:
    """Give what switches off each hook that is among the names of settings."""
    parts = (name.partition(".") for name in names)
    hooks = (rest.rpartition(".")[0] for section, _, rest in parts if section == "hook")
    return tuple((f"hook.{hook}.enabled", "false") for hook in dict.fromkeys(hooks) if hook)
