"""Kinds of workspaces: which one is made, given what was asked for and what the machine can do."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum, unique

from attrs import frozen


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
    """The kind cannot be had here: why, and what a person can do about it."""

    why: str
    advice: str


KindFound = KindWorks | KindRefused
Found = Mapping[WorkspaceKind, KindFound]


@frozen
class Plan:
    """How a workspace is made: by a spare one if there is any, else filled as ``new`` says."""

    spare: bool
    new: WorkspaceKind


def plan_of(wish: WorkspaceKind, found: Found) -> Plan | KindRefused:
    """Decide how workspaces are made. A kind that was asked for and is refused is an error.

    A spare folder that is reset is quicker than any copy, so it goes first unless a kind is forced.
    """
    if wish is not WorkspaceKind.AUTO:
        refused = found[wish]
        if isinstance(refused, KindRefused):
            return refused
    match wish:
        case WorkspaceKind.AUTO | WorkspaceKind.POOL:
            works = isinstance(found[WorkspaceKind.POOL], KindWorks)
            return Plan(works, _new(found))
        case WorkspaceKind.REFLINK | WorkspaceKind.OVERLAY | WorkspaceKind.CHECKOUT:
            return Plan(spare=False, new=wish)


def _new(found: Found) -> WorkspaceKind:
    shares = isinstance(found[WorkspaceKind.REFLINK], KindWorks)
    return WorkspaceKind.REFLINK if shares else WorkspaceKind.CHECKOUT
