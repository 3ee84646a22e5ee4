from __future__ import annotations

import json
from typing import Any, ClassVar

import pytest
from attrs import evolve, frozen
from hypothesis import given
from hypothesis import strategies as st

from sennit.adapters.store.codec import Codec, UnreadableError, table_name
from sennit.core.engine.commands import COMMANDS, RemoveWorkspaces
from sennit.core.engine.events import EVENTS, ServerStarted
from sennit.core.engine.rows import ROWS, ServerRow
from sennit.core.engine.step_values import Issued
from sennit.core.named_limits import LimitOf, NamedLimit
from sennit_protocol.ids import CommandId, RunId, ServerId, TicketId
from tests.adapters.store import examples
from tests.adapters.store.examples import Ball, Box, Colour, Fetch, Started, ToyRow

texts = st.text(st.characters(exclude_categories=["Cs"]))
shapes = (
    st.none()
    | st.builds(Box, st.integers())
    | st.builds(Ball, st.integers(), st.sampled_from(Colour))
)
mixed = texts | st.integers() | st.builds(Box, st.integers()) | st.lists(st.binary()).map(tuple)
toys = st.builds(
    ToyRow,
    texts,
    st.binary(),
    shapes,
    mixed,
    st.lists(st.tuples(texts, st.sampled_from(Colour))).map(tuple),
    st.integers(),
)


@given(toys)
def test_a_row_comes_back_as_it_was(toy: ToyRow) -> None:
    codec = examples.codec()
    text = codec.dump(toy)
    assert text.isascii()
    assert codec.row("row_toy", text) == toy


@given(st.binary())
def test_bytes_of_any_kind_come_back(name: bytes) -> None:
    codec = examples.codec()
    assert codec.row("row_toy", codec.dump(ToyRow("a", name))) == ToyRow("a", name)


def test_paths_stay_readable_in_the_database() -> None:
    assert '"name":"/home/a b/' in examples.codec().dump(ToyRow("a", b"/home/a b/\xff"))


def test_commands_inside_events_come_back_as_their_class() -> None:
    codec = examples.codec()
    event = Started(at=5, found=(Issued(CommandId("c_a"), Fetch("x"), once=True),))
    assert codec.event("started", 1, codec.dump(event)) == event


def test_all_classes_of_the_engine_can_be_stored() -> None:
    codec = Codec(ROWS, EVENTS, COMMANDS)
    command = RemoveWorkspaces(TicketId("t_a"), (RunId("n_a"),))
    event = ServerStarted(
        at=1,
        server=ServerRow(ServerId("s_a"), 1, 2, "boot", 3, 4),
        outbox=(Issued(CommandId("c_a"), command),),
    )
    assert codec.event("serverStarted", 1, codec.dump(event)) == event
    assert codec.command("RemoveWorkspaces", codec.dump(command)) == command
    assert set(codec.tables.values()) == set(ROWS)


def test_a_server_that_an_older_program_has_entered_has_no_named_limits() -> None:
    codec = Codec(ROWS, EVENTS, COMMANDS)
    server = ServerRow(
        ServerId("s_a"), 1, 2, "boot", 3, 4, limits=(NamedLimit(LimitOf.MODEL, "a.b/c", 2),)
    )
    assert codec.row("row_server", codec.dump(server)) == server
    older = json.loads(codec.dump(server))
    del older["limits"]
    assert codec.row("row_server", json.dumps(older)) == evolve(server, limits=())
    body = json.dumps({"at": 1, "seed": 0, "cause": None, "server": older})
    event = codec.event("serverStarted", ServerStarted.VERSION, body)
    assert event == ServerStarted(at=1, server=evolve(server, limits=()))


def test_tables_are_named_after_their_rows() -> None:
    assert table_name(ToyRow) == "row_toy"
    assert {table_name(row) for row in ROWS} >= {"row_open_document", "row_mail"}


@pytest.mark.parametrize(
    "change",
    [
        {"later": 1},
        {"name": 5},
        {"id": None},
        {"sequence": "1"},
        {"sequence": True},
        {"shape": {"$class": "Cone"}},
        {"shape": {"side": 1}},
        {"tags": [["a", "green"]]},
        {"mixed": None},
    ],
)
def test_what_is_not_of_the_class_is_refused(change: dict[str, Any]) -> None:
    codec = examples.codec()
    body = {**json.loads(codec.dump(ToyRow("a", b"a"))), **change}
    with pytest.raises(UnreadableError, match="row_toy"):
        codec.row("row_toy", json.dumps(body))


def test_an_unknown_field_is_told_to_be_a_newer_programs() -> None:
    codec = examples.codec()
    body = {**json.loads(codec.dump(ToyRow("a", b"a"))), "later": 1}
    with pytest.raises(UnreadableError) as caught:
        codec.row("row_toy", json.dumps(body))
    assert caught.value.newer
    assert not caught.value.lacks
    del body["id"]
    with pytest.raises(UnreadableError) as caught:
        codec.row("row_toy", json.dumps(body))
    # It may as well have been an earlier one, which named it otherwise.
    assert (caught.value.newer, caught.value.lacks) == (True, True)


@pytest.mark.parametrize("text", ["", "{", "[1]", "null", '"a"'])
def test_what_is_no_object_is_refused(text: str) -> None:
    with pytest.raises(UnreadableError):
        examples.codec().row("row_toy", text)


def test_commands_and_events_of_a_newer_program_are_refused() -> None:
    codec = examples.codec()
    with pytest.raises(UnreadableError) as command:
        codec.command("Teleport", "{}")
    with pytest.raises(UnreadableError) as event:
        codec.event("teleported", 1, "{}")
    with pytest.raises(UnreadableError) as version:
        codec.event("added", 2, "{}")
    assert command.value.newer
    assert event.value.newer
    assert version.value.newer


@frozen(kw_only=True)
class Renamed:
    TYPE: ClassVar[str] = "renamed"
    VERSION: ClassVar[int] = 3

    at: int
    path: bytes
    reason: str


def _second(body: dict[str, Any]) -> dict[str, Any]:
    return {"at": body["at"], "path": body["name"]}


def _third(body: dict[str, Any]) -> dict[str, Any]:
    return {**body, "reason": ""}


def test_events_of_every_older_version_are_read() -> None:
    codec = Codec((), (Renamed,), (), {("renamed", 1): _second, ("renamed", 2): _third})
    wanted = Renamed(at=1, path=b"a", reason="")
    assert codec.event("renamed", 1, '{"at":1,"name":"a"}') == wanted
    assert codec.event("renamed", 2, '{"at":1,"path":"a"}') == wanted
    assert codec.event("renamed", 3, codec.dump(wanted)) == wanted


def test_an_older_version_without_a_way_forward_is_refused() -> None:
    with pytest.raises(UnreadableError, match="nothing leads from version 1 to 2"):
        Codec((), (Renamed,), ()).event("renamed", 1, '{"at":1,"name":"a"}')


@frozen
class AmbiguousRow:
    key: str
    name: str | bytes


def test_a_class_that_cannot_be_told_back_is_refused_at_the_start() -> None:
    with pytest.raises(TypeError, match="look alike"):
        Codec((AmbiguousRow,), (), ())


@frozen
class NestedRow:
    key: str
    rows: tuple[AmbiguousRow, ...]


def test_a_union_is_looked_at_wherever_it_stands() -> None:
    with pytest.raises(TypeError, match="look alike"):
        Codec((NestedRow,), (), ())


def test_every_class_of_the_engine_can_be_stored() -> None:
    Codec(ROWS, EVENTS, COMMANDS).complete()


def test_what_is_not_stored_is_not_spelled() -> None:
    with pytest.raises(TypeError, match="none of the classes"):
        Codec((), (Renamed,), ()).dump(AmbiguousRow("k", "n"))
