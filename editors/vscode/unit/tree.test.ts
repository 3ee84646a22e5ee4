import assert from "node:assert/strict";
import { test } from "node:test";
import { Store } from "../src/model/store.ts";
import { treeOf } from "../src/model/tree.ts";
import type { TreeNode } from "../src/model/tree-node.ts";
import { file, hunk, proposal, summary, task, ticketView } from "./views.ts";

const all = (): boolean => true;

function nodes(node: TreeNode): readonly TreeNode[] {
  return [node, ...node.children.flatMap(nodes)];
}

function shown(store: Store): readonly TreeNode[] {
  return treeOf(store, all).flatMap(nodes);
}

test("a ticket holds its tasks, they their proposals, these their files with every change", () => {
  const store = new Store();
  store.ticketView(ticketView([task({ state: "completed", proposal: "p_1" })], { state: "completed" }));
  store.proposalView(proposal([file([hunk("u1", 1), hunk("u2", 5, { decision: "rejected" })])]));
  assert.deepEqual(shown(store).map((node) => [node.id, node.contextValue]), [
    ["ticket:t_1", "ticket-pending"],
    ["task:t_1/spelling", "task-completed"],
    ["proposal:p_1", "proposal-offered"],
    ["file:p_1:file:///repo/a.txt", "file-mixed"],
    ["unit:u1", "unit-undecided"],
    ["unit:u2", "unit-rejected"],
  ]);
});

test("a question is shown below the task that waits for it, and no longer afterwards", () => {
  const store = new Store();
  const question = { id: "q_1", text: "Which [one](command:evil)?" };
  store.ticketView(ticketView([task({ state: "waiting", question })]));
  const node = shown(store).find((one) => one.id === "question:q_1");
  assert.equal(node?.command, "sennit.answer");
  assert.doesNotMatch(node.label, /\]\(/u);
  const questions = [{ ...question, answer: "yes" }, { id: "q_2", text: "And?" }, { id: "q_3", text: "Or?" }];
  store.ticketView(ticketView([task({ state: "waiting", question, questions })]));
  assert.deepEqual(shown(store).filter((one) => one.kind === "question").map((one) => one.ids.question), ["q_2", "q_3"]);
  store.ticketView(ticketView([task({ state: "completed", question })]));
  assert.ok(!shown(store).some((one) => one.kind === "question"));
});

test("conflicts come before the files", () => {
  const store = new Store();
  store.ticketView(ticketView([task({ proposal: "p_1" })]));
  const conflict = { kind: "content", path: "a.txt", uri: "file:///repo/a.txt", message: "both", withTasks: ["german"] };
  store.proposalView(proposal([file([hunk("u1", 1)])], { conflicts: [conflict] }));
  const found = shown(store).find((one) => one.kind === "proposal");
  assert.deepEqual(found?.children.map((one) => one.kind), ["conflict", "file"]);
  assert.equal(found.children[0]?.description, "with german");
});

test("files that are not shown are counted", () => {
  const store = new Store();
  store.ticketView(ticketView([task({ proposal: "p_1" })]));
  store.proposalView(proposal([file([])], { filesTotal: 300 }));
  assert.equal(shown(store).at(-1)?.label, "299 more files…");
});

test("more files than the tree shows are counted though they are known, and lines of the same view are the same", () => {
  const store = new Store();
  store.ticketView(ticketView([task({ proposal: "p_1" })]));
  store.proposalView(proposal(Array.from({ length: 250 }, (_, index) => file([], { uri: `file:///repo/${String(index)}` }))));
  const lines = shown(store).filter((one) => one.kind === "file");
  assert.equal(lines.length, 200);
  assert.equal(shown(store).at(-1)?.label, "50 more files…");
  assert.ok(shown(store).filter((one) => one.kind === "file").every((one, index) => one === lines[index]));
});

test("what was applied can be undone and not be decided any more", () => {
  const store = new Store();
  store.ticketView(ticketView([task({ proposal: "p_1" })]));
  store.proposalSummary(summary({ review: "accepted", application: "applied" }));
  const node = shown(store).find((one) => one.kind === "proposal");
  assert.equal(node?.contextValue, "proposal-applied");
  assert.match(node.description, /applied/u);
});

test("tickets of other repositories are not shown", () => {
  const store = new Store();
  store.ticketView(ticketView([task()]));
  assert.deepEqual(treeOf(store, () => false), []);
});

test("a running task tells what it does", () => {
  const store = new Store();
  const progress = { phase: "running", elapsedMs: 3_400, lastLine: "half done" };
  store.ticketView(ticketView([task({ progress })]));
  assert.equal(shown(store)[1]?.description, "running · 3 s · half done");
});

test("a task that shows no sign of life says since when", () => {
  const store = new Store();
  const progress = { phase: "silent", elapsedMs: 400_000, idleMs: 310_000, lastLine: "half done" };
  store.ticketView(ticketView([task({ progress })]));
  assert.equal(shown(store)[1]?.description, "running · 6 min · silent for 5 min · half done");
});

test("notes are counted in the line and told by its tooltip", () => {
  const store = new Store();
  store.ticketView(ticketView([task({ proposal: "p_1", notices: [{ message: "It was told twice." }, { message: "Odd.", path: "a" }] })]));
  store.proposalView(proposal([], { notices: [{ message: "It is set aside." }] }));
  const [, shownTask, shownProposal] = shown(store);
  assert.match(shownTask?.description ?? "", /2 notes/u);
  assert.match(shownTask?.tooltip ?? "", /It was told twice\.\na: Odd\./u);
  assert.match(shownProposal?.description ?? "", /1 note$/u);
  assert.match(shownProposal?.tooltip ?? "", /It is set aside\./u);
});
