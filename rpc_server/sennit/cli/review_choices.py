"""Decisions that are named on the command line: units, files or everything."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from attrs import frozen

from sennit.cli.failures import UsageError
from sennit.cli.review_loop import can_be_decided, fitting_units
from sennit_protocol.ids import UnitId
from sennit_protocol.proposals import ProposalView
from sennit_protocol.review import Choice
from sennit_protocol.states import Decision

ALL = "all"
"""Stands for every unit; when accepting, for every one that has no conflict."""

_MOST_NAMED = 20


@frozen
class Named:
    """What to accept and to reject, by name; ``reset`` takes all earlier decisions back first.

    A name is the id of a unit, the path or URI of a file, or `ALL`. Rejecting wins.
    """

    accept: tuple[str, ...] = ()
    reject: tuple[str, ...] = ()
    reset: bool = False

    @property
    def decides_nothing(self) -> bool:
        """Whether nothing was named."""
        return not (self.accept or self.reject or self.reset)


def contradiction(named: Named) -> str | None:
    """Say what cannot be meant together; ``None`` where all can."""
    if named.reset and ALL in {*named.accept, *named.reject}:
        return (
            "--reset takes every decision back, and `all` decides about everything: leave one out,"
            " or name the units or files that are to be decided."
        )
    if ALL in named.reject and named.accept:
        return "`--reject all` leaves nothing to accept: name what is to be rejected."
    both = set(named.accept) & set(named.reject)
    return f"{min(both)!r} cannot be both accepted and rejected." if both else None


def check_names(named: Named, views: Sequence[ProposalView]) -> None:
    """Raise `UsageError` for a name that nothing has, and a file to accept that several change."""
    for name in (*named.accept, *named.reject):
        if name != ALL and not _owners(name, views):
            raise UsageError(
                f"{name!r} is neither a unit nor a changed file here. There are: {_valid(views)}."
            )
    for name in named.accept:
        owners = _owners(name, views)
        if name != ALL and len(owners) > 1:
            raise UsageError(
                f"{name!r} is changed by several proposals; name one of them instead of the "
                f"ticket: {', '.join(each.summary.id for each in owners)}."
            )


def choices_of(named: Named, view: ProposalView) -> tuple[Choice, ...]:
    """Give the decisions about one proposal."""
    return tuple(_choices(named, view))


def _choices(named: Named, view: ProposalView) -> Iterator[Choice]:
    if named.reset and view.files:
        yield Choice(Decision.UNDECIDED, all=True)
    for decision, names in ((Decision.ACCEPTED, named.accept), (Decision.REJECTED, named.reject)):
        for name in names:
            units = _everything(view, decision) if name == ALL else _units(view, name)
            if units:
                yield Choice(decision, units=units)


def _everything(view: ProposalView, decision: Decision) -> tuple[UnitId, ...]:
    if not can_be_decided(view):
        return ()
    if decision is Decision.ACCEPTED:
        return fitting_units(view)
    return tuple(unit.id for file in view.files for unit in file.units)


def _units(view: ProposalView, name: str) -> tuple[UnitId, ...]:
    return tuple(
        unit.id
        for file in view.files
        for unit in file.units
        if name in {unit.id, file.path, file.uri}
    )


def _owners(name: str, views: Sequence[ProposalView]) -> list[ProposalView]:
    return [view for view in views if _units(view, name)]


def _valid(views: Sequence[ProposalView]) -> str:
    files = dict.fromkeys(file.path for view in views for file in view.files)
    units = (unit.id for view in views for file in view.files for unit in file.units)
    names = [*files, *units]
    more = len(names) - _MOST_NAMED
    rest = f" and {more} more (--json lists all)" if more > 0 else ""
    return ", ".join(names[:_MOST_NAMED]) + rest if names else "none"
