"""The identity of a request: what an `operationId` stands for."""

from __future__ import annotations

import json
from enum import Enum
from hashlib import sha256

from attrs import asdict

from sennit_protocol.following import FollowParams
from sennit_protocol.tasks import DispatchParams

Asked = DispatchParams | FollowParams

# How the answer is waited for does not make it another request.
_NOT_IDENTITY = ("operation_id", "wait", "work_done_token", "partial_result_token")


def canonical_request(params: Asked) -> str:
    """Write the request as JSON that is the same for the same request: sorted keys, no nulls."""
    plain = asdict(params, value_serializer=_plain)
    for key in _NOT_IDENTITY:
        plain.pop(key)
    return json.dumps(_without_nulls(plain), sort_keys=True, separators=(",", ":"))


def request_hash(params: Asked) -> str:
    """Give the SHA-256 of the canonical request, in hexadecimal digits."""
    return sha256(canonical_request(params).encode("ascii")).hexdigest()


def _plain(_instance: object, _attribute: object, value: object) -> object:
    return value.value if isinstance(value, Enum) else value


def _without_nulls(value: object) -> object:
    match value:
        case dict():
            return {key: _without_nulls(each) for key, each in value.items() if each is not None}
        case list() | tuple():
            return [_without_nulls(each) for each in value]
        case _:
            return value
