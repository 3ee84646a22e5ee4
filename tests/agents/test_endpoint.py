"""The scripted model, before any agent is blamed."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from tests.agents import endpoint
from tests.agents.model import BY_COMMAND, FILE, FINAL, Call, Mute, Say, Talk, Turn, answer

TOOLS: Mapping[str, Any] = {
    "write_file": {
        "properties": {"file_path": {"type": "string"}, "content": {"type": "string"}},
        "required": ["file_path", "content"],
    },
    "bash": {
        "properties": {"command": {"type": "string"}, "why": {"type": "string"}},
        "required": ["command", "why"],
    },
}


@pytest.fixture
def address() -> Iterator[str]:
    with endpoint.running() as served:
        yield served.address


def talk(*turns: Turn, tools: Mapping[str, Any] = TOOLS, system: str = "") -> Talk:
    return Talk(turns, system, tools, "m", streaming=False)


PROMPT = Turn("Please. [script edit] Thank you.", is_result=False)
RESULT = Turn("ok", is_result=True)


def test_the_step_is_the_number_of_results_since_the_prompt() -> None:
    first, second, last = (answer(talk(PROMPT, *[RESULT] * count)) for count in range(3))
    assert isinstance(first, Call)
    assert first.arguments["file_path"] == FILE
    assert isinstance(second, Call)
    assert second.arguments == {"command": BY_COMMAND, "why": "scripted"}
    assert last == Say(FINAL)
    assert answer(talk(PROMPT, RESULT, RESULT, PROMPT)) == first


def test_a_file_is_written_below_the_folder_that_the_agent_tells() -> None:
    system = "The project's temporary directory is: /t/x\nWorking directory: /w/repo\nElse."
    said = answer(talk(PROMPT, system=system))
    assert isinstance(said, Call)
    assert said.arguments["file_path"] == f"/w/repo/{FILE}"


def test_without_a_tool_for_files_the_shell_writes_them() -> None:
    said = answer(talk(PROMPT, tools={"bash": TOOLS["bash"]}))
    assert isinstance(said, Call)
    assert f"> {FILE}" in said.arguments["command"]


def test_a_mute_model_never_answers() -> None:
    assert answer(talk(Turn("[script mute]", is_result=False))) == Mute()


def _post(address: str, path: str, body: Mapping[str, Any]) -> str:
    request = urllib.request.Request(  # noqa: S310  the address is the test's own
        address + path, json.dumps(body).encode(), {"content-type": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=30) as told:  # noqa: S310  as above
        text: str = told.read().decode()
        return text


def _requests(prompt: str, *, streaming: bool) -> dict[str, Mapping[str, Any]]:
    function = {"name": "bash", "parameters": TOOLS["bash"]}
    user = {"role": "user", "content": prompt}
    verb = "streamGenerateContent?alt=sse" if streaming else "generateContent"
    common = {"model": "m", "stream": streaming}
    return {
        "/v1/chat/completions": {
            **common, "messages": [user], "tools": [{"type": "function", "function": function}],
        },
        "/v1/responses": {**common, "input": [user], "tools": [{"type": "function", **function}]},
        "/v1/messages": {
            **common, "messages": [user], "tools": [{"name": "bash", "input_schema": {}}],
        },
        f"/v1beta/models/m:{verb}": {
            "contents": [{"role": "user", "parts": [{"text": prompt}]}],
            "tools": [{"functionDeclarations": [function]}],
        },
    }  # fmt: skip


@pytest.mark.parametrize("streaming", [True, False], ids=["streaming", "whole"])
@pytest.mark.parametrize("index", range(4), ids=["chat", "responses", "messages", "gemini"])
def test_every_dialect_calls_a_tool(address: str, index: int, *, streaming: bool) -> None:
    path, body = list(_requests("[script hang]", streaming=streaming).items())[index]
    told = _post(address, path, body)
    assert "setsid nohup" in told
    assert told.startswith("{") is not streaming


@pytest.mark.parametrize("index", range(4), ids=["chat", "responses", "messages", "gemini"])
def test_every_dialect_refuses_a_key(address: str, index: int) -> None:
    path, body = list(_requests("[script 401]", streaming=True).items())[index]
    with pytest.raises(urllib.error.HTTPError) as refused:
        _post(address, path, body)
    assert refused.value.code == 401
    assert b"no such key" in refused.value.read()
    refused.value.close()
