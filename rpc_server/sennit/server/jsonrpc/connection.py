"""One client, as the rest of the server sees it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager

from attrs import evolve

from sennit.server import lsp_names
from sennit.server import lsp_words as types
from sennit.server.jsonrpc import envelopes
from sennit.server.jsonrpc.client import UNKNOWN_CLIENT, Client, Folder
from sennit.server.jsonrpc.documents import Documents
from sennit.server.jsonrpc.messages import Messages
from sennit.server.jsonrpc.outgoing import Outgoing
from sennit.server.jsonrpc.progress import OnCancel, Progress, ProgressTokens
from sennit.server.jsonrpc.transport import Sink
from sennit_protocol.errors import RpcError


class Connection:
    """What a handler may know of and do with its client."""

    def __init__(self, sink: Sink, messages: Messages) -> None:
        self._sink = sink
        self._messages = messages
        self.client: Client = UNKNOWN_CLIENT
        """Replaced as a whole by ``introduce``, ``set_trusted`` and changes of the folders."""
        self.documents = Documents()
        self.outgoing = Outgoing(self.send, messages)
        self.tokens = ProgressTokens()
        self.on_stop: Callable[[int, RpcError | None], None] = _nobody_listens

    def notify(self, method: str, params: object = None) -> None:
        """Send a notification; after the end of the connection it is dropped."""
        plain = None if params is None else self._messages.plain(method, params)
        self.send(envelopes.notification(method, plain))

    async def request(self, method: str, params: object, timeout_s: float) -> object:
        """Ask the client; gives the typed result, or a ``ClientFailure`` as a value."""
        return await self.outgoing.request(method, params, timeout_s)

    def progress(
        self,
        title: str,
        *,
        token: str | int | None = None,
        on_cancel: OnCancel | None = None,
    ) -> AbstractAsyncContextManager[Progress]:
        """Show a progress while a block runs.

        ``token`` is the work done token of a request; without it the server creates one where the
        client shows progress, else nothing is sent. With ``on_cancel`` the user can cancel it.
        """
        return self.tokens.progress(
            self,
            title,
            token=token,
            may_create=self.client.abilities.progress,
            on_cancel=on_cancel,
        )

    def show_message(self, kind: types.MessageType, message: str) -> None:
        """Show a message to the user."""
        self.notify(
            lsp_names.WINDOW_SHOW_MESSAGE, types.ShowMessageParams(type=kind, message=message)
        )

    @property
    def congested(self) -> bool:
        """Whether the client is far behind in reading, so that chatter should be held back."""
        return self._sink.congested

    def introduce(self, client: Client) -> None:
        """Take the client's own word about itself."""
        self.client = client
        if client.abilities.documents:
            # An editor waits for its words now and not at its first document.
            self._messages.learn_lsp()
        self.documents.encoding = client.position_encoding

    def set_trusted(self, *, trusted: bool) -> None:
        """Take the user's word about the folders of this connection."""
        self.client = evolve(self.client, trusted=trusted)

    def change_folders(self, params: types.DidChangeWorkspaceFoldersParams) -> None:
        """Take ``workspace/didChangeWorkspaceFolders``."""
        gone = {folder.uri for folder in (*params.event.removed, *params.event.added)}
        kept = tuple(folder for folder in self.client.folders if folder.uri not in gone)
        added = tuple(Folder(folder.uri, folder.name) for folder in params.event.added)
        self.client = evolve(self.client, folders=(*kept, *added))

    def stop(self, code: int, because: RpcError | None = None) -> None:
        """End the connection in order and the process with this exit code.

        Open requests are answered with ``because``.
        """
        self.on_stop(code, because)

    def send(self, envelope: dict[str, object]) -> None:
        """Send a message as it is; the pump does that."""
        self._sink.send(envelopes.framed(envelope))


def _nobody_listens(_code: int, _because: RpcError | None) -> None:
    """Stand in for the pump before it runs."""
