from __future__ import annotations

import pytest

from sennit.cli.failures import UsageError
from sennit.cli.names import kind_of
from sennit_protocol.ids import IdKind

ANY = (IdKind.TICKET, IdKind.PROPOSAL, IdKind.APPLICATION)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("t_vf7wstryhc", IdKind.TICKET),
        ("t_v", IdKind.TICKET),
        ("@", IdKind.TICKET),
        ("p_wz64", IdKind.PROPOSAL),
        ("t_vf7w/german", IdKind.PROPOSAL),
        ("@/german", IdKind.PROPOSAL),
        ("a_zvcl5da73j", IdKind.APPLICATION),
    ],
)
def test_the_kind_is_told_by_the_form(name: str, kind: IdKind) -> None:
    assert kind_of(name, *ANY) is kind
    others = [each for each in ANY if each is not kind]
    with pytest.raises(UsageError):
        kind_of(name, *others)


@pytest.mark.parametrize(
    "name",
    ["", "t", "a_", "x_1", "nonsense", "t_vf7wstryhcx", "t_V", "t_1", "@/", "/x", "p_wz64/x", "@1"],
)
def test_what_is_no_name_is_told_with_what_would_be_one(name: str) -> None:
    with pytest.raises(UsageError, match=r"no ticket \(t_…\) and no proposal \(p_…\)") as caught:
        kind_of(name, IdKind.TICKET, IdKind.PROPOSAL)
    assert "`sennit tickets` lists tickets" in caught.value.message


@pytest.mark.parametrize(("name", "kind"), [("t_", "ticket"), ("p_", "proposal")])
def test_what_all_ids_begin_with_is_told_as_that(name: str, kind: str) -> None:
    with pytest.raises(UsageError, match=f"Every {kind} .* begins with '{name}'; type more"):
        kind_of(name, IdKind.TICKET, IdKind.PROPOSAL)
