"""The whole way of a task with a client that is not ours: pytest-lsp over real stdio."""

from __future__ import annotations

import shlex
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import anyio
import pytest
import pytest_asyncio
from lsprotocol import types
from pytest_lsp import ClientServerConfig, LanguageClient
from pytest_lsp.client import register_lsp_features
from pytest_lsp.protocol import LanguageClientProtocol

from sennit.server.jsonrpc.protocol import TypedMessages, typed_converter
from sennit_protocol.applications import ApplicationView
from sennit_protocol.methods import METHODS, Sender
from sennit_protocol.requests import DispatchResult
from sennit_protocol.review import (
    ApplyParams,
    Choice,
    DecideParams,
    ProposalsParams,
    ProposalsResult,
)
from sennit_protocol.states import ApplicationState, Decision, Integration, Target, TicketState
from sennit_protocol.tasks import DispatchParams, Task
from tests.wire_client import users_environment

pytestmark = pytest.mark.e2e
LINES = "one\ntwo\nthree\n"


# The two look-ups of pygls are methods in a cache, which have another type than methods.
class Protocol(TypedMessages, LanguageClientProtocol):  # type: ignore[misc]
    """The words of Sennit beside those of LSP."""


def make_client() -> LanguageClient:
    client = LanguageClient(protocol_cls=Protocol, converter_factory=typed_converter)
    register_lsp_features(client)
    for method in METHODS.values():
        if method.sender is Sender.SERVER and method.result is None:
            client.feature(method.name)(lambda _params: None)
    return client


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    folder = tmp_path / "repo"
    folder.mkdir()
    (folder / "a.txt").write_text(LINES)
    for arguments in (["init", "-q"], ["add", "."], ["commit", "-qm", "x"]):
        subprocess.run(
            ["git", "-c", "user.name=u", "-c", "user.email=u@e", *arguments],
            cwd=folder,
            check=True,
        )
    return folder


@pytest_asyncio.fixture
async def lsp_client(tmp_path: Path, repo: Path) -> AsyncIterator[LanguageClient]:
    config = ClientServerConfig(
        server_command=[sys.executable, "-P", "-m", "sennit", "serve"],
        client_factory=make_client,
        server_env={
            **users_environment(),
            "SENNIT_STATE_DIR": str(tmp_path / "state"),
            "SENNIT_CONFIG_DIR": str(tmp_path / "config"),
        },
    )
    client: Any = await config.start()
    edit = types.WorkspaceEditClientCapabilities(
        document_changes=True, resource_operations=list(types.ResourceOperationKind)
    )
    words = {"protocolVersion": "0.1", "clientId": "pytest-lsp", "review": True}
    await client.initialize_session(
        types.InitializeParams(
            capabilities=types.ClientCapabilities(
                workspace=types.WorkspaceClientCapabilities(apply_edit=True, workspace_edit=edit),
                window=types.WindowClientCapabilities(work_done_progress=True),
                experimental={"sennit": words},
            ),
            initialization_options={"trusted": True},
            workspace_folders=[types.WorkspaceFolder(repo.as_uri(), "repo")],
        )
    )
    yield client
    await client.shutdown_session()
    await client.stop()


class Buffer:
    """One open document of the client, and the edit that it is sent."""

    def __init__(self, client: Any, uri: str) -> None:
        self.text = LINES
        self._client = client
        self._uri = uri
        client.feature(types.WORKSPACE_APPLY_EDIT)(lambda params: self.apply(params))  # noqa: PLW0108  pygls sets attributes, which methods lack
        item = types.TextDocumentItem(uri, "plaintext", 1, LINES)
        client.text_document_did_open(types.DidOpenTextDocumentParams(item))

    def apply(self, params: types.ApplyWorkspaceEditParams) -> types.ApplyWorkspaceEditResult:
        (change,) = params.edit.document_changes or ()
        assert isinstance(change, types.TextDocumentEdit)
        assert (change.text_document.uri, change.text_document.version) == (self._uri, 1)
        (edit,) = change.edits
        assert isinstance(edit, types.TextEdit)
        lines = self.text.splitlines(keepends=True)
        place = edit.range.start.line
        first, last = edit.range.start.character, edit.range.end.character
        lines[place] = lines[place][:first] + edit.new_text + lines[place][last:]
        self.text = "".join(lines)
        changed = types.TextDocumentContentChangeWholeDocument(self.text)
        document = types.VersionedTextDocumentIdentifier(2, self._uri)
        self._client.text_document_did_change(
            types.DidChangeTextDocumentParams(document, [changed])
        )
        return types.ApplyWorkspaceEditResult(applied=True)


@pytest.mark.asyncio
async def test_a_task_goes_from_dispatch_to_the_text(
    lsp_client: LanguageClient, repo: Path
) -> None:
    buffer = Buffer(lsp_client, (repo / "a.txt").as_uri())

    protocol: Any = lsp_client.protocol

    async def ask(method: str, params: object) -> Any:
        with anyio.fail_after(20):
            return await protocol.send_request_async(method, params)

    prompt = shlex.join(["sed", "-i", "s/two/TWO/", "a.txt"])
    call = DispatchParams((Task("one", prompt, agent="command"),), wait=True)
    dispatched: DispatchResult = await ask("sennit/dispatch", call)
    assert dispatched.state is TicketState.COMPLETED

    reported: Any = lsp_client.progress_reports
    titles = {reports[0].title for reports in reported.values() if reports}
    assert titles == {"Sennit: 1 task", "Sennit one: command"}

    found: ProposalsResult = await ask(
        "sennit/proposals", ProposalsParams(ticket=dispatched.ticket)
    )
    (proposal,) = found.proposals
    assert (proposal.integration, proposal.files) == (Integration.CLEAN, 1)

    choice = Choice(Decision.ACCEPTED, all=True)
    await ask("sennit/decide", DecideParams(proposal.id, proposal.revision, (choice,)))
    params = ApplyParams(Target.EDITOR, ticket=dispatched.ticket)
    applied: ApplicationView = await ask("sennit/apply", params)
    assert applied.state is ApplicationState.APPLIED
    assert buffer.text == LINES.replace("two", "TWO")
    assert (repo / "a.txt").read_text() == LINES
