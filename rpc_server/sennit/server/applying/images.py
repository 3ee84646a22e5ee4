"""The application record of a plan: images before and after, kept before anything is written."""

from __future__ import annotations

from attrs import frozen

from sennit.adapters.git.commits import commit_tree
from sennit.adapters.git.durable import on_disk
from sennit.adapters.git.store import keep_new
from sennit.core.edits import FileEdit
from sennit.core.engine.rows import ApplicationRow, Image, RepositoryRef
from sennit.core.objects import GitFailed
from sennit.core.uris import display
from sennit.server.applying.values import Plan
from sennit.server.services import Services
from sennit_protocol.ids import ApplicationId, TicketId, UnitId
from sennit_protocol.states import ApplicationState, Target
from sennit_protocol.views import Notice


@frozen
class Heading:
    """What a record says beside its plan."""

    id: ApplicationId
    ticket: TicketId
    repository: RepositoryRef
    undoes: ApplicationId | None = None
    offered: bool = False


async def record_of(services: Services, plan: Plan, heading: Heading) -> ApplicationRow | GitFailed:
    """The record; the trees that it names are commits of the store by then."""
    now = services.clock.now_ms()
    after = await commit_tree(
        services.git,
        plan.opened.store,
        plan.folded.tree,
        plan.live.commit,
        now // 1000,
        b"The text of the user with what was accepted\n",
    )
    if isinstance(after, GitFailed):
        return after
    for name, commit in (("before", plan.live.commit), ("after", after)):
        ref = f"applications/{heading.id}/{name}"
        failed = await keep_new(plan.opened.store, ref, commit)
        if failed is not None:
            return failed
    failed = await on_disk(plan.opened.store)
    if failed is not None:
        return failed
    waiting = plan.target is not Target.PATCH
    return ApplicationRow(
        id=heading.id,
        ticket=heading.ticket,
        repository=heading.repository,
        owner=services.server,
        target=plan.target,
        state=ApplicationState.APPLYING if waiting else ApplicationState.NONE,
        at=now,
        before_tree=plan.live.tree,
        after_tree=plan.folded.tree,
        before_commit=plan.live.commit,
        after_commit=after,
        images=images(plan),
        revisions=plan.revisions,
        units=tuple(UnitId(unit) for unit in plan.folded.applied),
        already_there=tuple(UnitId(unit) for unit in plan.folded.already),
        conflicts=tuple(UnitId(unit) for unit in plan.folded.conflicts),
        notices=notices(plan),
        undoes=heading.undoes,
        offered=heading.offered,
        intention=None if plan.staged is None else plan.staged.intention,
    )


def images(plan: Plan) -> tuple[Image, ...]:
    """Each path before and after, with who brings it there."""
    by_editor = tuple(image for edit in plan.editor.files for image in editor_images(edit))
    if plan.staged is None:
        return by_editor
    by_server = tuple(
        Image(
            step.path,
            step.entry_before,
            step.entry_after,
            None if step.before is None else step.before.sha256,
            None if step.after is None else step.after.sha256,
        )
        for step in plan.staged.intention.steps
    )
    return by_editor + by_server


def editor_images(edit: FileEdit) -> tuple[Image, ...]:
    """A file before and after; of a renamed one both of its paths."""
    before, after = edit.before, edit.after
    if edit.old_path == edit.path:
        return (
            Image(
                edit.path,
                None if before is None else before.entry,
                None if after is None else after.entry,
                None if before is None else before.sha256,
                None if after is None else after.sha256,
                in_editor=True,
            ),
        )
    old = Image(
        edit.old_path,
        None if before is None else before.entry,
        None,
        None if before is None else before.sha256,
        None,
        in_editor=True,
    )
    new = Image(
        edit.path,
        None,
        None if after is None else after.entry,
        None,
        None if after is None else after.sha256,
        in_editor=True,
    )
    return (old, new)


def notices(plan: Plan) -> tuple[Notice, ...]:
    """What a person should know of the application: files left alone, units left out."""
    held = tuple(Notice(one.reason, path=display(one.path)) for one in plan.held)
    conflicts = tuple(
        Notice(
            "A change does not go together with the text as it is now and was left out.",
            path=display(conflict.path),
        )
        for conflict in plan.folded.conflicts.values()
    )
    unmet = tuple(
        Notice("A unit was left out, since one that it needs was not accepted.", path=unit)
        for unit in plan.folded.unmet
    )
    endings = tuple(
        Notice(
            "One side had changed all line endings. Yours were kept; what was edited was merged.",
            path=display(path),
        )
        for path in plan.folded.normalised
    )
    return (*plan.notices, *held, *conflicts, *unmet, *endings)
