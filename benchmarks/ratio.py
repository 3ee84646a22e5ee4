"""One figure of a benchmark: ours against a reference that was measured in the same run."""

from __future__ import annotations

from attrs import frozen


@frozen
class Ratio:
    """``ours`` and ``reference`` are in ``unit``; ``ratio`` is to stay at or under ``target``.

    A figure without a reference has a ratio to the target itself.
    """

    name: str
    ours: float
    reference: float
    ratio: float
    target: float
    unit: str = "µs"

    @property
    def met(self) -> bool:
        """Whether the figure is as good as it has to be."""
        return self.ratio <= self.target
