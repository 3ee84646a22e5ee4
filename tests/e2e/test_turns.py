"""Applications to one repository come one after the other, however many are asked for at once."""

from __future__ import annotations

from tests.e2e.scene import Client, Machine, Repo, sh, task


def accepted(server: Client, repo: Repo, prompt: str) -> str:
    ticket = server.dispatch(task("one", prompt, cwd=str(repo.folder)))
    server.settled(ticket)
    server.accept_all(ticket)
    return ticket


def test_what_is_applied_three_times_at_once_is_applied_once(server: Client, repo: Repo) -> None:
    ticket = accepted(server, repo, sh("sed -i s/two/TWO/ a.txt"))
    asked = [server.request("sennit/apply", {"ticket": ticket, "target": "disk"}) for _ in range(3)]
    views = [server.answer_to(one)["result"] for one in asked]
    assert [view["state"] for view in views] == ["applied"] * 3
    assert sorted(len(view["files"]) for view in views) == [0, 0, 1]
    told = [view["notices"][0]["message"] for view in views if not view["files"]]
    assert all(one.startswith("alreadyPresent") for one in told)
    assert repo.read("a.txt") == "one\nTWO\nthree\nfour\nfive\nsix\n"


def test_what_is_undone_three_times_at_once_is_undone_once(server: Client, repo: Repo) -> None:
    applied = server.apply(accepted(server, repo, sh("sed -i s/two/TWO/ a.txt")))
    params = {"application": applied["id"]}
    asked = [server.request("sennit/undo", params) for _ in range(3)]
    answers = [server.answer_to(one) for one in asked]
    assert [answer["error"]["code"] for answer in answers if "error" in answer] == [12, 12]
    assert repo.read("a.txt") == "one\ntwo\nthree\nfour\nfive\nsix\n"


def test_tickets_that_are_applied_at_once_are_merged_with_each_other(
    server: Client, repo: Repo
) -> None:
    tickets = [
        accepted(server, repo, sh(f"sed -i s/{old}/{old.upper()}/ a.txt"))
        for old in ("one", "three", "five")
    ]
    asked = [
        server.request("sennit/apply", {"ticket": ticket, "target": "disk"}) for ticket in tickets
    ]
    assert [server.answer_to(one)["result"]["state"] for one in asked] == ["applied"] * 3
    assert repo.read("a.txt") == "ONE\ntwo\nTHREE\nfour\nFIVE\nsix\n"


# In several servers.


def test_what_three_servers_apply_at_once_is_applied_once(
    machine: Machine, server: Client, repo: Repo
) -> None:
    ticket = accepted(server, repo, sh("sed -i s/two/TWO/ a.txt; echo new > new.txt"))
    servers = [server, machine.serve(repo), machine.serve(repo)]
    asked = [
        (each, each.request("sennit/apply", {"ticket": ticket, "target": "disk"}))
        for each in servers
    ]
    views = [each.answer_to(one)["result"] for each, one in asked]
    assert [view["state"] for view in views] == ["applied"] * 3
    assert sorted(len(view["files"]) for view in views) == [0, 0, 2]
    assert repo.read("a.txt") == "one\nTWO\nthree\nfour\nfive\nsix\n"
    assert repo.read("new.txt") == "new\n"


def test_what_several_servers_apply_at_once_is_merged_with_each_other(
    machine: Machine, server: Client, repo: Repo
) -> None:
    servers = [server, machine.serve(repo), machine.serve(repo)]
    words = ("one", "three", "five")
    tickets = [
        accepted(each, repo, sh(f"sed -i s/{old}/{old.upper()}/ a.txt"))
        for each, old in zip(servers, words, strict=True)
    ]
    asked = [
        (each, each.request("sennit/apply", {"ticket": ticket, "target": "disk"}))
        for each, ticket in zip(servers, tickets, strict=True)
    ]
    assert [each.answer_to(one)["result"]["state"] for each, one in asked] == ["applied"] * 3
    assert repo.read("a.txt") == "ONE\ntwo\nTHREE\nfour\nFIVE\nsix\n"


def test_what_is_accepted_in_one_server_is_applied_by_another_at_once(
    machine: Machine, server: Client, repo: Repo
) -> None:
    other = machine.serve(repo)
    ticket = server.dispatch(task("one", sh("sed -i s/two/TWO/ a.txt"), cwd=str(repo.folder)))
    server.settled(ticket)
    other.settled(ticket)
    server.accept_all(ticket)
    assert other.apply(ticket)["state"] == "applied"
    assert repo.read("a.txt") == "one\nTWO\nthree\nfour\nfive\nsix\n"
