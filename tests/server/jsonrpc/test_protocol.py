from __future__ import annotations

import attrs
import pytest
from lsprotocol import types

from sennit.server.jsonrpc.protocol import Problems, make_protocol, typed_converter
from sennit_protocol.methods import METHODS, Sender
from sennit_protocol.tasks import DispatchParams, Task


@pytest.mark.parametrize("name", METHODS)
def test_every_method_has_the_classes_of_its_messages(name: str) -> None:
    protocol = make_protocol("1", METHODS)
    message, response = protocol.get_message_type(name), protocol.get_result_type(name)
    assert message is not None
    assert (response is None) == (METHODS[name].result is None)
    assert attrs.fields_dict(message)["params"].type is METHODS[name].params


@pytest.mark.parametrize(
    "name", [m.name for m in METHODS.values() if m.available and m.sender is Sender.CLIENT]
)
def test_every_method_reads_wrong_parameters_as_problems(name: str) -> None:
    read = make_protocol("1", METHODS).read_params(name, {"noSuchKey": 1})
    assert isinstance(read, Problems)
    assert "noSuchKey" in [problem.path for problem in read.problems]


def test_a_client_of_pygls_reads_and_writes_our_messages() -> None:
    protocol, converter = make_protocol("1", METHODS), typed_converter()
    cls = protocol.get_message_type("sennit/dispatch")
    assert cls is not None
    params = DispatchParams((Task("a", "b"),))
    sent = converter.unstructure(cls(id=1, method="sennit/dispatch", params=params, jsonrpc="2.0"))
    assert sent["params"]["tasks"] == [{"id": "a", "prompt": "b", "dependsOn": [], "attach": []}]
    assert converter.structure(sent, cls).params == params


def test_the_types_of_lsp_stay_those_of_lsprotocol() -> None:
    protocol = make_protocol("1", METHODS)
    assert protocol.get_message_type("textDocument/codeLens") is types.CodeLensRequest
    read = protocol.read_result("workspace/applyEdit", {"applied": True, "more": 1})
    assert read == types.ApplyWorkspaceEditResult(applied=True)
    assert isinstance(protocol.read_result("workspace/applyEdit", {}), Problems)
    assert protocol.read_result("window/workDoneProgress/create", None) is None
