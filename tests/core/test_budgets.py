import pytest

from sennit.core.agent_events import ToolUpdated, UsageStep, UsageTotal
from sennit.core.agent_report import Report, take
from sennit.core.budgets import Used, overspent, used, wrap_up
from sennit_protocol.agents import ToolStatus, Usage, UsageKnown
from sennit_protocol.tasks import Budget


def test_turns_are_calls_of_the_model_or_of_tools() -> None:
    report = Report()
    for event in (
        UsageStep(Usage(UsageKnown.SUM, input=10, output=5, turns=1)),
        UsageStep(Usage(UsageKnown.SUM, input=10, output=5, turns=1)),
        ToolUpdated("1", "look"),
    ):
        report = take(report, event)
    assert used(report, 7) == Used(turns=2, elapsed_ms=7, tokens=30)
    report = take(report, UsageTotal(Usage(UsageKnown.TOTAL, cost=0.5, currency="USD")))
    assert used(report, 7).cost == 0.5


def test_calls_under_one_id_are_as_many_turns_as_have_begun() -> None:
    report = Report()
    for event in (
        ToolUpdated("it", "look", begins=True),
        ToolUpdated("it", status=ToolStatus.COMPLETED),
        ToolUpdated("it", "look again", begins=True),
        ToolUpdated("it", "and again", begins=True),
    ):
        report = take(report, event)
    assert used(report, 0).turns == 3


@pytest.mark.parametrize(
    ("budget", "words"),
    [
        (Budget(turns=3), "3 turns"),
        (Budget(tokens=100), "100 tokens"),
        (Budget(cost=0.5), "0.5"),
        (Budget(time_ms=1000), "1000 ms"),
    ],
)
def test_each_part_of_a_budget_can_be_spent(budget: Budget, words: str) -> None:
    spent = Used(turns=3, elapsed_ms=1000, tokens=100, cost=0.5, currency=" USD")
    why = overspent(budget, spent)
    assert why is not None
    assert words in why
    assert why in wrap_up(why, 2)
    assert overspent(budget, Used(turns=2, elapsed_ms=999, tokens=99, cost=0.4)) is None


def test_what_is_not_told_does_not_spend_anything() -> None:
    assert overspent(Budget(tokens=1, cost=0.1), Used(turns=0, elapsed_ms=0)) is None
