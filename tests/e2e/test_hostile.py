from __future__ import annotations

from pathlib import Path

import pytest

from tests.adapters.git.installed import needs_git
from tests.e2e.scene import Client, Machine, Repo, sh, task, task_of

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(180)]


@pytest.fixture
def canary(machine: Machine) -> Path:
    """A file that only a program of the hostile repository would write."""
    return machine.root / "canary"


@pytest.fixture
def hostile(machine: Machine, canary: Path) -> Repo:
    """A repository that names programs wherever git knows a place for one."""
    repo = machine.repo("hostile")
    program = machine.root / "evil"
    program.write_text(f'#!/bin/sh\necho "$0 $*" >> {canary}\ncat\n')
    program.chmod(0o755)
    repo.write(".gitattributes", "*.txt filter=evil diff=evil merge=evil\n*.md ident text\n")
    repo.write("note.txt", "hello\n")
    repo.git("add", "-A")
    repo.git("commit", "-qm", "attributes")
    for hook in (
        "pre-commit", "post-checkout", "post-index-change", "reference-transaction",
        "post-commit", "fsmonitor-watchman", "pre-auto-gc", "post-rewrite",
    ):  # fmt: skip
        repo.write(f".git/hooks/{hook}", program.read_bytes(), mode=0o755)
    config = (machine.root / "included").write_text
    config(f"[alias]\n\tstatus = !{program}\n[core]\n\tpager = {program}\n")
    repo.write(
        ".git/config",
        repo.read(".git/config")
        + f"""
[core]
    fsmonitor = {program}
    sshCommand = {program}
    editor = {program}
    askPass = {program}
    hooksPath = {repo.folder}/.git/hooks
    alternateRefsCommand = {program}
[filter "evil"]
    clean = {program} clean
    smudge = {program} smudge
    process = {program} process
    required = true
[diff "evil"]
    textconv = {program}
    command = {program}
[diff]
    external = {program}
[merge "evil"]
    driver = {program} %O %A %B
[alias]
    rev-parse = !{program}
    add = !{program}
[credential]
    helper = !{program}
[gpg]
    program = {program}
[includeIf "gitdir:{repo.folder}/"]
    path = {machine.root}/included
[uploadpack]
    packObjectsHook = {program}
{of_newer_gits(program)}""",
    )
    repo.write(".sennit.toml", f'[agents.evil]\nargv = ["{program}"]\n')
    repo.write(".claude/settings.json", f'{{"hooks": "{program}"}}\n')
    # Racy times, so that git has to read the files and to run filters if it ever does.
    repo.write("note.txt", "hellO\n")
    return repo


EVENTS = ("pre-commit", "post-index-change", "reference-transaction", "post-checkout")


def of_newer_gits(program: Path) -> str:
    """Give the places that came with git 2.42 and later, and what older ones look away from.

    A command that is named as an event has the switch of the event be that of one hook.
    """
    return f"[gc]\n\trecentObjectsHook = {program}\n[attr]\n\ttree = HEAD\n" + "".join(
        f'[hook "mine.{event}"]\n\tcommand = {program}\n\tevent = {event}\n'
        f'[hook "{event}"]\n\tcommand = {program}\n\tenabled = true\n'
        for event in EVENTS
    )


def look_at_everything(server: Client, repo: Repo) -> None:
    """All that may be asked without trust."""
    for method in ("tickets", "agents", "retained", "trust", "proposals"):
        server.ask(method)
    server.ask("doctor", cwd=str(repo.folder))


def test_without_trust_nothing_of_a_hostile_repository_runs(
    machine: Machine, hostile: Repo, canary: Path
) -> None:
    server = machine.serve(hostile, trusted=False)
    uri = (hostile.folder / "note.txt").as_uri()
    item = {"uri": uri, "languageId": "plaintext", "version": 1, "text": "unsaved\n"}
    server.notify("textDocument/didOpen", {"textDocument": item})
    look_at_everything(server, hostile)
    for name in ("command", "evil"):
        for method in ("dispatch", "preflight"):
            error = server.refused(method, tasks=[{"id": "one", "prompt": "true", "agent": name}])
            assert error["code"] in {7, -32602}
    error = server.refused("dispatch", tasks=[task("one", "true")])
    assert error["code"] == 7
    assert "sennit trust grant" in error["message"]
    assert server.ask("tickets")["tickets"] == []
    assert server.shut_down() == 0
    assert not canary.exists(), canary.read_text()


def test_proposals_of_an_earlier_time_can_be_looked_at_without_trust(
    machine: Machine, hostile: Repo, canary: Path
) -> None:
    hostile.git("config", "--unset", "filter.evil.process")  # It would have to speak a protocol.
    server = machine.serve(hostile)
    ticket = server.dispatch(task("one", "sed -i s/two/TWO/ a.txt"))
    assert server.settled(ticket)["state"] == "completed"
    assert canary.exists(), "a trusted repository's filters run"
    server.ask("trust", action="revoke", folder=str(hostile.folder))
    server.notify("sennit/didChangeTrust", {"trusted": False})
    canary.unlink()
    look_at_everything(server, hostile)
    [summary] = server.proposals(ticket)
    proposal = server.ask("proposal", proposal=summary["id"])
    server.ask("proposal", proposal=summary["id"], format="patch")
    server.accept(summary)
    for side in ("base", "proposed"):
        path = proposal["files"][0]["uri"].removeprefix("file://")
        uri = f"sennit:{path}?rev={summary['revision']}&side={side}"
        assert server.ask("content", uri=uri)["text"]
    server.ask("preview", ticket=ticket)
    assert server.refused("apply", ticket=ticket, target="disk")["code"] == 7
    assert server.refused("dispatch", tasks=[task("two", "true")])["code"] == 7
    assert not canary.exists(), canary.read_text()


def test_only_filters_run_once_it_is_trusted(machine: Machine, hostile: Repo, canary: Path) -> None:
    hostile.git("config", "--unset", "filter.evil.process")  # It would have to speak a protocol.
    server = machine.serve(hostile)
    ticket = server.dispatch(task("one", "sed -i s/two/TWO/ a.txt"))
    assert server.settled(ticket)["state"] == "completed"
    ran = {" ".join(line.split()[1:2]) for line in canary.read_text().splitlines()}
    assert ran <= {"clean", "smudge", "process"}, canary.read_text()


def test_no_hook_that_the_user_configured_runs_for_a_task(
    machine: Machine, repo: Repo, canary: Path
) -> None:
    needs_git((2, 54), "hooks by configuration")
    for event in EVENTS:
        repo.git("config", "--global", "--add", "hook.mine.event", event)
    repo.git("config", "--global", "hook.mine.command", f"echo $0 >> {canary}; exit 1;")
    server = machine.serve(repo)
    script = "sed -i s/two/TWO/ a.txt && git commit -qam mine && git checkout -qb other"
    ticket = server.dispatch(task("one", sh(script)))
    assert server.settled(ticket)["state"] == "completed"
    server.accept_all(ticket)
    assert server.apply(ticket)["state"] == "applied"
    assert "TWO" in repo.read("a.txt")
    assert not canary.exists(), canary.read_text()
    repo.unwatch()
    repo.git("commit", "-qam", "the user's", check=False)
    assert canary.exists()


def test_changed_content_asks_again(machine: Machine, repo: Repo) -> None:
    program = machine.root / "good"
    program.write_text("#!/bin/sh\necho good\n")
    program.chmod(0o755)
    repo.write(".sennit.toml", f'[agents.mine]\nargv = ["{program}"]\n')
    repo.commit("an agent")
    server = machine.serve(repo)
    view = server.run({"id": "one", "prompt": "x", "agent": "mine"})
    assert task_of(view, "one")["resultText"] == "good\n"
    repo.write(".sennit.toml", '[agents.mine]\nargv = ["/bin/false"]\n')
    error = server.refused("dispatch", tasks=[{"id": "two", "prompt": "x", "agent": "mine"}])
    assert error["code"] in {7, -32602}, error
    error = server.refused("dispatch", tasks=[task("two", "true")])
    assert (error["code"], ".sennit.toml" in error["message"]) == (7, True)
    [folder] = server.ask("trust")["folders"]
    assert (folder["state"], folder["changed"]) == ("changed", [".sennit.toml"])
    server.notify("sennit/didChangeTrust", {"trusted": True})
    assert server.refused("dispatch", tasks=[task("two", "true")])["code"] == 7
    server.ask("trust", action="grant", folder=str(repo.folder))
    view = server.run({"id": "two", "prompt": "x", "agent": "mine"})
    assert task_of(view, "two")["failure"]["kind"] == "exit"


def test_an_agent_that_an_untrusted_repository_brings_is_told_with_what_to_do(
    machine: Machine, repo: Repo
) -> None:
    repo.write(".sennit.toml", '[agents.team]\nargv = ["true"]\n')
    server = machine.serve(repo, trusted=False)
    asked = {"id": "one", "prompt": "words", "agent": "team"}
    (problem,) = server.refused("dispatch", tasks=[asked])["data"]["problems"]
    assert problem["path"] == "tasks[0].agent"
    assert f"{repo.folder}/.sennit.toml" in problem["message"]
    assert f"sennit trust grant {repo.folder}" in problem["message"]
    server.ask("trust", action="grant", folder=str(repo.folder))
    ticket = server.dispatch(asked)
    assert server.settled(ticket)["state"] == "completed"


def test_trust_is_granted_and_revoked_by_request(machine: Machine, repo: Repo) -> None:
    server = machine.serve(repo, trusted=False)
    assert server.refused("dispatch", tasks=[task("one", "true")])["code"] == 7
    granted = server.ask("trust", action="grant", folder=repo.folder.as_uri())
    assert [each["state"] for each in granted["folders"]] == ["trusted"]
    assert server.run(task("one", "true"))["state"] == "completed"
    assert server.ask("trust", action="revoke", folder=str(repo.folder))["folders"] == []
    assert server.refused("dispatch", tasks=[task("two", "true")])["code"] == 7


def test_an_agent_cannot_reach_the_users_git_directory_by_its_own_git(
    server: Client, repo: Repo
) -> None:
    script = (
        "git config user.name evil; git config core.fsmonitor /bin/false; git branch x;"
        " git tag y; git stash; echo 1 > .git/hooks/pre-commit; git commit --allow-empty -qm z;"
        " git update-ref refs/heads/main HEAD; git push origin HEAD 2>&1; git gc -q; true"
    )
    view = server.run(task("one", sh(script)))
    assert view["state"] == "completed"
    repo.check()
