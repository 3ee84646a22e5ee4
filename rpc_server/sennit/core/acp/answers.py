"""Reads the answers to `initialize` and `session/new`: what an agent can do and offers."""

from __future__ import annotations

from collections.abc import Mapping

from attrs import frozen

from sennit.core.output_formats.fields import array, count, text, within

PROTOCOL_VERSION = 1


@frozen
class AuthMethod:
    """A way to sign in that the agent offers."""

    id: str
    name: str
    description: str = ""


@frozen
class Abilities:
    """What an agent said in its answer to `initialize`; what it did not say it cannot do."""

    version: int | None
    name: str = ""
    release: str = ""
    loads: bool = False
    resumes: bool = False
    closes: bool = False
    images: bool = False
    embeds: bool = False
    auth: tuple[AuthMethod, ...] = ()


def abilities(answer: object) -> Abilities:
    """Read the answer to `initialize`."""
    told = within(answer, "agentCapabilities")
    prompts = within(told, "promptCapabilities")
    sessions = within(told, "sessionCapabilities")
    return Abilities(
        # Early agents do not tell a version; they speak the first.
        count(answer, "protocolVersion") if within(answer, "protocolVersion") else 1,
        name=text(answer, "agentInfo", "name"),
        release=text(answer, "agentInfo", "version"),
        loads=within(told, "loadSession") is True,
        resumes=_offered(sessions, "resume"),
        closes=_offered(sessions, "close"),
        images=within(prompts, "image") is True,
        embeds=within(prompts, "embeddedContext") is True,
        auth=tuple(
            AuthMethod(text(each, "id"), text(each, "name"), text(each, "description"))
            for each in array(answer, "authMethods")
            if text(each, "id")
        ),
    )


@frozen
class Choice:
    """A request that sets something to a value which the agent offered for a session."""

    method: str
    params: Mapping[str, object]


@frozen
class NotOffered:
    """A value that the agent does not offer, and those that it does."""

    wanted: str
    offered: tuple[str, ...]


def mode_choice(session: str, answer: object, wanted: str) -> Choice | NotOffered | None:
    """How to set the mode of a session; None when it is set already."""
    modes = within(answer, "modes")
    offered = tuple(text(each, "id") for each in array(modes, "availableModes"))
    if offered:
        if text(modes, "currentModeId") == wanted:
            return None
        if wanted in offered:
            params = {"sessionId": session, "modeId": wanted}
            return Choice("session/set_mode", params)
        return NotOffered(wanted, offered)
    return _option(session, answer, "mode", wanted)


def model_choice(session: str, answer: object, wanted: str) -> Choice | NotOffered | None:
    """How to set the model of a session; None when it is set already."""
    return _option(session, answer, "model", wanted)


def thinking_choice(session: str, answer: object, wanted: str) -> Choice | NotOffered | None:
    """How to set how much the model thinks; None when it is set already."""
    return _option(session, answer, "thought_level", wanted)


def _option(session: str, answer: object, category: str, wanted: str) -> Choice | NotOffered | None:
    options = array(answer, "configOptions")
    option = next((each for each in options if text(each, "category") == category), None)
    if option is None:
        return NotOffered(wanted, ())
    if within(option, "currentValue") == wanted:
        return None
    offered = tuple(_values(option))
    if wanted not in offered:
        return NotOffered(wanted, offered)
    params = {"sessionId": session, "configId": text(option, "id"), "value": wanted}
    return Choice("session/set_config_option", params)


def _values(option: object) -> list[str]:
    """The values of a select, which may stand in groups."""
    found = []
    for each in array(option, "options"):
        inner = array(each, "options")
        found += [text(one, "value") for one in inner] if inner else [text(each, "value")]
    return [each for each in found if each]


def _offered(capabilities: object, name: str) -> bool:
    """Whether a capability is there: an object, or true."""
    found = within(capabilities, name)
    return found is True or isinstance(found, dict)
