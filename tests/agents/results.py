"""What was found, kept below the cache so that the table can be made from several runs."""

from __future__ import annotations

import json

import attrs
from attrs import frozen

from tests.agents.expected import why_expected
from tests.agents.real import CACHE


@frozen
class Result:
    """One check of one agent; `wrong` is what was not as it should be."""

    agent: str
    way: str
    sandbox: str
    check: str
    said: str
    wrong: tuple[str, ...]
    seconds: float
    date: str
    is_cut_off: bool
    kind: str = "auto"

    @property
    def why(self) -> str:
        """Why this difference is known, "" when nothing is known of it."""
        return why_expected(self.agent, self.way, self.sandbox, self.check, self.wrong)

    @property
    def is_unexpected(self) -> bool:
        """Whether something is wrong that nobody has explained."""
        return bool(self.wrong) and not self.why

    def line(self) -> str:
        """For the terminal."""
        verdict = "ok" if not self.wrong else "known" if self.why else "WRONG"
        wrong = "".join(f"\n    {each}" for each in self.wrong)
        name = f"{self.agent} {self.way} {self.sandbox} {self.check}{_of_kind(self, ' ')}"
        return f"{verdict:6}{name:36}{self.seconds:6.1f} s  {self.said}{wrong}"


def save(result: Result) -> None:
    """Keep a result in place of the one before."""
    folder = CACHE / "results"
    folder.mkdir(parents=True, exist_ok=True)
    name = f"{result.agent}-{result.way}-{result.sandbox}-{result.check}{_of_kind(result, '-')}"
    file = folder / f"{name}.json"
    file.write_text(json.dumps(attrs.asdict(result), indent=1))


def _of_kind(result: Result, before: str) -> str:
    return "" if result.kind == "auto" else before + result.kind


def load() -> list[Result]:
    """Every result that was kept."""
    found = [json.loads(file.read_text()) for file in sorted((CACHE / "results").glob("*.json"))]
    return [Result(**each | {"wrong": tuple(each["wrong"])}) for each in found]
