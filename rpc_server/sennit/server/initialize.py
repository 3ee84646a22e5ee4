"""What the fast answer and the full server must agree on about ``initialize``.

Only built-in parts of Python may be imported here: the handshake runs before everything else.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

PREFERRED_ENCODINGS = ("utf-8", "utf-32", "utf-16")
FALLBACK_ENCODING = "utf-16"

_SENNIT_STRINGS = ("protocolVersion", "clientId")
_SENNIT_SWITCHES = ("ask", "review", "applyReport", "output", "unattended")


def initialize_problems(params: object) -> list[tuple[str, str]]:
    """List what is wrong with the parameters of ``initialize``: JSON path and message.

    Only what the server builds upon is looked at; the rest of LSP stays lenient.
    """
    if not isinstance(params, dict):
        return [("", "must be an object")]
    return list(_problems(params))


def chosen_encoding(params: dict[str, object]) -> str:
    """Choose the first of our encodings that the client offers, else the one of old LSP."""
    offered = _at(params, "capabilities", "general", "positionEncodings")
    if isinstance(offered, list):
        for encoding in PREFERRED_ENCODINGS:
            if encoding in offered:
                return encoding
    return FALLBACK_ENCODING


def _problems(params: dict[str, object]) -> Iterator[tuple[str, str]]:
    process = params.get("processId")
    if process is not None and (isinstance(process, bool) or not isinstance(process, int)):
        yield "processId", "must be an integer or null"
    if "capabilities" not in params:
        yield "capabilities", "is missing"
    elif not isinstance(params["capabilities"], dict):
        yield "capabilities", "must be an object"
    for key in ("rootUri", "rootPath"):
        if not isinstance(params.get(key), str | None):
            yield key, "must be a string or null"
    yield from _folder_problems(params.get("workspaceFolders"))
    offered = _at(params, "capabilities", "general", "positionEncodings")
    if offered is not None and not _is_list_of_strings(offered):
        yield "capabilities.general.positionEncodings", "must be an array of strings"
    yield from _sennit_problems(_at(params, "capabilities", "experimental", "sennit"))


def _folder_problems(folders: object) -> Iterator[tuple[str, str]]:
    if folders is None:
        return
    if not isinstance(folders, list):
        yield "workspaceFolders", "must be an array or null"
        return
    for index, folder in enumerate(folders):
        for key in ("uri", "name"):
            if not isinstance(folder, dict) or not isinstance(folder.get(key), str):
                yield f"workspaceFolders[{index}].{key}", "must be a string"


def _sennit_problems(options: object) -> Iterator[tuple[str, str]]:
    if options is None:
        return
    path = "capabilities.experimental.sennit"
    if not isinstance(options, dict):
        yield path, "must be an object"
        return
    for key in _SENNIT_STRINGS:
        if not isinstance(options.get(key), str | None):
            yield f"{path}.{key}", "must be a string"
    for key in _SENNIT_SWITCHES:
        if not isinstance(options.get(key), bool | None):
            yield f"{path}.{key}", "must be a boolean"


def _is_list_of_strings(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _at(value: object, *keys: str) -> object:
    for key in keys:
        if not isinstance(value, dict):
            return None
        value = value.get(key)
    return value
