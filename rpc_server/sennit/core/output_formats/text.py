"""Words for people; of some programs a line about usage is known."""

from __future__ import annotations

import re

from sennit.core.agent_events import AgentEvent, Failed, TextSaid, UsageStep
from sennit.core.output_formats.model_failures import model_failure
from sennit_protocol.agents import Usage, UsageKnown

# aider's line after each message: `Tokens: 1.2k sent, 34 received. Cost: $0.01 message, …`.
_TOKENS = re.compile(
    r"Tokens: ([0-9][0-9.,]*[kM]?) sent, "
    r"(?:[0-9][0-9.,]*[kM]? cache (?:hit|write), )*([0-9][0-9.,]*[kM]?) received"
    r"(?:\. Cost: \$([0-9]{1,9}(?:\.[0-9]{1,9})?) message)?"
)
# How a much used library of clients for models names what it raises; its callers print it and
# may end with exit code 0 all the same.
_RAISED = re.compile(r"\A\W{0,8}litellm\.(?:[A-Z][A-Za-z]*\.)?[A-Z][A-Za-z]*Error\b")
_TIMES = {"k": 1_000, "M": 1_000_000}


def events(line: str) -> tuple[AgentEvent, ...]:
    """Read one line."""
    said = TextSaid(f"{line}\n")
    if found := _TOKENS.match(line):
        usage = Usage(
            UsageKnown.SUM,
            input=_number(found[1]),
            output=_number(found[2]),
            cost=float(found[3]) if found[3] else None,
            currency="USD" if found[3] else None,
            turns=1,
        )
        return said, UsageStep(usage)
    if _RAISED.match(line):
        failed: Failed = model_failure(line)
        return said, failed
    return (said,)


def _number(written: str) -> int | None:
    digits, times = written.rstrip("kM").replace(",", ""), _TIMES.get(written[-1], 1)
    try:
        return round(float(digits) * times)
    except (ValueError, OverflowError):
        return None
