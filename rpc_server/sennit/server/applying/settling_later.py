"""Settles applications of which nothing certain was known, once the client tells its texts.

Only what turns out to be done changes its state; nothing is sent again.
"""

from __future__ import annotations

from sennit.core.engine.events import ApplicationSettled
from sennit.core.engine.indexes import UNSETTLED_APPLICATIONS
from sennit.core.engine.rows import ApplicationRow, FileOutcome
from sennit.server.applying.comparing import Look, look_at
from sennit.server.services import Services
from sennit_protocol.ids import ApplicationId
from sennit_protocol.states import ApplicationState


async def settle_document(services: Services, path: bytes) -> None:
    """Compare again what is unknown of a file whose text the client has just told."""
    for row in _unknown(services):
        if any(row.repository.top + b"/" + image.path == path for image in row.images):
            await _settle(services, row)


async def settle_reported(services: Services, application: ApplicationId) -> None:
    """Compare again an application that the client has reported on."""
    for row in _unknown(services):
        if row.id == application:
            await _settle(services, row)


def _unknown(services: Services) -> tuple[ApplicationRow, ...]:
    return tuple(
        row
        for row in services.state.find(UNSETTLED_APPLICATIONS, value=True)
        if row.state is ApplicationState.UNKNOWN and row.owner == services.server
    )


async def _settle(services: Services, row: ApplicationRow) -> None:
    images = {image.path: image for image in row.images}
    observed = []
    for one in row.observed:
        image = images.get(one.path)
        waits = one.state is ApplicationState.UNKNOWN and image is not None and image.in_editor
        observed.append(await _again(services, row, one) if waits else one)
    states = {one.state for one in observed}
    if ApplicationState.UNKNOWN in states or ApplicationState.APPLIED not in states:
        return
    whole = states == {ApplicationState.APPLIED} and not row.conflicts
    services.reports.pop(ApplicationId(row.id), None)
    await services.tell(
        ApplicationSettled,
        application=row.id,
        state=ApplicationState.APPLIED if whole else ApplicationState.PARTLY_APPLIED,
        observed=tuple(observed),
    )


async def _again(services: Services, row: ApplicationRow, one: FileOutcome) -> FileOutcome:
    image = next(image for image in row.images if image.path == one.path)
    if await look_at(services, row.repository, row.id, image) is not Look.AFTER:
        return one
    return FileOutcome(one.path, ApplicationState.APPLIED)
