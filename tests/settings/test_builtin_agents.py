from __future__ import annotations

from collections.abc import Mapping

import pytest

from sennit.core.agents import (
    AgentKind,
    AgentSettings,
    Executing,
    OutputFormat,
    Permissions,
    PromptAs,
    Sandboxing,
    StopTimes,
)
from sennit.settings.builtin_agents import BUILT_IN
from sennit.settings.keys import TABLE
from sennit.settings.kinds import Wrong
from sennit.settings.reader import Sources, read_settings
from sennit.settings.values import Settings

KEYS = {key.name.removeprefix("agents.NAME."): key for key in TABLE}


def agents(**given: Mapping[str, object]) -> Mapping[str, AgentSettings]:
    found = read_settings(Sources(configuration={"agents": dict(given)}))
    assert isinstance(found, Settings), found
    return found.agents


@pytest.mark.parametrize("name", BUILT_IN)
def test_every_value_of_a_built_in_agent_could_be_set(name: str) -> None:
    for short, value in BUILT_IN[name].items():
        read = KEYS[short].kind.read(value)
        assert not isinstance(read, Wrong), (short, read)
        assert read == value


@pytest.mark.parametrize("name", BUILT_IN)
def test_every_built_in_agent_is_complete(name: str) -> None:
    agent = agents()[name]
    assert agent.argv
    assert agent.description
    assert agent.sign_in
    assert agent.state_folders
    assert agent.roles
    is_given = agent.prompt_as is not PromptAs.ARGUMENT or "{prompt}" in agent.argv
    assert is_given == (agent.kind is AgentKind.COMMAND)


def test_agents_that_never_ask_need_a_sandbox() -> None:
    needing = {name for name, each in agents().items() if each.sandbox is Sandboxing.REQUIRED}
    assert needing == {"pi", "pi-json", "mini"}


def test_the_users_keys_go_before_those_that_are_built_in_one_by_one() -> None:
    codex = agents(codex={"argv": ["my-codex"], "stop": {"termMs": 9}})["codex"]
    assert codex.argv == ("my-codex",)
    assert (codex.kind, codex.provider) == (AgentKind.ACP, "openai")
    assert codex.stop == StopTimes(cancel_ms=5_000, close_ms=10_000, term_ms=9)
    assert agents()["codex"].argv == ("codex-acp",)


def test_variables_are_added_to_those_that_are_built_in() -> None:
    before = agents()["codex"]
    codex = agents(codex={"env": {"NO_BROWSER": "0", "A": "b"}, "passEnv": ["MINE"]})["codex"]
    assert codex.env == {**before.env, "NO_BROWSER": "0", "A": "b"}
    assert codex.pass_env == (*before.pass_env, "MINE")


def test_an_agent_that_is_not_built_in_may_have_every_key() -> None:
    given = {
        "kind": "command",
        "argv": ["fix"],
        "output": "pi-json",
        "mode": "m",
        "model": "n",
        "roles": ["review"],
        "modelClass": "small",
        "provider": "p",
        "signIn": "fix login",
        "permissions": {"execute": "deny", "commands": ["git diff *"]},
    }
    assert agents(fixer=given)["fixer"] == AgentSettings(
        name="fixer",
        kind=AgentKind.COMMAND,
        argv=("fix",),
        output=OutputFormat.PI,
        mode="m",
        model="n",
        roles=("review",),
        model_class="small",
        provider="p",
        sign_in="fix login",
        permissions=Permissions(Executing.DENY, ("git diff *",)),
    )


@pytest.mark.parametrize(
    ("key", "value"),
    [("roles", ["No Role"]), ("permissions", {"commands": [""]}), ("output", "xml")],
)
def test_what_no_agent_can_be_is_refused(key: str, value: object) -> None:
    found = read_settings(Sources(configuration={"agents": {"codex": {key: value}}}))
    assert not isinstance(found, Settings)
