from __future__ import annotations

from sennit.server.capabilities import COMMANDS, initialize_result
from sennit.server.methods import table


def test_every_advertised_command_is_carried_out_and_every_other_way_round() -> None:
    assert set(COMMANDS) == set(table.COMMANDS)
    assert list(COMMANDS) == sorted(COMMANDS)


def test_what_the_capabilities_promise_is_answered() -> None:
    capabilities = initialize_result("utf-16")["capabilities"]
    assert isinstance(capabilities, dict)
    assert {"codeLensProvider", "codeActionProvider"} <= capabilities.keys()
    for method in (
        "textDocument/codeLens", "textDocument/codeAction", "workspace/textDocumentContent",
    ):  # fmt: skip
        assert method in table.REQUESTS
