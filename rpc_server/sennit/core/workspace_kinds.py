"""Kinds of workspaces: which one is made, given what was asked for and what the machine can do."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum, unique

from attrs import frozen

from sennit.core.counted import counted


@unique
class WorkspaceKind(StrEnum):
    """How the folder of a task is filled with its base.

    ``OVERLAY``: a delta layer over a kept checkout. ``REFLINK``: copies of a kept checkout that
    share its blocks. ``POOL``: the folder of an earlier task, brought to the new base, or a plain
    checkout where none is free. ``CHECKOUT``: always a plain one. ``AUTO``: the quickest there is.
    """

    AUTO = "auto"
    OVERLAY = "overlay"
    REFLINK = "reflink"
    POOL = "pool"
    CHECKOUT = "checkout"


@frozen
class KindWorks:
    """The kind was tried and works; ``how`` tells a person in a few words."""

    how: str


@frozen
class KindRefused:
    """The kind cannot be had here: why, and what a person can do about it.

    ``passes``: nothing is known of the kind, for the disk was full, say; it is to be tried again.
    """

    why: str
    advice: str
    passes: bool = False


KindFound = KindWorks | KindRefused
Found = Mapping[WorkspaceKind, KindFound]


LEAST_FILES = 2_500
"""From so many files on a layer is quicker than a folder of an earlier task, all in all.

Below, a capture costs in a layer what its making saves, and a plain folder is simpler for whoever
looks into it from outside.
"""


@frozen
class Refusal:
    """A kind that is not taken for a workspace, and why, in a few words for a person."""

    kind: WorkspaceKind
    why: str


@frozen
class Plan:
    """How a workspace is made: by a spare one if there is any, else filled as ``new`` says.

    ``refused`` tells of the kinds that would have come before, if they could be had.
    """

    spare: bool
    new: WorkspaceKind
    refused: tuple[Refusal, ...] = ()


@frozen
class Circumstances:
    """What decides beside the machine: ``files``, how many the repository has, about.

    ``confined``: whether who works there is to run in a sandbox where there is one.
    """

    files: int
    confined: bool


@frozen
class How:
    """How a workspace was made in the end, and why not in a way that comes before."""

    kind: WorkspaceKind
    refused: tuple[Refusal, ...] = ()


def plan_of(wish: WorkspaceKind, found: Found, around: Circumstances) -> Plan | KindRefused:
    """Decide how workspaces are made. A kind that was asked for and is refused is an error.

    A spare folder that is reset is quicker than copies, so it goes before them unless a kind is
    forced.
    """
    if wish is not WorkspaceKind.AUTO:
        refused = found[wish]
        if isinstance(refused, KindRefused):
            return refused
    match wish:
        case WorkspaceKind.AUTO:
            why = _why_no_layer(found, around)
            if why is None:
                return Plan(spare=False, new=WorkspaceKind.OVERLAY)
            return _without_layers(found, (Refusal(WorkspaceKind.OVERLAY, why),))
        case WorkspaceKind.POOL:
            return _without_layers(found, ())
        case WorkspaceKind.REFLINK | WorkspaceKind.OVERLAY | WorkspaceKind.CHECKOUT:
            return Plan(spare=False, new=wish)


def instead_of_layers(plan: Plan, found: Found, why: str) -> Plan:
    """Decide how a workspace is made that was to be a layer, and cannot be this time."""
    return _without_layers(found, (*plan.refused, Refusal(WorkspaceKind.OVERLAY, why)))


def needs_a_try(wish: WorkspaceKind, around: Circumstances) -> bool:
    """Tell whether it matters if layers work, which takes a while to be found out."""
    if wish is WorkspaceKind.AUTO:
        return _why_not_wanted(around) is None
    return wish is WorkspaceKind.OVERLAY


def _why_no_layer(found: Found, around: Circumstances) -> str | None:
    unwanted = _why_not_wanted(around)
    if unwanted is not None:
        return unwanted
    layers = found[WorkspaceKind.OVERLAY]
    return layers.why if isinstance(layers, KindRefused) else None


def _why_not_wanted(around: Circumstances) -> str | None:
    if around.files < LEAST_FILES:
        files = counted(around.files, "file")
        return f"the repository has {files}, and below {LEAST_FILES} nothing is gained"
    if not around.confined:
        # No sandbox is a promise: it may start containers here, gain rights, speak with daemons.
        return (
            "what runs without a sandbox may have others look into its workspace;"
            " `workspace.kind` `overlay` makes one all the same"
        )
    return None


def _without_layers(found: Found, refused: tuple[Refusal, ...]) -> Plan:
    more = tuple(
        Refusal(kind, one.why)
        for kind in (WorkspaceKind.REFLINK, WorkspaceKind.POOL)
        if isinstance(one := found.get(kind), KindRefused)
    )
    # What nobody has tried is not used.
    spare = isinstance(found.get(WorkspaceKind.POOL), KindWorks)
    shares = isinstance(found.get(WorkspaceKind.REFLINK), KindWorks)
    new = WorkspaceKind.REFLINK if shares else WorkspaceKind.CHECKOUT
    return Plan(spare, new, (*refused, *more))
