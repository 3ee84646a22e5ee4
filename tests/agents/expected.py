"""Known differences: what an agent does otherwise than it should, and why that is so."""

from __future__ import annotations

from collections.abc import Iterable

from attrs import frozen


@frozen
class Difference:
    """One known difference: `words` are in what is wrong.

    An empty `agent`, `way` or `sandbox` stands for all of them.
    """

    agent: str
    way: str
    sandbox: str
    check: str
    words: str
    why: str


_UNASKED = (
    "It writes wherever the model says and asks nobody. Its entry in Sennit requires the sandbox, "
    "which this run switched off."
)
_YOLO = (
    "It was started so that it may run commands without a question, and so it writes anywhere as "
    "well. In the sandbox it cannot."
)

_WRITING = [
    Difference(agent, way, "off", check, "it was written", why)
    for agent, way, why in (
        ("pi", "", _UNASKED),
        ("mini", "headless", _UNASKED),
        ("kimi", "headless", "`kimi -p` allows itself everything. In the sandbox it cannot."),
        ("qwen", "headless", _YOLO),
    )
    for check in ("outside", "tree")
]
DIFFERENCES: tuple[Difference, ...] = (*_WRITING,)


def why_expected(agent: str, way: str, sandbox: str, check: str, wrong: Iterable[str]) -> str:
    """Why all of this is known; "" when something of it is not."""
    known = [
        each
        for each in DIFFERENCES
        if each.agent in {"", agent}
        and each.way in {"", way}
        and each.sandbox in {"", sandbox}
        and each.check == check
    ]
    reasons = [next((d.why for d in known if d.words in each), "") for each in wrong]
    return " ".join(dict.fromkeys(reasons)) if reasons and all(reasons) else ""
