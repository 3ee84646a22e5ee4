"""The one reader of settings: files, environment variables, and what the client sends.

Order, later wins: defaults, the user's `config.toml`, the repository's `.sennit.toml`, variables
`SENNIT_...`, the client's options at `initialize`, the client's later configuration, the call.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from hashlib import sha256
from pathlib import Path

import platformdirs
from attrs import field, frozen

from sennit.adapters.small_files import Content, Missing, Unreadable, read_small_file
from sennit.settings.decided import decided
from sennit.settings.keys import Source
from sennit.settings.layers import Layer, ReadLayer, lines_of, read_layer, read_variables
from sennit.settings.values import Settings, SettingsProblem, SettingsProblems

USER_FILE = "config.toml"
REPOSITORY_FILE = ".sennit.toml"
_MOST_BYTES = 1024 * 1024


def nothing_is_trusted(_sha256: str) -> bool:
    """Stand in for a trust store: keys of a repository that need trust are ignored."""
    return False


@frozen
class Sources:
    """Where settings are read from; what is None or empty is no source.

    ``user_folder`` holds `config.toml` (`config_folder`). ``repository`` is the real path of a
    repository's top level. ``is_trusted`` is asked with the SHA-256 of its `.sennit.toml` whether
    that content may start programs. ``initialization_options`` is what the client sent at
    `initialize`, ``configuration`` what it sent with `workspace/didChangeConfiguration`.
    """

    user_folder: Path | None = None
    repository: Path | None = None
    is_trusted: Callable[[str], bool] = nothing_is_trusted
    environment: Mapping[str, str] = field(factory=dict)
    initialization_options: object = None
    configuration: object = None


def config_folder(environment: Mapping[str, str]) -> Path:
    """Name the folder of the user's `config.toml`: `SENNIT_CONFIG_DIR`, else the platform's."""
    chosen = environment.get("SENNIT_CONFIG_DIR")
    return Path(chosen) if chosen else platformdirs.user_config_path("sennit", appauthor=False)


def state_folder(environment: Mapping[str, str]) -> Path:
    """Name the folder of all that is kept: `SENNIT_STATE_DIR`, else the platform's."""
    chosen = environment.get("SENNIT_STATE_DIR")
    if chosen:
        return Path(os.path.realpath(chosen))
    return platformdirs.user_state_path("sennit", appauthor=False)


def is_relative(environment: Mapping[str, str], variable: str) -> bool:
    """Whether a variable names a folder that is another one wherever Sennit is started."""
    chosen = environment.get(variable, "")
    return chosen != "" and not Path(chosen).is_absolute()


RELATIVE = "is relative, so it would be another folder wherever Sennit is started; name it from `/`"


def read_settings(sources: Sources) -> Settings | SettingsProblems:
    """Read every source; a bad one is a list of problems and leaves the others as they are.

    Blocking, for two small files: call it in a thread.
    """
    layers = [ReadLayer()]
    if sources.user_folder is not None:
        layers.append(_file(sources.user_folder / USER_FILE, Source.USER, lambda _: True))
    if sources.repository is not None:
        file = sources.repository / REPOSITORY_FILE
        layers.append(_file(file, Source.REPOSITORY, sources.is_trusted))
    layers += [
        read_variables(sources.environment),
        ReadLayer(problems=tuple(_relative_folders(sources.environment))),
        _initialization_options(sources.initialization_options),
        _configuration(sources.configuration),
    ]
    return decided(layers)


def _relative_folders(environment: Mapping[str, str]) -> Iterator[SettingsProblem]:
    for name in ("SENNIT_CONFIG_DIR", "SENNIT_STATE_DIR"):
        if is_relative(environment, name):
            yield SettingsProblem(name, "", RELATIVE)


def _file(path: Path, source: Source, is_trusted: Callable[[str], bool]) -> ReadLayer:
    where = str(path)
    match read_small_file(os.fsencode(path), _MOST_BYTES):
        case Missing():
            return ReadLayer()
        case Unreadable(reason=reason):
            return _unusable(where, f"cannot be read: {reason}")
        case Content(content=content):
            trusted = is_trusted(sha256(content).hexdigest())
            return _toml(where, source, content, trusted)


def _toml(where: str, source: Source, content: bytes, trusted: bool) -> ReadLayer:  # noqa: FBT001
    # `trusted` is a fact about the content that goes into the layer, no switch of behaviour.
    try:
        text = content.decode()
        values = tomllib.loads(text)
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        return _unusable(where, "is not UTF-8; save it as UTF-8", line)
    except tomllib.TOMLDecodeError as error:
        found = re.search(r"line (\d+)", str(error))
        return _unusable(where, f"is not TOML: {error}", int(found[1]) if found else None)
    except RecursionError:
        return _unusable(where, "is nested too deeply; write sections as [a.b] headers")
    return read_layer(Layer(source, where, values, lines_of(text), trusted))


def _unusable(where: str, message: str, line: int | None = None) -> ReadLayer:
    return ReadLayer(problems=(SettingsProblem(where, "", message, (), line),))


def _initialization_options(options: object) -> ReadLayer:
    """Read the options beside `trusted`, which is the client's word and no setting."""
    where = "initializationOptions"
    if options is None:
        return ReadLayer()
    if not isinstance(options, Mapping):
        return _unusable(where, "is no object")
    settings = {key: value for key, value in options.items() if key != "trusted"}
    return read_layer(Layer(Source.CLIENT, where, settings))


def _configuration(settings: object) -> ReadLayer:
    """Read the object, or its part `sennit`, as editors that send everything at once do."""
    where = "workspace/didChangeConfiguration"
    if settings is None:
        return ReadLayer()
    if not isinstance(settings, Mapping):
        return _unusable(where, "has settings that are no object")
    own = settings.get("sennit", settings)
    if own is None:
        return ReadLayer()
    if not isinstance(own, Mapping):
        return _unusable(where, "has a part `sennit` that is no object")
    return read_layer(Layer(Source.CLIENT, where, own))
