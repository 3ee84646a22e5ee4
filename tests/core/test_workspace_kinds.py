"""Which kind of workspace is made, and what is told of those that are not."""

from __future__ import annotations

import pytest
from attrs import evolve

from sennit.core.workspace_kinds import (
    LEAST_FILES,
    Circumstances,
    Found,
    KindRefused,
    KindWorks,
    Plan,
    Refusal,
    WorkspaceKind,
    instead_of_layers,
    needs_a_try,
    plan_of,
)

AUTO, OVERLAY, REFLINK, POOL, CHECKOUT = WorkspaceKind
LARGE = Circumstances(LEAST_FILES, confined=True)
SMALL = Circumstances(LEAST_FILES - 1, confined=True)
WORKS, REFUSED = KindWorks("it works"), KindRefused("it does not", "Do without.")


def found(*works: WorkspaceKind) -> Found:
    tried = (OVERLAY, REFLINK, POOL)
    return {kind: WORKS if kind in works else REFUSED for kind in tried} | {CHECKOUT: WORKS}


def refusals(*kinds: WorkspaceKind) -> tuple[Refusal, ...]:
    return tuple(Refusal(kind, "it does not") for kind in kinds)


@pytest.mark.parametrize(
    ("works", "plan"),
    [
        ((OVERLAY, REFLINK, POOL), Plan(spare=False, new=OVERLAY)),
        ((OVERLAY,), Plan(spare=False, new=OVERLAY)),
        ((REFLINK, POOL), Plan(spare=True, new=REFLINK, refused=refusals(OVERLAY))),
        ((POOL,), Plan(spare=True, new=CHECKOUT, refused=refusals(OVERLAY, REFLINK))),
        ((), Plan(spare=False, new=CHECKOUT, refused=refusals(OVERLAY, REFLINK, POOL))),
    ],
)
def test_the_quickest_kind_that_works_is_taken_and_the_others_are_told(
    works: tuple[WorkspaceKind, ...], plan: Plan
) -> None:
    assert plan_of(AUTO, found(*works), LARGE) == plan


@pytest.mark.parametrize(
    ("around", "why"),
    [(SMALL, f"{SMALL.files} files"), (evolve(LARGE, confined=False), "without a sandbox")],
)
def test_where_layers_are_not_wanted_they_are_not_even_tried(
    around: Circumstances, why: str
) -> None:
    # As they are found where layers were not tried.
    tried = {kind: one for kind, one in found(REFLINK, POOL).items() if kind is not OVERLAY}
    assert not needs_a_try(AUTO, around)
    plan = plan_of(AUTO, tried, around)
    assert isinstance(plan, Plan)
    assert (plan.spare, plan.new) == (True, REFLINK)
    [refusal] = plan.refused
    assert refusal.kind is OVERLAY
    assert why in refusal.why
    assert needs_a_try(AUTO, LARGE)


def test_a_kind_that_is_asked_for_is_made_however_small_the_repository_is() -> None:
    assert needs_a_try(OVERLAY, SMALL)
    for kind in (OVERLAY, REFLINK, CHECKOUT):
        assert plan_of(kind, found(OVERLAY, REFLINK, POOL), SMALL) == Plan(spare=False, new=kind)
    assert plan_of(POOL, found(POOL), SMALL) == Plan(True, CHECKOUT, refusals(REFLINK))


def test_a_kind_that_is_asked_for_and_does_not_work_is_an_error() -> None:
    for kind in (OVERLAY, REFLINK, POOL):
        assert plan_of(kind, found(), LARGE) == REFUSED


def test_what_was_to_be_a_layer_and_cannot_be_is_made_in_the_next_way() -> None:
    works = found(OVERLAY, POOL)
    plan = plan_of(AUTO, works, LARGE)
    assert isinstance(plan, Plan)
    instead = instead_of_layers(plan, works, "it is in use")
    reasons = (Refusal(OVERLAY, "it is in use"), *refusals(REFLINK))
    assert instead == Plan(spare=True, new=CHECKOUT, refused=reasons)
    # Of what nobody has tried it is not said that it works.
    assert instead_of_layers(plan, {}, "busy") == Plan(False, CHECKOUT, (Refusal(OVERLAY, "busy"),))
