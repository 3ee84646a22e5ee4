"""One figure of a benchmark: ours against a reference that was measured in the same run."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import frozen
from rich.table import Table


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


def table_of(figures: Sequence[Ratio]) -> Table:
    """Show figures to a person."""
    table = Table("figure", "ours", "reference", "ratio", "target", "")
    for each in figures:
        table.add_row(
            each.name,
            f"{each.ours:.1f} {each.unit}",
            f"{each.reference:.1f} {each.unit}",
            f"{each.ratio:.3g}",
            f"≤ {each.target:.3g}",
            "met" if each.met else "MISSED",
        )
    return table
