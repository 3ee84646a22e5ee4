import assert from "node:assert/strict";
import { test } from "node:test";
import { Store } from "../src/model/store.ts";
import { treeOf } from "../src/model/tree.ts";
import type { TreeNode } from "../src/model/tree-node.ts";
import { byId, changedNodes } from "../src/model/tree-changes.ts";
import type { TaskView } from "../src/protocol.ts";
import { file, hunk, proposal, task, ticketView } from "./views.ts";

function tree(tasks: TaskView[], second: "undecided" | "accepted" = "undecided"): readonly TreeNode[] {
  const store = new Store();
  store.ticketView(ticketView(tasks));
  store.proposalView(proposal([file([hunk("u1", 1), hunk("u2", 5, { decision: second })])]));
  return treeOf(store, () => true);
}

test("of two equal trees nothing is drawn anew", () => {
  assert.deepEqual(changedNodes(tree([task()]), tree([task()])), []);
});

test("the progress of one task draws that task alone", () => {
  const tasks = (seconds: number): TaskView[] => [
    task({ id: "a", progress: { phase: "running", elapsedMs: 1000 * seconds } }),
    task({ id: "b", proposal: "p_1" }),
  ];
  assert.deepEqual(changedNodes(tree(tasks(1)), tree(tasks(2))), ["task:t_1/a"]);
});

test("a decision draws the file whose state it changes", () => {
  const tasks = [task({ proposal: "p_1" })];
  assert.deepEqual(changedNodes(tree(tasks), tree(tasks, "accepted")), ["file:p_1:file:///repo/a.txt"]);
});

test("a line that is new draws the one above it, a new ticket draws all", () => {
  assert.deepEqual(changedNodes(tree([task()]), tree([task(), task({ id: "b" })])), ["ticket:t_1"]);
  assert.equal(changedNodes([], tree([task()])), "all");
});

test("every line is found by its id", () => {
  assert.deepEqual([...byId(tree([task({ proposal: "p_1" })])).keys()].slice(-2), ["unit:u1", "unit:u2"]);
});
