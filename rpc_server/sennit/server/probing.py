"""What validation has to know of the world: folders, agents, trust, settings of each repository."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import assert_never

import anyio.to_thread
from attrs import frozen

from sennit.adapters.agents.catalogue import CatalogueEntry, catalogue
from sennit.adapters.git.discovery import (
    Discovery,
    NotARepository,
    Refusal,
    Refused,
    Repository,
    Trust,
)
from sennit.adapters.git.version import git_version
from sennit.adapters.trust import TrustUnreadable
from sennit.core.agent_abilities import abilities
from sennit.core.agent_definitions import AgentDefinition
from sennit.core.agents import AgentKind, AgentSettings, Sandboxing, takes_prompt
from sennit.core.facts import (
    AgentFact,
    BadFolder,
    CallFacts,
    FolderFact,
    FolderProblem,
    FolderReady,
    FolderUnusable,
    folder_path,
    folders_to_probe,
)
from sennit.core.objects import GitFailed
from sennit.core.sandbox import SandboxReady, wanted
from sennit.core.shell_words import shell_word
from sennit.core.trust import TrustVerdict
from sennit.core.uris import display
from sennit.core.views import exact_timestamp
from sennit.server.definitions import definitions_of
from sennit.server.errors import git_error
from sennit.server.failures import git_failed
from sennit.server.own_folders import why_not_here
from sennit.server.sandboxing import available, without_unusable
from sennit.server.services import Services
from sennit.server.workspace_kinds import kind_problem
from sennit.settings.values import Settings, SettingsProblems
from sennit_protocol.errors import ErrorCode, Problem, RpcError, problems_error
from sennit_protocol.states import TrustState
from sennit_protocol.tasks import Access, DispatchParams, Task, TaskDefaults


@frozen
class Probed:
    """The world of one call. ``settings`` and ``repositories`` are by top level."""

    facts: CallFacts
    repositories: Mapping[bytes, Repository]
    settings: Mapping[bytes, Settings]
    agents: Mapping[str, AgentSettings]


async def probe(services: Services, params: DispatchParams) -> Probed | RpcError:
    """Look at every folder that the call works in, read its settings, find its agents."""
    folder = default_folder(services)
    found = {path: await _find(services, path) for path in folders_to_probe(params, folder)}
    repositories = {
        os.fsencode(one.work_tree): one for one in found.values() if isinstance(one, Repository)
    }
    await _hear_the_editor(services, repositories)
    settings = await _settings(services, repositories)
    if isinstance(settings, RpcError):
        return settings
    general = next(iter(settings.values()), services.settings.of(b""))
    too_old = await _too_old(services)
    if too_old is not None:
        return too_old
    unavailable = await kind_problem(services, general)
    if unavailable is not None:
        return unavailable
    agents = dict(general.agents)
    entries = await anyio.to_thread.run_sync(catalogue, tuple(agents.values()), services.environ)
    entries = await without_unusable(services.environ, entries, agents, general.sandbox)
    confined = await _confined(services, params, agents, general.sandbox)
    facts = CallFacts(
        folders={path: _fact(path, one) for path, one in found.items()},
        agents={
            **_not_yet_trusted(general),
            **{entry.name: _agent_fact(entry, agents[entry.name], confined) for entry in entries},
        },
        tasks_per_call=general.limits.tasks_per_call,
        idle_ms=general.task.idle_ms,
        deadline_ms=general.task.deadline_ms,
        expect_changes=general.task.expect_changes,
        retries=general.task.retries,
        most_runs=general.task.runs,
        grace_turns=general.task.grace_turns,
        offer=general.review.offer,
        on_conflict=general.review.on_conflict,
        folder=folder,
        definitions=await _definitions(services, params, repositories),
        usable=tuple(agents[entry.name] for entry in entries if entry.usable),
    )
    return Probed(facts, repositories, settings, agents)


async def _too_old(services: Services) -> RpcError | None:
    """The error of a git that could not merge what agents will leave; asked until it is fine."""
    if services.git_is_new_enough:
        return None
    found = await git_version(services.git, services.folders.root)
    if isinstance(found, GitFailed):
        return git_error(found)
    if found.advice is not None:
        message = f"Nothing was started: {found.told} is too old. {found.advice}"
        return RpcError(ErrorCode.REPOSITORY_UNSUPPORTED, message)
    services.git_is_new_enough = True
    return None


def asking(params: DispatchParams) -> tuple[Task | TaskDefaults, ...]:
    """All of a call that can have the keys of a task."""
    return (params.defaults, *params.tasks)


async def _definitions(
    services: Services, params: DispatchParams, repositories: Mapping[bytes, Repository]
) -> dict[bytes, tuple[AgentDefinition, ...]]:
    """The roles of each repository; nothing is read where the call names none."""
    if not any(each.role for each in asking(params)):
        return {}
    return {
        top: (await definitions_of(services, one)).definitions for top, one in repositories.items()
    }


async def _confined(
    services: Services,
    params: DispatchParams,
    agents: Mapping[str, AgentSettings],
    general: Sandboxing,
) -> frozenset[str]:
    """The agents that would run in a sandbox; looked for only where the call depends on it."""
    if not any(each.access is Access.READ for each in asking(params)):
        return frozenset(agents)
    if not isinstance(await available(services.environ), SandboxReady):
        return frozenset()
    return frozenset(
        name for name, one in agents.items() if wanted(one, general) is not Sandboxing.OFF
    )


def default_folder(services: Services) -> bytes | None:
    """The first workspace folder of the client."""
    for folder in services.connection.client.folders:
        path = folder_path(folder.uri)
        if not isinstance(path, BadFolder):
            return path
    return None


async def _find(services: Services, path: bytes) -> Discovery | FolderUnusable:
    # Found as untrusted: whether its programs may run is asked once it is known whose it is.
    found = await services.repositories.find(path, Trust.UNTRUSTED)
    why_not = await why_not_here(services, path, found)
    return found if why_not is None else FolderUnusable(FolderProblem.REFUSED, why_not)


async def _hear_the_editor(services: Services, repositories: Mapping[bytes, Repository]) -> None:
    """Record an editor's word first: what a repository's own settings may say hangs on it."""
    at = exact_timestamp(services.clock.now_ms())
    for repository in repositories.values():
        await services.repositories.trust_of(repository, at)


async def _settings(
    services: Services, repositories: Mapping[bytes, Repository]
) -> dict[bytes, Settings] | RpcError:
    read: dict[bytes, Settings] = {}
    problems: list[Problem] = []
    for top in repositories or (b"",):
        found = await services.settings.refresh(top)
        if isinstance(found, SettingsProblems):
            problems.extend(problem.as_problem() for problem in found.problems)
        else:
            read[top] = found
    if problems:
        return problems_error(
            ErrorCode.SETTINGS_INVALID,
            "The settings are wrong; mend them, then ask again",
            tuple(dict.fromkeys(problems)),
        )
    return read


def _fact(path: bytes, found: Discovery | FolderUnusable) -> FolderFact:
    match found:
        case FolderUnusable():
            return found
        case Repository() if not os.path.isdir(path):  # noqa: PTH112  paths are bytes
            # Git was asked about the folder that holds the file; a task would begin in the file.
            return FolderUnusable(FolderProblem.NOT_A_FOLDER)
        case Repository(work_tree=work_tree):
            return FolderReady(os.path.realpath(path), os.fsencode(work_tree))
        case NotARepository():
            return FolderUnusable(FolderProblem.NOT_A_REPOSITORY)
        case Refused(reason=reason, advice=advice):
            return FolderUnusable(_REASONS.get(reason, FolderProblem.REFUSED), advice)
        case GitFailed() as failed:
            return FolderUnusable(FolderProblem.REFUSED, git_failed(failed))
        case _:
            assert_never(found)


_REASONS = {Refusal.MISSING_FOLDER: FolderProblem.MISSING, Refusal.BARE: FolderProblem.BARE}


def _not_yet_trusted(settings: Settings) -> dict[str, AgentFact]:
    """The agents that a repository brings and that do not count, since nobody has trusted it."""
    brought = {}
    for one in settings.ignored:
        section, _, rest = one.name.partition(".")
        if section == "agents" and rest:
            brought[rest.rpartition(".")[0]] = os.fsencode(one.where)
    return {
        name: AgentFact(
            f"{display(where)} brings it, which does not count until you trust the folder. Look at"
            f" what it holds, then: sennit trust grant {shell_word(_folder_of(where))}"
        )
        for name, where in brought.items()
    }


def _folder_of(file: bytes) -> bytes:
    return file.rpartition(b"/")[0]


def _agent_fact(entry: CatalogueEntry, agent: AgentSettings, confined: frozenset[str]) -> AgentFact:
    why_not = None if entry.usable else f"{entry.problem} {entry.advice}".strip()
    return AgentFact(
        why_not,
        reads=takes_prompt(agent),
        speaks=agent.kind is AgentKind.ACP,
        confines=agent.name in confined,
        tells=abilities(agent),
        roles=agent.roles,
    )


async def trust_error(
    services: Services,
    repositories: Mapping[bytes, Repository],
    folders: Mapping[bytes, list[bytes]],
) -> RpcError | None:
    """The error for a call on repositories that are not all trusted."""
    at = exact_timestamp(services.clock.now_ms())
    problems: list[Problem] = []
    for top, repository in repositories.items():
        verdict = await services.repositories.trust_of(repository, at, folders.get(top, ()))
        problem = _trust_problem(top, verdict)
        if problem is not None:
            problems.append(problem)
    if not problems:
        return None
    return problems_error(ErrorCode.NOT_TRUSTED, "Nothing was started", tuple(problems))


def _trust_problem(top: bytes, verdict: TrustVerdict | TrustUnreadable) -> Problem | None:
    where = display(top)
    if isinstance(verdict, TrustUnreadable):
        return Problem(where, verdict.message)
    match verdict.state:
        case TrustState.TRUSTED:
            return None
        case TrustState.UNTRUSTED:
            return Problem(
                where,
                "is not trusted, so no program may run for it. Look at what it holds, then trust"
                f" it: sennit trust grant {shell_word(top)}",
            )
        case TrustState.CHANGED:
            names = ", ".join(map(display, verdict.changed))
            return Problem(
                where,
                f"was trusted, but files that can start programs have changed since: {names}. Look"
                f" at them, then trust it again: sennit trust grant {shell_word(top)}",
            )
