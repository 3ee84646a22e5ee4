"""What is to be said to an agent."""

from collections.abc import Awaitable, Callable, Mapping

from attrs import frozen

Block = Mapping[str, object]
"""A content block of the protocol: text, image, resource, resource link."""
Repair = Callable[[], Awaitable[str | None]]
"""Tells after a turn what is wrong with its result; None where nothing is."""


def text_block(text: str) -> Block:
    """Make a block of text."""
    return {"type": "text", "text": text}


def image_block(mime_type: str, data: str) -> Block:
    """Make a block of a picture, given as base64."""
    return {"type": "image", "mimeType": mime_type, "data": data}


def stdio_server(name: str, argv: tuple[str, ...], env: Mapping[str, str]) -> Block:
    """Spell a tool server that the agent starts itself (`McpServerStdio`)."""
    return {
        "name": name,
        "command": argv[0],
        "args": list(argv[1:]),
        "env": [{"name": key, "value": value} for key, value in env.items()],
    }


@frozen
class Script:
    """A conversation as it is planned.

    ``folder``: absolute path of the workspace. ``prompt``: what is said in an earlier session, and
    ``anew`` in a new one. ``resume``: an earlier session to go on with.
    ``servers``: MCP servers in the protocol's form. ``start_s``: how long each step before the
    first prompt may take. ``version``: of Sennit. ``sign_in``: an auth method to use first.
    ``repair`` tells after a turn what is wrong with its result. ``required``: which of `mode`,
    `model`, `thinking` the agent has to offer.
    """

    folder: str
    prompt: tuple[Block, ...]
    start_s: float
    version: str
    anew: tuple[Block, ...] = ()
    mode: str | None = None
    model: str | None = None
    thinking: str | None = None
    resume: str | None = None
    servers: tuple[Mapping[str, object], ...] = ()
    sign_in: str | None = None
    repair: Repair | None = None
    required: frozenset[str] = frozenset()
