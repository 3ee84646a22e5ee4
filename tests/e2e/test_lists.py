"""What lists of tickets and proposals tell, so that a window need not read each ticket in full."""

from __future__ import annotations

from tests.e2e.scene import Client, Machine, Repo, sh, task


def listed(server: Client, **params: object) -> list[str]:
    return [each["id"] for each in server.ask("tickets", **params)["tickets"]]


def test_lists_are_limited_to_the_repositories_of_a_folder(machine: Machine) -> None:
    one, two = machine.repo("one"), machine.repo("two")
    server = machine.serve(one, two)
    here = server.dispatch(task("a", sh("echo x > new"), cwd=str(one.folder / "src")))
    there = server.dispatch(task("a", sh("echo x > new"), cwd=str(two.folder)))
    for ticket in (here, there):
        server.settled(ticket)
    assert listed(server) == [there, here]
    assert listed(server, folder=one.folder.as_uri()) == [here]
    assert listed(server, folder=str(one.folder / "src")) == [here]
    assert listed(server, folder=str(machine.root)) == [there, here]
    assert listed(server, folder=str(machine.home)) == []
    found = server.ask("proposals", folder=str(two.folder))
    assert ([each["ticket"] for each in found["proposals"]], found["total"]) == ([there], 1)
    summaries = server.ask("tickets")["tickets"]
    assert [each["repositories"] for each in summaries] == [
        [two.folder.as_uri()],
        [one.folder.as_uri()],
    ]


def test_the_newest_is_the_newest_also_after_a_clock_was_set_back(
    machine: Machine, repo: Repo
) -> None:
    server = machine.serve(repo, clock_ahead_h=5)
    earlier = server.run(task("a", sh("echo x > new")))
    server.shut_down()
    server = machine.serve(repo)
    later = server.run(task("a", sh("echo y > new")))
    assert later["createdAt"] < earlier["createdAt"]
    assert later["made"] > earlier["made"]
    both = [later["id"], earlier["id"]]
    assert listed(server) == both
    assert listed(server, limit=1) == both[:1]
    assert listed(server, before=later["id"]) == both[1:]
    found = server.ask("proposals")["proposals"]
    assert [each["ticket"] for each in found] == both
    server.shut_down()
    assert listed(machine.serve(repo)) == both


def test_a_page_before_a_ticket_of_another_folder_holds_what_is_older(machine: Machine) -> None:
    one, two = machine.repo("one"), machine.repo("two")
    server = machine.serve(one, two)
    first, other, last = (
        server.dispatch(task("a", sh("true"), cwd=str(repo.folder))) for repo in (one, two, one)
    )
    for ticket in (first, other, last):
        server.settled(ticket)
    assert listed(server, folder=str(one.folder)) == [last, first]
    assert listed(server, folder=str(one.folder), before=other) == [first]
    assert listed(server, folder=str(one.folder), before=first) == []
    assert listed(server, before=last) == [other, first]


def test_a_list_of_no_folder_is_refused(server: Client) -> None:
    for method in ("tickets", "proposals"):
        error = server.refused(method, folder="relative/folder")
        assert (error["code"], error["data"]["problems"][0]["path"]) == (-32602, "folder")


def test_a_ticket_lists_what_was_applied_and_undone_of_it(machine: Machine) -> None:
    repo = machine.repo()
    server = machine.serve(repo)
    ticket = server.dispatch(task("a", sh("sed -i s/two/TWO/ a.txt"), cwd=str(repo.folder)))
    assert server.settled(ticket)["applications"] == []
    server.accept_all(ticket)
    applied = server.apply(ticket)["id"]
    undone = server.ask("undo", application=applied)["id"]
    told = server.ask("ticket", ticket=ticket)["applications"]
    assert [(each["id"], each["state"], each["paths"], each["files"]) for each in told] == [
        (applied, "undone", ["a.txt"], 1),
        (undone, "applied", ["a.txt"], 1),
    ]
    assert (told[0]["undoneBy"], told[1]["undoes"]) == (undone, applied)


def test_both_outputs_of_a_task_have_a_uri(machine: Machine) -> None:
    repo = machine.repo()
    server = machine.serve(repo)
    ticket = server.dispatch(task("a", sh("echo out; echo wrong >&2"), cwd=str(repo.folder)))
    server.settled(ticket)
    texts = [
        server.ask("content", uri=f"sennit://ticket/{ticket}/task/a/{name}")["text"]
        for name in ("output", "errors")
    ]
    assert texts == ["out\n", "wrong\n"]


def test_a_view_holds_no_more_of_an_output_than_the_settings_say(machine: Machine) -> None:
    machine.settings("[limits.output]\nviewChars = 1000\n")
    repo = machine.repo()
    server = machine.serve(repo)
    ticket = server.dispatch(task("a", sh("seq 1 5000"), cwd=str(repo.folder)))
    told = server.settled(ticket)["tasks"][0]["resultText"]
    assert len(told) == 1000
    assert told.endswith("\n4999\n5000\n")
    whole = server.ask("output", ticket=ticket, task="a", limit=1 << 20)
    assert whole["text"].startswith("1\n2\n3\n")


def test_a_ticket_is_known_to_another_server_as_soon_as_it_is_made(
    machine: Machine, repo: Repo
) -> None:
    server, other = machine.serve(repo), machine.serve(repo)
    for number in range(6):
        ticket = server.dispatch(task(f"t{number}", "true"))
        assert other.ask("ticket", ticket=ticket)["id"] == ticket
        ended = server.dispatch(task(f"e{number}", "true"))
        command = {"command": "sennit.server.cancel", "arguments": [{"ticket": ended}]}
        assert "error" not in other.call("workspace/executeCommand", command)
    error = other.refused("ticket", ticket="t_aaaaaaaaaa")
    assert error["code"] == 2
