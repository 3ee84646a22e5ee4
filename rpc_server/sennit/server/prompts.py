"""Puts together what the agent of a run is told."""

from __future__ import annotations

import os
from pathlib import Path
from typing import assert_never

import anyio.to_thread
from attrs import frozen

from sennit.adapters.overlay.layers import Layers
from sennit.adapters.overlay.seeing import lies_at
from sennit.adapters.small_files import Content, Missing, Unreadable, read_small_file
from sennit.core.agents import takes_prompt
from sennit.core.engine.rows import BaseRow, ProposalRow, RunRow, TaskRow
from sennit.core.facts import BadFolder, folder_path
from sennit.core.follow_prompt import going_on, told_anew
from sennit.core.handoff import with_hand_offs
from sennit.core.prompting import Attached, Situation, not_attached, whole_prompt
from sennit.core.text import lsp_lines
from sennit.server.following_up import standing_of
from sennit.server.handing_off import handed_off, told_of
from sennit.server.layering import LayersGone, follower, layers_of_run
from sennit.server.services import Services
from sennit_protocol.ids import ProposalId
from sennit_protocol.tasks import Attachment

_NOT_THERE = "it cannot be read: it is not there in what the agent works on"


@frozen
class Image:
    """A picture that is given with a prompt, as base64."""

    mime_type: str
    data: str


@frozen
class Prompts:
    """What the agent of a run is told, in a session that it goes on with or in a new one.

    ``lost``: a sentence about each thing that was to be attached and could not be.
    """

    going_on: str
    anew: str
    lost: tuple[str, ...] = ()


async def prompts_of(services: Services, task: TaskRow, run: RunRow) -> Prompts:
    """The whole prompt of a run; a command line stays as it was written."""
    spec = task.spec
    if not takes_prompt(spec.agent):
        return Prompts(spec.prompt, spec.prompt)
    found = [await _attached(services, task, run, one) for one in spec.attach]
    attached = [one for one in found if one is not None]
    lost = tuple(
        f"{one.label} was not given to the agent: {one.lost}." for one in attached if one.lost
    )
    standing = await standing_of(services, task, run)
    given = await handed_off(services, task)

    def whole(prompt: str) -> str:
        made = whole_prompt(
            prompt,
            system_prompt=spec.system_prompt,
            situation=_situation(services, task),
            attached=attached,
            output_schema=spec.output_schema,
        )
        return with_hand_offs(made, given)

    if spec.following is None:
        return Prompts(whole(spec.prompt), whole(spec.prompt), lost)
    earlier = whole(going_on(spec.prompt, standing))
    return Prompts(earlier, whole(told_anew(spec.prompt, standing)), lost)


def images_of(task: TaskRow) -> tuple[Image, ...]:
    """The pictures of a task, for agents that take some."""
    return tuple(
        Image(one.mime_type or "", one.image) for one in task.spec.attach if one.image is not None
    )


def _situation(services: Services, task: TaskRow) -> Situation | None:
    bases = services.state.bases(task.ticket)
    wanted = (task.spec.repository, task.spec.base)
    base: BaseRow | None = next(
        (row for row in bases if (row.repository, row.kind) == wanted), None
    )
    if base is None or base.manifest is None:
        return None
    manifest = base.manifest
    return Situation(
        staged=manifest.staged,
        modified=manifest.modified,
        deleted=manifest.deleted,
        untracked=manifest.untracked,
        unsaved=tuple(one.path for one in manifest.unsaved),
        left_out=tuple(one.path for one in manifest.left_out),
    )


async def _attached(
    services: Services, task: TaskRow, run: RunRow, one: Attachment
) -> Attached | None:
    if one.image is not None:
        return None
    if one.text is not None:
        return Attached(one.label or "A text", one.text)
    if one.proposal is not None:
        return await _proposal(services, one)
    top = task.spec.repository.top
    workspace = services.workspace_of(run.id)
    layers = await layers_of_run(services, run)
    seen = None if isinstance(layers, LayersGone) else layers
    return await anyio.to_thread.run_sync(_file, one, top, workspace, seen)


def _file(one: Attachment, top: bytes, workspace: Path, layers: Layers | None) -> Attached:
    path = folder_path(one.uri or "")
    relative = "" if isinstance(path, BadFolder) else os.path.relpath(path, top)
    name = os.fsdecode(relative)
    lines = _lines_named(one)
    label = f"{one.label or 'The file'} `{name}`{lines}"
    real = follower(layers)(str(workspace / name))
    if os.path.commonpath([real, os.path.realpath(workspace)]) != os.path.realpath(workspace):
        return not_attached(label, "it is not in the repository, so it is not shown")
    where = real if layers is None else lies_at(layers, real)
    if where is None:
        return not_attached(label, _NOT_THERE)
    found = read_small_file(os.fsencode(where))
    match found:
        case Missing():
            return not_attached(label, _NOT_THERE)
        case Unreadable(reason):
            return not_attached(label, f"it cannot be read: {reason}")
        case Content(content):
            part = _part(content.decode("utf-8", "replace"), one)
            if content and not part:
                return not_attached(label, "it has no such lines")
            return Attached(label, part)
        case _:
            assert_never(found)


def _part(text: str, one: Attachment) -> str:
    """Take the lines that are named, as editors count them."""
    if one.start_line is None and one.end_line is None:
        return text
    return "".join(lsp_lines(text)[(one.start_line or 1) - 1 : one.end_line]).rstrip("\r\n")


def _lines_named(one: Attachment) -> str:
    if one.start_line is None and one.end_line is None:
        return ""
    return f", lines {one.start_line or 1} to {one.end_line or 'its end'}"


async def _proposal(services: Services, one: Attachment) -> Attached:
    row = services.state.get(ProposalRow, ProposalId(one.proposal or ""))
    label = one.label or f"The earlier result {one.proposal}"
    if row is None:
        return not_attached(label, "there is no such proposal any more")
    return Attached(label, await told_of(services, services.state.task(row.ticket, row.task)))
