from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from sennit.core.agent_definitions import AgentDefinition
from sennit.core.facts import (
    AgentFact,
    BadFolder,
    CallFacts,
    FolderProblem,
    FolderReady,
    FolderUnusable,
    folder_path,
    folders_to_probe,
)
from sennit.core.validation import Problems, Valid, validate
from sennit_protocol.errors import Problem
from sennit_protocol.states import Offer
from sennit_protocol.tasks import (
    Attachment,
    BaseKind,
    DispatchParams,
    ExpectChanges,
    OnConflict,
    Task,
    TaskDefaults,
    WorkspaceKind,
)

HERE = FolderReady(b"/real/repo/sub", b"/real/repo")
FACTS = CallFacts(
    folders={
        b"/repo": HERE,
        b"/empty": FolderReady(b"/empty", b"/empty", has_commits=False),
        b"/gone": FolderUnusable(FolderProblem.MISSING),
        b"/file": FolderUnusable(FolderProblem.NOT_A_FOLDER),
        b"/plain": FolderUnusable(FolderProblem.NOT_A_REPOSITORY),
        b"/bare": FolderUnusable(FolderProblem.BARE),
        b"/theirs": FolderUnusable(FolderProblem.REFUSED, "Another user owns it."),
    },
    agents={
        "fixer": AgentFact(),
        "short": AgentFact(prompt_bytes=10),
        "lost": AgentFact(why_not="its program `lost` was not found; install it"),
    },
    tasks_per_call=5,
    idle_ms=900_000,
    folder=b"/repo",
    agent="fixer",
)


def task(identity: str = "a", prompt: str = "do it", **keys: Any) -> Task:
    return Task(id=identity, prompt=prompt, **keys)


def call(*tasks: Task, **keys: Any) -> DispatchParams:
    return DispatchParams(tasks=tasks, **keys)


def problems(params: DispatchParams, facts: CallFacts = FACTS) -> tuple[Problem, ...]:
    found = validate(params, facts)
    assert isinstance(found, Problems), found
    return found.problems


def valid(params: DispatchParams, facts: CallFacts = FACTS) -> Valid:
    found = validate(params, facts)
    assert isinstance(found, Valid), found
    return found


def only(params: DispatchParams, facts: CallFacts = FACTS) -> Problem:
    found = problems(params, facts)
    assert len(found) == 1, found
    return found[0]


def test_a_small_call_is_valid_with_everything_decided_by_defaults() -> None:
    decided = valid(call(task()))
    assert decided.order == ("a",)
    assert decided.offer is Offer.AUTO
    (only_task,) = decided.tasks
    assert (only_task.agent, only_task.folder, only_task.repository) == (
        "fixer",
        b"/real/repo/sub",
        b"/real/repo",
    )
    assert (only_task.idle_ms, only_task.deadline_ms) == (900_000, None)
    assert (only_task.base, only_task.expect_changes) == (BaseKind.LIVE, ExpectChanges.FLAG)
    assert (only_task.writes, only_task.env) == (None, ())


def test_a_task_goes_before_the_defaults_and_they_before_the_settings() -> None:
    defaults = TaskDefaults(
        agent="short", deadline_ms=5, idle_ms=6, writes=("a/",), env=("X",), base=BaseKind.HEAD
    )
    own = task("own", agent="fixer", deadline_ms=7, writes=(), env=(), base=BaseKind.LIVE)
    first, second = valid(call(own, task("b"), defaults=defaults)).tasks
    assert (first.agent, first.deadline_ms, first.idle_ms) == ("fixer", 7, 6)
    assert (first.writes, first.env, first.base) == ((), (), BaseKind.LIVE)
    assert (second.agent, second.deadline_ms) == ("short", 5)
    assert (second.writes, second.env, second.base) == (("a/",), ("X",), BaseKind.HEAD)


def test_what_follows_a_conflict_is_the_settings_word_unless_the_call_has_one() -> None:
    facts = evolve(FACTS, on_conflict=OnConflict.FOLLOW)
    assert valid(call(task())).on_conflict is OnConflict.SET_ASIDE
    assert valid(call(task()), facts).on_conflict is OnConflict.FOLLOW
    own = call(task(), on_conflict=OnConflict.SET_ASIDE)
    assert valid(own, facts).on_conflict is OnConflict.SET_ASIDE


def test_the_brief_comes_before_every_prompt() -> None:
    assert valid(call(task(), brief="Be kind.")).tasks[0].prompt == "Be kind.\n\ndo it"


def test_dependencies_come_first_in_the_order() -> None:
    tasks = (task("a", depends_on=("b",)), task("b"))
    decided = valid(call(*tasks))
    assert decided.order == ("b", "a")
    assert [each.id for each in decided.tasks] == ["a", "b"]


def test_every_problem_is_told_at_once() -> None:
    params = call(
        task("bad id", " ", agent="nobody", cwd="relative", depends_on=("x",)),
        task("b", "a\0b", description="x" * 201, deadline_ms=0, idle_ms=-1, writes=("[",)),
        task("b", workspace=WorkspaceKind.SHARED, env=("1X", "GIT_DIR"), cwd="/gone"),
        operation_id="",
        max_concurrent=0,
        work_done_token=9,
    )
    assert {each.path for each in problems(params)} == {
        "operationId",
        "maxConcurrent",
        "workDoneToken",
        "tasks[0].id",
        "tasks[0].prompt",
        "tasks[0].agent",
        "tasks[0].cwd",
        "tasks[0].dependsOn[0]",
        "tasks[1].prompt",
        "tasks[1].description",
        "tasks[1].deadlineMs",
        "tasks[1].idleMs",
        "tasks[1].writes[0]",
        "tasks[2].id",
        "tasks[2].workspace",
        "tasks[2].env[0]",
        "tasks[2].env[1]",
        "tasks[2].cwd",
    }


def test_an_empty_list_of_tasks_is_refused() -> None:
    assert only(call()).path == "tasks"


def test_more_tasks_than_the_limit_are_refused_with_the_limit() -> None:
    found = only(call(*(task(str(number)) for number in range(6))))
    assert (found.path, found.valid) == ("tasks", ("1 to 5 tasks",))


@pytest.mark.parametrize("identity", ["", "a b", "ä", "x" * 65, "a/b", "a\n"])
def test_an_id_has_its_form(identity: str) -> None:
    assert only(call(task(identity))).path == "tasks[0].id"


def test_ids_are_unique_and_the_first_holder_is_named() -> None:
    assert "tasks[0]" in only(call(task("a"), task("b"), task("a"))).message


def test_a_wrong_default_is_told_once_and_not_for_every_task() -> None:
    params = call(task("a"), task("b"), defaults=TaskDefaults(deadline_ms=0, agent="nobody"))
    assert [each.path for each in problems(params)] == ["defaults.agent", "defaults.deadlineMs"]


def test_the_answer_to_an_unknown_agent_lists_the_usable_ones_and_says_where_others_are() -> None:
    found = only(call(task(agent="nobody")))
    assert found.valid == ("fixer", "short")
    assert found.message == "names no agent: 'nobody'; see `sennit agents --all`"


def test_an_unusable_agent_is_told_with_its_reason_also_as_the_default() -> None:
    assert "not found" in only(call(task(agent="lost"))).message
    found = only(call(task()), evolve(FACTS, agent="lost"))
    assert (found.path, found.valid) == ("tasks[0].agent", ("fixer", "short"))


def test_without_any_agent_one_has_to_be_named() -> None:
    assert only(call(task()), evolve(FACTS, agent=None)).path == "tasks[0].agent"


def test_a_prompt_that_the_agent_cannot_take_is_refused_with_its_brief() -> None:
    valid(call(task(agent="short", prompt="x" * 10)))
    found = only(call(task(agent="short", prompt="x" * 10), brief="!"))
    assert (found.path, found.valid) == ("tasks[0].prompt", ("up to 10 bytes",))


@pytest.mark.parametrize("prompt", ["\ud800", "a\0b", "", " \n"])
def test_a_prompt_is_a_text_that_a_program_can_be_given(prompt: str) -> None:
    assert only(call(task(prompt=prompt))).path == "tasks[0].prompt"


@pytest.mark.parametrize(
    ("cwd", "word"),
    [
        ("relative", "not absolute"),
        ("~/x", "not absolute"),
        ("", "not absolute"),
        ("https://host/x", "not absolute"),
        ("file://host/x", "host"),
        ("file:///x?y", "%3F"),
        ("/a\0b", "NUL"),
        ("file:///a%00b", "NUL"),
        ("/\ud800", "no text"),
        ("/gone", "does not exist"),
        ("/file", "no folder"),
        ("/plain", "git init"),
        ("/bare", "without a work tree"),
        ("/theirs", "Another user owns it."),
    ],
)
def test_a_folder_that_cannot_be_worked_on_says_why(cwd: str, word: str) -> None:
    found = only(call(task(cwd=cwd)))
    assert found.path == "tasks[0].cwd"
    assert word in found.message


def test_a_folder_can_be_a_uri_with_any_bytes() -> None:
    assert folder_path("file:///a%20b/%FF") == b"/a b/\xff"
    assert folder_path("file://localhost/a") == b"/a"
    assert folder_path("/ä") == "/ä".encode()
    assert isinstance(folder_path("a"), BadFolder)


def test_each_folder_is_probed_once() -> None:
    params = call(
        task("a", cwd="/x"),
        task("b", cwd="file:///x"),
        task("c", cwd="bad"),
        defaults=TaskDefaults(cwd="/y"),
    )
    assert folders_to_probe(params, b"/z") == (b"/y", b"/x", b"/z")


def test_the_default_folder_is_told_at_the_task_that_falls_back_to_it() -> None:
    found = only(call(task("a"), task("b", cwd="/repo")), evolve(FACTS, folder=b"/plain"))
    assert found.path == "tasks[0].cwd"
    assert only(call(task()), evolve(FACTS, folder=None)).path == "tasks[0].cwd"


def test_head_is_no_base_before_the_first_commit() -> None:
    found = only(call(task(cwd="/empty", base=BaseKind.HEAD)))
    assert (found.path, found.valid) == ("tasks[0].base", ("live",))
    valid(call(task(cwd="/empty")))


@pytest.mark.parametrize("milliseconds", [0, -1, 24 * 3_600_000 + 1])
def test_a_duration_is_positive_and_at_most_a_day(milliseconds: int) -> None:
    assert only(call(task(deadline_ms=milliseconds))).path == "tasks[0].deadlineMs"
    assert only(call(task(idle_ms=milliseconds))).path == "tasks[0].idleMs"


@pytest.mark.parametrize("name", ["", "A-B", "A=B", "1A", "GIT_DIR", "LD_PRELOAD", "SENNIT_RUN"])
def test_a_variable_that_is_never_handed_on_is_refused(name: str) -> None:
    assert only(call(task(env=(name,)))).path == "tasks[0].env[0]"


def test_a_variable_that_opens_a_door_can_be_named() -> None:
    valid(call(task(env=("SSH_AUTH_SOCK", "GIT_AUTHOR_NAME", "_"))))


@pytest.mark.parametrize("kind", [WorkspaceKind.SCRATCH, WorkspaceKind.SHARED])
def test_other_workspaces_are_not_available(kind: WorkspaceKind) -> None:
    found = only(call(task(workspace=kind)))
    assert "not available in this version" in found.message
    assert found.valid == ("isolated",)


def test_needs_are_other_tasks_of_the_call_named_once() -> None:
    params = call(task("a", depends_on=("a", "b", "b", "x")), task("b"))
    assert [each.path for each in problems(params)] == [
        "tasks[0].dependsOn[0]",
        "tasks[0].dependsOn[2]",
        "tasks[0].dependsOn[3]",
    ]


def test_a_circle_is_told_once_with_all_its_tasks() -> None:
    params = call(
        task("a", depends_on=("b",)), task("b", depends_on=("c",)), task("c", depends_on=("a",))
    )
    found = only(params)
    assert found.path == "tasks[0].dependsOn"
    assert "a needs b needs c needs a" in found.message


@pytest.mark.parametrize("identity", ["", "x" * 65, "a b", "ä", "a\n"])
def test_an_operation_id_is_visible_and_short(identity: str) -> None:
    assert only(call(task(), operation_id=identity)).path == "operationId"
    valid(call(task(), operation_id="client:1/2"))


def test_tokens_count_only_with_wait() -> None:
    found = problems(call(task(), work_done_token=1, partial_result_token=2))
    assert [each.path for each in found] == ["workDoneToken", "partialResultToken"]
    valid(call(task(), wait=True, work_done_token=1, partial_result_token=2))


IDS = st.sampled_from(["a", "b", "c", "d"])


@given(st.lists(st.builds(Task, id=IDS, prompt=st.just("x"), depends_on=st.lists(IDS).map(tuple))))
def test_what_is_valid_can_be_run_in_its_order(tasks: list[Task]) -> None:
    found = validate(call(*tasks), FACTS)
    if isinstance(found, Problems):
        assert found.problems
        assert len(set(found.problems)) == len(found.problems)
        return
    done: set[str] = set()
    needs = {each.id: set(each.depends_on) for each in found.tasks}
    for identity in found.order:
        assert needs[identity] <= done
        done.add(identity)
    assert done == set(needs)


SCRIPT = evolve(
    FACTS,
    agents={"script": AgentFact(reads=False, speaks=False, roles=("verify",))},
    definitions={
        HERE.repository: tuple(
            AgentDefinition(name, "", "Work so.") for name in ("verify", "review")
        )
    },
)


@pytest.mark.parametrize(
    ("keys", "key"),
    [
        ({"system_prompt": "Be brief."}, "systemPrompt"),
        ({"tools": ("read",)}, "tools"),
        ({"role": "review"}, "role"),
        ({"output_schema": {"type": "object"}}, "outputSchema"),
        ({"attach": (Attachment(text="a"),)}, "attach"),
    ],
)
def test_what_an_agent_without_a_prompt_would_be_told_is_refused(
    keys: Mapping[str, Any], key: str
) -> None:
    (found,) = problems(call(task(agent="script", **keys)), SCRIPT)
    assert found.path == f"tasks[0].{key}"
    assert "reads no prompt" in found.message


def test_an_agent_without_a_prompt_takes_the_roles_that_choose_it() -> None:
    assert valid(call(task(agent="script", role="verify")), SCRIPT).tasks[0].agent == "script"


def test_the_model_of_a_role_that_its_agent_cannot_take_is_told() -> None:
    asked = call(task(agent="short", role="writer"))
    role = AgentDefinition("writer", "writes", "You write.", model="opus", thinking="high")

    def told(*, speaks: bool) -> list[str]:
        agents = {"short": AgentFact(speaks=speaks)}
        made = valid(
            asked, evolve(FACTS, agents=agents, definitions={HERE.repository: (role,)})
        ).tasks[0]
        assert made.model == ("opus" if speaks else None)
        return [each.message for each in made.notices]

    assert told(speaks=True) == []
    model, thinking = told(speaks=False)
    assert model.startswith("The role's model 'opus' is not used: it cannot be chosen for")
    assert "agents.short.argv" in model
    assert "thinking 'high'" in thinking


def test_an_unknown_role_hides_no_other_problem_of_the_task() -> None:
    tasks = (task(agent="lost", role="nobody"), task("b", "x" * 11, agent="short", role="nobody"))
    assert {each.path for each in problems(call(*tasks))} == {
        "tasks[0].role",
        "tasks[0].agent",
        "tasks[1].role",
        "tasks[1].prompt",
    }
