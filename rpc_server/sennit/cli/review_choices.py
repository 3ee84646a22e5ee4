"""Decisions that are named on the command line: units, files or everything."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from attrs import frozen

from sennit.cli.failures import UsageError
from sennit.cli.review_loop import can_be_decided, fitting_units
from sennit.core.uris import file_path
from sennit_protocol.ids import UnitId
from sennit_protocol.proposals import FileView, ProposalView
from sennit_protocol.review import Choice
from sennit_protocol.states import Decision

ALL = "all"
"""Stands for every unit; when accepting, for every one that has no conflict."""

_MOST_NAMED = 20


@frozen
class Named:
    """What to accept and to reject, by name; ``reset`` takes all earlier decisions back first.

    A name is the id of a unit, the path of a file from the top of its repository or from ``here``,
    its URI, or `ALL`. Rejecting wins.
    """

    accept: tuple[str, ...] = ()
    reject: tuple[str, ...] = ()
    reset: bool = False
    here: Path | None = None

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
        if name == ALL:
            continue
        if len(_files(named, name, views)) > 1:
            raise UsageError(
                f"{name!r} is a changed file seen from the top of the repository, and another one "
                f"seen from the folder here; say './{name}' for the one here, or name units."
            )
        if not _owners(named, name, views):
            raise UsageError(
                f"{name!r} is neither a unit nor a changed file here. There are: {_valid(views)}."
            )
    for name in named.accept:
        owners = _owners(named, name, views)
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
            units = _everything(view, decision) if name == ALL else _units(named, view, name)
            if units:
                yield Choice(decision, units=units)


def _everything(view: ProposalView, decision: Decision) -> tuple[UnitId, ...]:
    if not can_be_decided(view):
        return ()
    if decision is Decision.ACCEPTED:
        return fitting_units(view)
    return tuple(unit.id for file in view.files for unit in file.units)


def _units(named: Named, view: ProposalView, name: str) -> tuple[UnitId, ...]:
    return tuple(
        unit.id
        for file in view.files
        for unit in file.units
        if unit.id == name or _is_named(named, file, name)
    )


def _is_named(named: Named, file: FileView, name: str) -> bool:
    if name in {file.path, file.uri}:
        return True
    if named.here is None:
        return False
    # The folder may lead through links, the URI does not.
    path = os.path.normpath(named.here.resolve() / name)
    return file_path(file.uri) == os.fsencode(path)


def _files(named: Named, name: str, views: Sequence[ProposalView]) -> frozenset[str]:
    """The URIs of the files that a name may mean."""
    files = (file for view in views for file in view.files)
    return frozenset(file.uri for file in files if _is_named(named, file, name))


def _owners(named: Named, name: str, views: Sequence[ProposalView]) -> list[ProposalView]:
    return [view for view in views if _units(named, view, name)]


def _valid(views: Sequence[ProposalView]) -> str:
    files = dict.fromkeys(file.path for view in views for file in view.files)
    units = (unit.id for view in views for file in view.files for unit in file.units)
    names = [*files, *units]
    more = len(names) - _MOST_NAMED
    rest = f" and {more} more (--json lists all)" if more > 0 else ""
    return ", ".join(names[:_MOST_NAMED]) + rest if names else "none"
