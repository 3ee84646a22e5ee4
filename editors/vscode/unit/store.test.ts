import assert from "node:assert/strict";
import { test } from "node:test";
import { Store, concerns, hasNewApplication, isPending, lostByRestart } from "../src/model/store.ts";
import { proposal, summary, task, ticketSummary, ticketView } from "./views.ts";

const plainPath = (uri: string): string => uri.replace("file://", "");

test("the newest ticket is the one that was dispatched last, also after a clock was set back", () => {
  const store = new Store();
  store.ticketSummary(ticketSummary({ id: "earlier", made: 7, createdAt: "2026-01-02T00:00:00.000Z" }));
  store.ticketView(ticketView([], { id: "later", made: 9, createdAt: "2026-01-01T00:00:00.000Z" }));
  assert.deepEqual(store.tickets().map((ticket) => ticket.summary.id), ["later", "earlier"]);
});

test("tickets are listed newest first", () => {
  const store = new Store();
  store.ticketSummary(ticketSummary({ id: "old", createdAt: "2026-01-01T00:00:00.000Z" }));
  store.ticketSummary(ticketSummary({ id: "new", createdAt: "2026-01-02T00:00:00.000Z" }));
  assert.deepEqual(store.tickets().map((one) => one.summary.id), ["new", "old"]);
});

test("a view of what has changed leaves the other tasks as they were", () => {
  const store = new Store();
  store.ticketView(ticketView([task({ id: "a" }), task({ id: "b" })]));
  store.ticketView(ticketView([task({ id: "b", state: "completed" })], { sequence: 2 }));
  assert.deepEqual([...(store.ticket("t_1")?.tasks.values() ?? [])].map((one) => one.state), ["running", "completed"]);
  assert.equal(store.ticket("t_1")?.readUpTo, 2);
});

test("the text of a result outlives views that lack it", () => {
  const store = new Store();
  store.ticketView(ticketView([task({ resultText: "done" })]));
  store.taskChanged({ ticket: "t_1", sequence: 2, task: task({ state: "completed" }) });
  assert.equal(store.ticket("t_1")?.tasks.get("spelling")?.resultText, "done");
});

test("a new summary keeps the files that were read", () => {
  const store = new Store();
  store.proposalView(proposal([]));
  store.proposalSummary(summary({ review: "accepted" }));
  assert.equal(store.proposal("p_1")?.summary.review, "accepted");
  assert.notEqual(store.proposal("p_1")?.view, undefined);
});

test("an answer that came after newer news does not count", () => {
  const store = new Store();
  store.proposalSummary(summary({ sequence: 3, review: "accepted" }));
  store.proposalView(proposal([], { summary: summary({ sequence: 2 }) }));
  assert.equal(store.proposal("p_1")?.summary.review, "accepted");
  assert.equal(store.proposal("p_1")?.view?.summary.sequence, 2);
  store.proposalView(proposal([], { summary: summary({ sequence: 3, review: "accepted" }) }));
  store.proposalView(proposal([], { summary: summary({ sequence: 2 }) }));
  store.proposalSummary(summary({ sequence: 2 }));
  assert.equal(store.proposal("p_1")?.view?.summary.sequence, 3);
  assert.equal(store.proposal("p_1")?.summary.review, "accepted");
});

test("a ticket that the server no longer has goes with its proposals", () => {
  const store = new Store();
  store.ticketSummary(ticketSummary());
  store.proposalView(proposal([]));
  store.forget("t_1");
  assert.deepEqual([store.tickets(), store.proposals()], [[], []]);
});

test("a proposal is pending until it is applied or rejected, or when it was undone", () => {
  assert.ok(isPending(summary()));
  assert.ok(isPending(summary({ integration: "conflict" })));
  assert.ok(isPending(summary({ application: "undone" })));
  assert.ok(!isPending(summary({ application: "applied" })));
  assert.ok(!isPending(summary({ review: "rejected" })));
  assert.ok(!isPending(summary({ integration: "noChanges" })));
});

test("a ticket concerns the folders of its repository, and those below and above", () => {
  const store = new Store();
  store.ticketView(ticketView([], { bases: [{ repository: "file:///home/ada/repo" }] }));
  const ticket = store.ticket("t_1");
  assert.ok(ticket !== undefined);
  assert.ok(concerns(ticket, ["/home/ada/repo"], plainPath));
  assert.ok(concerns(ticket, ["/home/ada/repo/packages/a"], plainPath));
  assert.ok(concerns(ticket, ["/home/ada"], plainPath));
  assert.ok(!concerns(ticket, ["/home/ada/repo-two"], plainPath));
});

test("what another client has applied or taken back is noticed by the summary of the ticket", () => {
  const store = new Store();
  const application = { id: "a_1", state: "applied", target: "disk", at: "2026-01-01T00:00:00.000Z" } as const;
  const known = (): boolean => { const ticket = store.ticket("t_1"); return ticket !== undefined && hasNewApplication(ticket); };
  store.ticketView(ticketView([task()]));
  assert.ok(!known());
  store.ticketSummary(ticketSummary({ lastApplication: application }));
  assert.ok(known());
  store.ticketView(ticketView([], { applications: [application] }));
  assert.ok(!known());
  store.ticketSummary(ticketSummary({ lastApplication: { ...application, undoneBy: "a_2" } }));
  assert.ok(known());
});

test("a restart interrupts what this window's server runs, and nothing else", () => {
  const store = new Store();
  store.ticketView(ticketView([task({ id: "mine" }), task({ id: "done", state: "completed" })], { owned: true }));
  store.ticketView(ticketView([task({ id: "theirs" })], { id: "t_2", owned: false }));
  assert.deepEqual(lostByRestart(store.tickets()).map((one) => one.id), ["mine"]);
});
