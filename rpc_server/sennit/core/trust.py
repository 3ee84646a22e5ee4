"""Trust: which files of a folder can start a program, and whether their content was granted.

A grant holds for one folder, by its real path, and for the content of each watched file as it was
then. It holds for no folder inside or around it: a repository inside a trusted one asks for itself.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from attrs import evolve, field, frozen

from sennit_protocol.states import TrustState


@frozen
class Watched:
    """A file, or with a slash at its end all files of a folder, that can start programs.

    ``path`` is relative to a folder in which an agent may start. ``asks_when_gone``: it may also
    forbid things, so that its removal asks again.
    """

    path: bytes
    reason: str
    asks_when_gone: bool = True


# What runs by itself when Sennit or an agent starts in the folder. Not watched, on purpose: hooks
# of git (no call of ours runs one, and workspaces have none), `.gitattributes` (it can only choose
# among drivers that a configuration names, and that one is watched), and what an agent runs because
# its work asks for it (build files, tests): to trust a folder is to accept those.
WATCHED: tuple[Watched, ...] = (
    Watched(b".sennit.toml", "names the agents of the repository and their programs"),
    Watched(b".sennit/agents/", "definitions of agents, which tell them what to do", False),
    Watched(b".mcp.json", "names tool servers that agents start"),
    Watched(b".claude/settings.json", "hooks, helpers and variables of Claude Code"),
    Watched(b".claude/settings.local.json", "hooks, helpers and variables of Claude Code"),
    Watched(b".claude/agents/", "sub-agents of Claude Code, which may bring hooks", False),
    Watched(b".claude/commands/", "commands of Claude Code, which may run programs", False),
    Watched(b".claude/skills/", "skills of Claude Code with their scripts", False),
    Watched(b".claude/hooks/", "scripts that hooks of Claude Code usually name", False),
    Watched(b".gemini/settings.json", "tool servers, hooks and discovery of Gemini CLI"),
    Watched(b".gemini/.env", "variables of Gemini CLI, which may redirect it"),
    Watched(b".gemini/commands/", "commands of Gemini CLI, which may run programs", False),
    Watched(b".gemini/extensions/", "extensions of Gemini CLI with tool servers", False),
    Watched(b".codex/config.toml", "tool servers, hooks and notifiers of Codex"),
    Watched(b".codex/hooks.json", "hooks of Codex"),
    Watched(b"opencode.json", "tool servers, plugins and formatters of opencode"),
    Watched(b"opencode.jsonc", "tool servers, plugins and formatters of opencode"),
    Watched(b".opencode/opencode.json", "tool servers, plugins and formatters of opencode"),
    Watched(b".opencode/opencode.jsonc", "tool servers, plugins and formatters of opencode"),
    Watched(b".opencode/package.json", "packages that opencode installs for its plugins", False),
    *(
        Watched(b".opencode/" + each, "plugins, tools, agents and commands of opencode", False)
        for each in (b"plugin/", b"plugins/", b"tool/", b"tools/", b"agent/", b"agents/")
    ),
    Watched(b".opencode/command/", "commands of opencode, which may run programs", False),
    Watched(b".opencode/commands/", "commands of opencode, which may run programs", False),
    Watched(b".qwen/settings.json", "tool servers and hooks of Qwen Code"),
    Watched(b".kimi/", "tool servers and configuration of Kimi CLI"),
    Watched(b".pi/", "extensions and configuration of pi"),
    Watched(b".aider.conf.yml", "lint and test commands of aider"),
    Watched(b".cursor/mcp.json", "tool servers of Cursor"),
    Watched(b".cursor/hooks.json", "hooks of Cursor"),
)

GIT_CONFIG = b".git/config"
"""Under this name the part of git's configuration that can start a program is recorded."""

_ASK_WHEN_GONE = {each.path for each in WATCHED if each.asks_when_gone} | {GIT_CONFIG}

Digests = Mapping[bytes, str]
"""The SHA-256 of each watched file that exists, by its path relative to the folder."""

ABSENT = ""
"""Stands for the content of a watched file that does not exist."""


@frozen
class Grant:
    """What the user has said of a folder; ``at`` is RFC 3339 in UTC.

    ``accepted`` holds every content that was ever granted, so that going back and forth between
    two branches asks once for each. ``revoked``: the user took the word back; only the user's own
    new word counts then, not an editor's.
    """

    folder: bytes
    at: str
    accepted: Mapping[bytes, tuple[str, ...]] = field(factory=dict)
    revoked: bool = False


@frozen
class TrustVerdict:
    """Whether programs of the folder may run, and which watched files changed since the grant."""

    state: TrustState
    changed: tuple[bytes, ...] = ()


def judged(grant: Grant | None, found: Digests) -> TrustVerdict:
    """Compare what is in the folder now with what was granted."""
    if grant is None or grant.revoked:
        return TrustVerdict(TrustState.UNTRUSTED)
    changed = tuple(path for path in sorted({*grant.accepted, *found}) if _asks(grant, path, found))
    return TrustVerdict(TrustState.CHANGED if changed else TrustState.TRUSTED, changed)


def _asks(grant: Grant, path: bytes, found: Digests) -> bool:
    accepted = grant.accepted.get(path, (ABSENT,))
    digest = found.get(path, ABSENT)
    if digest != ABSENT:
        return digest not in accepted
    return ABSENT not in accepted and _asks_when_gone(path)


def _asks_when_gone(path: bytes) -> bool:
    return any(path == each or path.endswith(b"/" + each) for each in _ASK_WHEN_GONE)


def accepts(grant: Grant | None, path: bytes, digest: str) -> bool:
    """Tell whether one file with that content may start programs."""
    return grant is not None and not grant.revoked and digest in grant.accepted.get(path, (ABSENT,))


def granted(grant: Grant | None, folder: bytes, found: Digests, at: str) -> Grant:
    """Add the user's word: the folder, and each watched file as it is now."""
    standing = grant is not None and not grant.revoked
    before = grant.accepted if grant is not None and standing else {}
    # What was not there at an earlier grant was granted as absent.
    unknown = (ABSENT,) if standing else ()
    accepted = {
        path: tuple(dict.fromkeys((*before.get(path, unknown), found.get(path, ABSENT))))
        for path in sorted({*before, *found})
    }
    return Grant(folder, at, accepted)


def granted_by_client(grant: Grant | None, folder: bytes, found: Digests, at: str) -> Grant:
    """Add an editor's word: it grants a folder of which nothing is known yet, and nothing else.

    Neither changed content nor a folder whose trust the user revoked is granted by it.
    """
    return grant if grant is not None else granted(None, folder, found, at)


def revoked(grant: Grant, at: str) -> Grant:
    """Take the word back and forget what was accepted."""
    return evolve(grant, at=at, accepted={}, revoked=True)


def state_for_client(said: bool | None, verdict: TrustVerdict) -> TrustState:  # noqa: FBT001
    """Bring together what an editor says of its window and what is recorded.

    ``said`` is None when the editor has no notion of trust. Its yes adds nothing here (see
    `granted_by_client`), its no always counts.
    """
    # The argument is a value of the protocol, not a switch of behaviour.
    return TrustState.UNTRUSTED if said is False else verdict.state


_HARMLESS_SECTION = re.compile(
    rb"""\s*\[(branch|remote) "[^"\\\n]*"\]\s*|\s*\[(user)\]\s*""", re.IGNORECASE
)
_HARMLESS_KEYS = {
    section: re.compile(rb"\s*(?:" + keys + rb")\s*=[^\\\n]*", re.IGNORECASE)
    for section, keys in (
        (b"branch", b"remote|merge|rebase|pushremote|description"),
        (b"remote", b"url|pushurl|fetch|push|tagopt|prune"),
        (b"user", b"name|email|signingkey"),
    )
}


def program_part_of_git_config(content: bytes) -> bytes:
    """Give git's configuration without the lines that everyday work changes and that run nothing.

    Upstreams, remotes and the user's name change all the time; a new hash for each would only
    teach people to say yes. Whatever is not known for certain to be harmless stays: sections,
    keys, continued lines.
    """
    kept: list[bytes] = []
    section: bytes | None = None
    continued = False
    for line in content.replace(b"\r\n", b"\n").split(b"\n"):
        if continued:
            # Git may read the line otherwise, so that nothing below is known to be harmless.
            section = None
            kept.append(line)
        elif found := _HARMLESS_SECTION.fullmatch(line):
            section = (found[1] or found[2]).lower()
        elif line.lstrip().startswith(b"["):
            section = None
            kept.append(line)
        elif line.strip() and not (section and _HARMLESS_KEYS[section].fullmatch(line)):
            kept.extend([] if section is None else [b"[" + section + b"]"])
            kept.append(line)
        continued = bool(kept) and line is kept[-1] and line.endswith(b"\\")
    return b"\n".join(kept)
