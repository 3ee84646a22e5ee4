import assert from "node:assert/strict";
import { test } from "node:test";
import { choiceIn, resolutionWords, shownText, standing, waysOf } from "../src/model/resolving.ts";
import { MARKS, hasMarks, markedText } from "../src/model/three-way.ts";
import { Store } from "../src/model/store.ts";
import { treeOf } from "../src/model/tree.ts";
import type { ConflictView } from "../src/protocol.ts";
import { file, proposal, summary, task, ticketView } from "./views.ts";

const SIDE = { mode: "100644", id: "1", uri: "sennit:/a" };

function conflict(more: Partial<ConflictView> = {}): ConflictView {
  return { kind: "content", path: "a.txt", uri: "file:///repo/a.txt", message: "both", base: SIDE, ours: SIDE, theirs: SIDE, ...more };
}

function lines(...some: (number | string)[]): string {
  return some.map((one) => `${String(one)}\n`).join("");
}

const GUESS = { kind: "oursThenTheirs", sure: "guess", title: "Keep both." } as const;
const LIKELY = { kind: "adjacentEdits", sure: "likely", title: "Take both." } as const;

test("the first line of the choice settles nothing, likely suggestions stand before guesses, a text comes last", () => {
  const ways = waysOf(conflict({ suggestions: [GUESS, LIKELY] }));
  assert.deepEqual(ways.map((one) => one.action.name), ["show", "preview", "preview", "take", "take", "take", "edit"]);
  assert.deepEqual(ways.slice(1, 3).map((one) => one.description), ["likely", "a guess"]);
});

test("conflicts of names, of what is absent and of links have sides only", () => {
  const bare = [
    conflict({ kind: "nameCollision" }),
    conflict({ kind: "renameRename" }),
    conflict({ kind: "modifyDelete", ours: {} }),
    conflict({ ours: { ...SIDE, mode: "120000" } }),
  ];
  for (const one of bare) {
    assert.deepEqual(waysOf(one).map((each) => each.action.name), ["show", "take", "take", "take"], one.kind);
  }
  assert.match(waysOf(conflict({ kind: "modifyDelete", ours: {} }))[1]?.description ?? "", /no such file/u);
});

test("an argument names a side, a suggestion that there is, or a text; else the user is asked", () => {
  const one = conflict({ suggestions: [LIKELY] });
  assert.deepEqual(choiceIn({ take: "theirs" }, one), { uri: one.uri, take: "theirs" });
  assert.deepEqual(choiceIn({ take: "adjacentEdits" }, one), { uri: one.uri, take: "suggestion", suggestion: "adjacentEdits" });
  assert.deepEqual(choiceIn({ text: "x\n" }, one), { uri: one.uri, take: "text", text: "x\n" });
  assert.equal(choiceIn({}, one), undefined);
  assert.throws(() => choiceIn({ take: "imports" }, one), /adjacentEdits/u);
});

test("after a resolution it is told whether conflicts are left", () => {
  const left = proposal([], { summary: summary({ integration: "conflict" }), conflicts: [conflict({ path: "b.txt" })] });
  assert.equal(standing(left, conflict()), "a.txt of spelling is settled; still in conflict is b.txt.");
  assert.match(standing(proposal([]), conflict()), /accept it as any other\.$/u);
  assert.match(standing(proposal([]), conflict({ withTasks: ["german"] })), /counts with german: apply that too/u);
});

test("a settled conflict is a line of the tree by which it can be taken back; one whose resolution counts no more says so", () => {
  const store = new Store();
  store.ticketView(ticketView([task({ proposal: "p_1" })]));
  const resolved = [conflict({ resolution: { take: "suggestion", suggestion: "imports" } })];
  store.proposalView(proposal([file([])], { resolved, conflicts: [conflict({ path: "b", resolution: { take: "ours", counts: false } })] }));
  const nodes = treeOf(store, () => true)[0]?.children[0]?.children[0]?.children ?? [];
  assert.deepEqual(nodes.map((one) => one.contextValue), ["conflict", "conflict-settled", "file-undecided"]);
  assert.match(nodes[0]?.description ?? "", /does not count any more/u);
  assert.equal(nodes[1]?.description, resolutionWords(resolved[0] ?? conflict()));
});

test("a suggestion of which the view holds the beginning is said to be cut", () => {
  assert.equal(shownText("short\n"), "short\n");
  assert.match(shownText("line\n".repeat(1_600)), /beginning of this text only/u);
});

test("what goes together is merged, and what clashes stands between marks", () => {
  const base = lines(1, 2, 3, 4, 5, 6, 7, 8);
  const merged = markedText({ base, ours: lines(1, "two", 3, 4, "five", 6, 7, 8, 9), theirs: lines(0, 1, 2, 3, 4, "FIVE", "V", 6, 7) });
  assert.equal(merged, lines(0, 1, "two", 3, 4, MARKS.ours, "five", MARKS.middle, "FIVE", "V", MARKS.theirs, 6, 7, MARKS.ours, 8, 9, MARKS.middle, MARKS.theirs));
  assert.ok(hasMarks(merged));
  assert.ok(!hasMarks(lines(1, "=======", "<<<<<<< of the file itself")));
});

test("equal changes, changes of one side and texts without an end are merged as they are", () => {
  assert.equal(markedText({ base: "a\nb", ours: "a\nB", theirs: "a\nB" }), "a\nB");
  assert.equal(markedText({ base: "a\nb", ours: "a\nb", theirs: "x\na\nb\nc" }), "x\na\nb\nc");
  assert.equal(markedText({ base: "", ours: "", theirs: "" }), "");
  assert.equal(markedText({ base: "a\r\n", ours: "b\r\n", theirs: "c" }), `${MARKS.ours}\r\nb\r\n${MARKS.middle}\r\nc\r\n${MARKS.theirs}\r\n`);
});
