from __future__ import annotations

import subprocess
import sys

import attrs
import pytest
from lsprotocol import types

from sennit.server import lsp_names, lsp_words
from sennit.server.jsonrpc.messages import Messages, Problems
from sennit.server.jsonrpc.protocol import make_protocol, typed_converter
from sennit_protocol.methods import METHODS, Sender
from sennit_protocol.tasks import DispatchParams, Task

CODE_LENS = "textDocument/codeLens"


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
    read = Messages("1", METHODS).read_params(name, {"noSuchKey": 1})
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
    assert make_protocol("1", METHODS).get_message_type(CODE_LENS) is types.CodeLensRequest
    protocol = Messages("1", METHODS)
    read = protocol.read_result("workspace/applyEdit", {"applied": True, "more": 1})
    assert read == types.ApplyWorkspaceEditResult(applied=True)
    assert isinstance(protocol.read_result("workspace/applyEdit", {}), Problems)
    assert protocol.read_result("window/workDoneProgress/create", None) is None


def test_names_of_methods_are_those_of_lsprotocol() -> None:
    for name, value in vars(lsp_names).items():
        if name.isupper():
            assert value == getattr(types, name)


def test_the_words_of_lsp_are_those_of_lsprotocol() -> None:
    assert lsp_words.Range is types.Range
    with pytest.raises(AttributeError, match="NoSuchWord"):
        getattr(lsp_words, "NoSuchWord")  # noqa: B009  a type checker knows that there is none


def test_a_server_that_hears_nothing_of_lsp_does_not_import_its_words() -> None:
    told = (
        "import sys\n"
        "import sennit.server.app\n"
        "from sennit.server.jsonrpc.messages import Messages\n"
        "from sennit_protocol.methods import METHODS\n"
        "messages = Messages('1', METHODS)\n"
        "messages.read_params('initialized', {})\n"
        "messages.read_params('sennit/tickets', {})\n"
        "messages.plain('shutdown', None)\n"
        "print(sorted({'pygls', 'lsprotocol'} & set(sys.modules)))\n"
        "messages.learn_lsp()\n"
        "print(sorted({'pygls', 'lsprotocol'} & set(sys.modules)))\n"
    )
    done = subprocess.run([sys.executable, "-c", told], check=True, capture_output=True, text=True)
    assert done.stdout.splitlines() == ["[]", "['lsprotocol', 'pygls']"]
