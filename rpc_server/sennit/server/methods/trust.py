"""``sennit/trust``: lists, grants and revokes trust in folders."""

from __future__ import annotations

import os

import anyio.to_thread

from sennit.adapters.git.discovery import Repository, Trust
from sennit.adapters.trust import NotGranted, TrustUnreadable
from sennit.adapters.watched_files import TrustPlace
from sennit.core.facts import BadFolder, folder_path
from sennit.core.trust import Grant
from sennit.core.uris import display
from sennit.core.views import exact_timestamp
from sennit.server.jsonrpc import Context
from sennit.server.repositories import place_of
from sennit.server.services import Services
from sennit_protocol.errors import ErrorCode, Problem, RpcError, problems_error
from sennit_protocol.states import TrustState
from sennit_protocol.upkeep import TrustAction, TrustedFolder, TrustParams, TrustResult


async def trust(
    services: Services, _context: Context, params: TrustParams
) -> TrustResult | RpcError:
    """Do what is asked and list what is trusted then."""
    if params.action is not TrustAction.LIST:
        failed = await _change(services, params)
        if failed is not None:
            return failed
    grants = await services.trust.granted_folders()
    if isinstance(grants, TrustUnreadable):
        return RpcError(ErrorCode.REQUEST_FAILED, grants.message)
    folders = [await _folder(services, grant) for grant in grants if not grant.revoked]
    return TrustResult(tuple(folders))


async def _change(services: Services, params: TrustParams) -> RpcError | None:
    path = BadFolder("is needed") if params.folder is None else folder_path(params.folder)
    if isinstance(path, BadFolder):
        problem = Problem("folder", path.message)
        return problems_error(ErrorCode.INVALID_PARAMS, "Nothing was changed", (problem,))
    at = exact_timestamp(services.clock.now_ms())
    if params.action is TrustAction.REVOKE:
        return await _revoke(services, path, at)
    if not await anyio.to_thread.run_sync(os.path.isdir, path):
        problem = Problem("folder", f"{display(path)} is no folder")
        return problems_error(ErrorCode.INVALID_PARAMS, "Nothing was granted", (problem,))
    verdict = await services.trust.grant(await _place(services, path), at)
    if isinstance(verdict, TrustUnreadable):
        return RpcError(ErrorCode.REQUEST_FAILED, verdict.message)
    return None


async def _revoke(services: Services, path: bytes, at: str) -> RpcError | None:
    place = await _place(services, path)
    revoked = await services.trust.revoke(place.top, at)
    match revoked:
        case TrustUnreadable(message=message):
            return RpcError(ErrorCode.REQUEST_FAILED, message)
        case NotGranted(folder=folder):
            return RpcError(ErrorCode.WRONG_STATE, f"{display(folder)} was not trusted.")
        case Grant():
            return None


async def _place(services: Services, path: bytes) -> TrustPlace:
    found = await services.repositories.find(path, Trust.UNTRUSTED)
    if isinstance(found, Repository):
        return place_of(found)
    return TrustPlace(await anyio.to_thread.run_sync(os.path.realpath, path))


async def _folder(services: Services, grant: Grant) -> TrustedFolder:
    place = await _place(services, grant.folder)
    verdict = await services.trust.verdict(place)
    if isinstance(verdict, TrustUnreadable):
        return TrustedFolder(
            display(grant.folder), TrustState.UNTRUSTED, grant.at, (verdict.message,)
        )
    changed = tuple(display(path) for path in verdict.changed)
    return TrustedFolder(display(grant.folder), verdict.state, grant.at, changed)
