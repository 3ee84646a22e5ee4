import assert from "node:assert/strict";
import { test } from "node:test";
import { fileDescription, flagged, jointDecision, unitAt, unitDescription, unitLabel } from "../src/model/decisions.ts";
import { file, hunk } from "./views.ts";

const TWO = file([hunk("u1", 2), hunk("u2", 10)]);

test("the change at a line is the one around it", () => {
  assert.equal(unitAt(TWO, 10, "proposed")?.id, "u2");
});

test("between two changes the one above is meant, before the first one the first", () => {
  assert.equal(unitAt(TWO, 5, "proposed")?.id, "u1");
  assert.equal(unitAt(TWO, 0, "proposed")?.id, "u1");
});

test("lines of the old side count there", () => {
  const shifted = file([hunk("u1", 2), hunk("u2", 10, { before: { start: 4, count: 1 } })]);
  assert.equal(unitAt(shifted, 4, "base")?.id, "u2");
  assert.equal(unitAt(shifted, 4, "proposed")?.id, "u1");
});

test("a change without lines is found all the same", () => {
  const created = { id: "u", kind: "create", decision: "undecided", preselected: true } as const;
  assert.equal(unitAt(file([created]), 3, "proposed")?.id, "u");
});

test("decisions that differ are mixed, none at all is undecided", () => {
  assert.equal(jointDecision([hunk("a", 1), hunk("b", 2, { decision: "accepted" })]), "mixed");
  assert.equal(jointDecision([hunk("a", 1, { decision: "rejected" })]), "rejected");
  assert.equal(jointDecision([]), "undecided");
});

test("what is flagged and not yet accepted needs a look", () => {
  const units = [
    hunk("plain", 1),
    hunk("flagged", 2, { preselected: false, flags: ["deletion"] }),
    hunk("seen", 3, { preselected: false, flags: ["deletion"], decision: "accepted" }),
  ];
  assert.deepEqual(flagged(units).map((unit) => unit.id), ["flagged"]);
});

test("a change is called by its first line that says something", () => {
  assert.equal(unitLabel(hunk("u", 1, { afterText: "\n  hello $(sync)\n" }), TWO), "+ hello $\u200b(sync)");
  assert.equal(unitLabel(hunk("u", 1, { afterText: "" }), TWO), "− old");
});

test("a renaming says from where", () => {
  const renamed = file([], { oldPath: "old.txt" });
  assert.equal(unitLabel({ id: "u", kind: "rename", decision: "undecided", preselected: true }, renamed), "rename from old.txt");
});

test("place, size, decision and flags are told", () => {
  const unit = hunk("u", 4, { decision: "accepted", flags: ["sensitive"] });
  assert.equal(unitDescription(unit), "line 5 · +1 −1 · accepted · sensitive file");
  assert.equal(fileDescription(file([hunk("a", 1), unit])), "+1 −1 · 2 changes · 1 of 2 accepted");
});

test("a file whose conflict was settled says so, and that nothing of it goes in where that is so", () => {
  const nowhere = { start: 0, count: 0 };
  const settled = file([hunk("u_1", 0, { before: nowhere, after: nowhere, beforeText: "", afterText: "" })], { settled: { take: "ours" } });
  assert.match(fileDescription(settled), /settled$/u);
  assert.equal(unitLabel(settled.units?.[0] ?? hunk("u_2", 0), settled), "what is there stays");
});
