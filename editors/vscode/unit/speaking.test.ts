import assert from "node:assert/strict";
import { test } from "node:test";
import { agentChoices } from "../src/model/agents.ts";
import { detailsText, sandboxWords, workspaceLines } from "../src/model/details.ts";
import { canFollow, carriedWords } from "../src/model/follow.ts";
import { progressWords, usageWords } from "../src/model/progress.ts";
import { receiptWords } from "../src/model/speaking.ts";
import { Store } from "../src/model/store.ts";
import { type TreeNode } from "../src/model/tree-node.ts";
import { treeOf } from "../src/model/tree.ts";
import type { AgentView, TaskView } from "../src/protocol.ts";
import { file, hunk, proposal, summary, task, ticketView } from "./views.ts";

const AGENTS: AgentView[] = [
  { name: "broken", kind: "command", usable: false, problem: "it is not there" },
  { name: "absent", kind: "acp", usable: false, builtIn: true, found: false },
  { name: "talker", kind: "acp", usable: true, roles: ["review"], can: { steers: true } },
  { name: "command", kind: "command", usable: true },
];

function shown(view: TaskView, owned = true): readonly TreeNode[] {
  const store = new Store();
  store.agentList(AGENTS);
  store.ticketView(ticketView([view], { owned }));
  return treeOf(store, () => true)[0]?.children ?? [];
}

test("agents that can be used come first, then roles that one of them has, then the others with the reason", () => {
  const definitions = [{ name: "review" }, { name: "explore" }];
  assert.deepEqual(agentChoices({ agents: AGENTS, definitions }).map((one) => [one.group, one.label, one.problem !== undefined]), [
    ["agents", "talker", false],
    ["agents", "command", false],
    ["roles", "review", false],
    ["not usable", "broken", true],
    ["not usable", "explore", true],
  ]);
});

test("menus offer to speak only with agents that hear it, and only in the window that has them", () => {
  const contexts = (view: TaskView, owned?: boolean): unknown => shown(view, owned)[0]?.contextValue;
  assert.equal(contexts(task({ agent: "talker" })), "task-running+works");
  assert.equal(contexts(task({ agent: "talker" }), false), "task-running");
  assert.equal(contexts(task({ agent: "command" })), "task-running");
  assert.equal(contexts(task({ agent: "talker", state: "completed" })), "task-completed");
});

test("an interrupted task says below it that it waits for words", () => {
  const [node] = shown(task({ agent: "talker", state: "waiting", waitingFor: "user" }));
  assert.equal(node?.contextValue, "task-waiting+waits");
  assert.deepEqual(node.children.map((one) => [one.kind, one.command]), [["held", "sennit.steer"]]);
});

test("what was not heard is told with the reason", () => {
  assert.match(receiptWords("notApplied", "a", task({ state: "completed" }), null), /its agent has ended/u);
  assert.match(receiptWords("notApplied", "a", task({ state: "queued" }), undefined), /has not started/u);
  assert.equal(receiptWords("notApplied", "a", undefined, "Why."), "a was not told: Why.");
  assert.match(receiptWords("queued", "a", undefined, null), /as soon as its turn has ended/u);
});

test("progress tells time, silence, what was used and the last tool", () => {
  assert.deepEqual(progressWords({ phase: "thinking", elapsedMs: 1_400, idleMs: 400 }), ["1 s", "thinking"]);
  assert.deepEqual(
    progressWords({ phase: "running", elapsedMs: 400_000, idleMs: 6_000, lastTool: "edit a", lastLine: "edit a", tools: 3, usage: { known: "sum", input: 900, output: 600 } }),
    ["6 min", "silent for 6 s", "1.5k tokens", "edit a (tool 3)"],
  );
  assert.deepEqual(usageWords({ known: "lowerBound", cost: 0.126, currency: "USD" }), ["at least 0.13 USD"]);
});

test("a proposal stands below its newest task alone; the earlier one says where it went", () => {
  const store = new Store();
  store.ticketView(ticketView([task({ state: "completed", proposal: "p_1", followedBy: "t_2" })], { state: "completed" }));
  store.ticketView(ticketView([task({ state: "completed", proposal: "p_1" })], { id: "t_2", state: "completed" }));
  store.proposalSummary(summary({ ticket: "t_2", number: 2 }));
  const [newer, older] = treeOf(store, () => true);
  assert.match(newer?.children[0]?.children[0]?.description ?? "", /^revision 2/u);
  assert.deepEqual(older?.children[0]?.children.map((one) => one.kind), ["followed"]);
  assert.equal(older.children[0].contextValue, "task-completed-followed");
});

test("a task that was done again in its own ticket says as which one", () => {
  const store = new Store();
  const again = task({ id: "spelling-again", following: { ticket: "t_1", task: "spelling" } });
  store.ticketView(ticketView([task({ state: "completed", followedBy: "t_1" }), again]));
  const node = treeOf(store, () => true)[0]?.children[0]?.children[0];
  assert.deepEqual([node?.label, node?.description, node?.ids.task], ["done again", "as spelling-again", "spelling-again"]);
});

test("what has ended can be followed, once; decisions that still fit are counted", () => {
  assert.deepEqual([task(), task({ state: "failed" }), task({ state: "failed", followedBy: "t_2" })].map(canFollow), [false, true, false]);
  const second = proposal([file([hunk("u1", 1, { decision: "accepted" }), hunk("u2", 5)])], { summary: summary({ number: 2 }) });
  assert.equal(carriedWords(second), "It is revision 2: 1 of 2 changes is decided as you had decided before.");
  assert.equal(carriedWords(proposal([])), undefined);
});

test("what confined a run is told as it was", () => {
  assert.equal(sandboxWords(undefined), "nothing is recorded");
  assert.equal(sandboxWords({ wanted: "preferred", confined: false, whyNot: "no bwrap" }), "none (preferred): no bwrap");
  assert.equal(sandboxWords({ wanted: "required", confined: true, workspaceWritable: true, writable: ["~/.x"] }), "confined; it could write to its workspace, ~/.x");
});

test("how a workspace was made is told, with why in no other way", () => {
  assert.deepEqual(workspaceLines(null), ["workspace: not known"]);
  assert.deepEqual(workspaceLines({ kind: "checkout", refused: ["overlay: no user namespaces"] }), ["workspace: checkout", "  not by overlay: no user namespaces"]);
});

test("details tell what was remarked of a task, its proposal and its ticket, and what it began with", () => {
  const noted = [{ message: "Line endings were changed.", path: "a.txt" }];
  const base = { repository: "file:///repo", head: "0123456789abcdef", branch: "main", modified: ["a"], unsaved: ["b"], leftOut: Array.from({ length: 7 }, (_, index) => ({ path: `big${String(index)}`, reason: "tooLarge" })) };
  const text = detailsText({
    ticket: ticketView([], { notices: [{ message: "Of all." }], bases: [base] }),
    task: task({ notices: [{ message: "Of the task." }], flags: ["sourceDrift"] }),
    proposal: proposal([], { notices: noted }),
    run: undefined,
    events: [],
  });
  assert.match(text, /^spelling: running · your files changed meanwhile\n/u);
  assert.match(text, /\nnote: Of the task\.\nnote: a\.txt: Line endings were changed\.\nnote: Of all\.\n/u);
  assert.match(text, /\nbase: 0123456789 \(main\), 1 modified, 1 unsaved\nleft out: big0: tooLarge\n[^]*\nleft out: 2 more paths\n/u);
});
