from __future__ import annotations

from sennit.core.used import added, replaced
from sennit_protocol.agents import Usage, UsageKnown


def test_steps_add_up_and_an_unknown_number_takes_nothing_away() -> None:
    first = Usage(UsageKnown.SUM, input=1, cost=0.5, currency="USD", turns=1)
    second = Usage(UsageKnown.SUM, input=2, output=3, turns=1)
    assert added(added(None, first), second) == Usage(
        UsageKnown.SUM, input=3, output=3, cost=0.5, currency="USD", turns=2
    )


def test_a_total_replaces_steps_number_by_number() -> None:
    steps = Usage(UsageKnown.SUM, input=3, output=3, turns=2)
    total = Usage(UsageKnown.TOTAL, input=5, output=4, cost=0.1, currency="USD")
    assert replaced(steps, total) == Usage(
        UsageKnown.TOTAL, input=5, output=4, cost=0.1, currency="USD", turns=2
    )


def test_a_total_of_money_alone_does_not_make_tokens_a_total() -> None:
    tokens = Usage(UsageKnown.LOWER_BOUND, input=1_200)
    money = Usage(UsageKnown.TOTAL, cost=0.1, currency="USD")
    assert replaced(tokens, money).known is UsageKnown.LOWER_BOUND
    assert replaced(money, tokens).known is UsageKnown.LOWER_BOUND
    assert replaced(None, money) == money
