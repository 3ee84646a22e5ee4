"""Scenarios on disks where a workspace is a copy that shares its blocks with a kept checkout."""

from __future__ import annotations

import os

import pytest

from tests import on_made_disks
from tests.adapters.git.bench import Watch
from tests.adapters.git.scenarios import test_scenarios as everywhere
from tests.adapters.git.scenarios.scenario import Room, Scenario
from tests.made_disks import DiskKind

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(600 if everywhere.ALL else 180)]

room = everywhere.room
STEP = 1 if "reflink" in os.environ.get("SENNIT_KINDS", "").split(",") else 6
"""One of so many scenarios, another one for each kind of disk."""
CHOSEN = [
    pytest.param(kind, name, scenario, id=f"{name}-{kind.value}")
    for number, kind in enumerate(DiskKind)
    for name, scenario in list(everywhere.SCENARIOS.items())[number::STEP]
    if not scenario.somebody
]


disk, numbers, tmp_path = on_made_disks.disk, on_made_disks.numbers, on_made_disks.tmp_path


@pytest.mark.parametrize(("disk", "name", "scenario"), CHOSEN, indirect=["disk"])
async def test_a_copy_that_shares_blocks_is_like_any_other_workspace(
    name: str, scenario: Scenario, room: Room, untouched: Watch
) -> None:
    await everywhere.test_base_workspace_proposal_and_merge_are_those_of_plain_git(
        name, scenario, "reflink", room, untouched
    )
