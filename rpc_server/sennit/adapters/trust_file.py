"""The form of the trust file: JSON with a version, paths percent-encoded since they are bytes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from urllib.parse import quote_from_bytes, unquote_to_bytes

from attrs import frozen

from sennit.core.trust import Grant

VERSION = 1

Grants = Mapping[bytes, Grant]


@frozen
class NotGrants:
    """The content is no list of grants that this version understands: why."""

    reason: str


def written_grants(grants: Grants) -> bytes:
    """Write grants in the order of their folders, for people to read."""
    plain = {
        "version": VERSION,
        "folders": [_plain(grants[folder]) for folder in sorted(grants)],
    }
    return json.dumps(plain, indent=2).encode("ascii") + b"\n"


def read_grants(content: bytes) -> Grants | NotGrants:
    """Read grants; whatever is not exactly as written here makes the whole unreadable."""
    try:
        plain = json.loads(content)
        if not isinstance(plain, dict):
            return NotGrants("is no JSON object")
        if plain["version"] != VERSION:
            return NotGrants(f"has the version {plain['version']!r}; this Sennit knows {VERSION}")
        grants = [_grant(each) for each in plain["folders"]]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        return NotGrants(f"is damaged ({type(error).__name__}: {error})")
    return {grant.folder: grant for grant in grants}


def _plain(grant: Grant) -> dict[str, object]:
    return {
        "folder": quote_from_bytes(grant.folder),
        "at": grant.at,
        "revoked": grant.revoked,
        "accepted": {
            quote_from_bytes(path): list(digests) for path, digests in grant.accepted.items()
        },
    }


def _grant(plain: Mapping[str, object]) -> Grant:
    folder, at, taken_back = plain["folder"], plain["at"], plain["revoked"]
    accepted = plain["accepted"]
    if not (isinstance(folder, str) and isinstance(at, str) and isinstance(taken_back, bool)):
        raise TypeError("a folder lacks its path, its time or whether it was revoked")
    if not isinstance(accepted, dict):
        raise TypeError("`accepted` is no object")
    contents = {unquote_to_bytes(path): _digests(each) for path, each in accepted.items()}
    return Grant(unquote_to_bytes(folder), at, contents, taken_back)


def _digests(plain: object) -> tuple[str, ...]:
    if not isinstance(plain, list):
        raise TypeError("the digests of a file are no list")
    digests = tuple(each for each in plain if isinstance(each, str))
    if len(digests) != len(plain):
        raise TypeError("a digest is no text")
    return digests
