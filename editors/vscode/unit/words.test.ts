import assert from "node:assert/strict";
import { test } from "node:test";
import { BadArgument, readIds } from "../src/model/arguments.ts";
import { encodingName, hasMark } from "../src/model/encodings.ts";
import { plainLine } from "../src/model/plain.ts";
import { diagnosticPrompt, selectionPrompt, tasksOf } from "../src/model/prompts.ts";
import { taskWords } from "../src/model/words.ts";
import type { QueuedFor } from "../src/protocol.ts";
import { task } from "./views.ts";

const PLACE = { path: "src/a.ts", firstLine: 4, lastLine: 6 };

test("text of agents is one line without links, icons and control characters", () => {
  assert.equal(plainLine("a\nb\u001b[0m [x](command:y) $(z)"), "a b [0m [x]\u200b(command:y) $\u200b(z)");
  assert.equal(plainLine("\u202eabc"), "abc");
});

test("long text is cut with a sign of it", () => {
  assert.equal(plainLine("abcdef", 4), "abc…");
});

test("VS Code's encodings have names that others know", () => {
  assert.deepEqual(["utf8", "utf8bom", "windows1252", "iso885915", "shiftjis", "cp437"].map(encodingName), [
    "utf-8", "utf-8", "windows-1252", "iso-8859-15", "shift_jis", "cp437",
  ]);
  assert.deepEqual(["utf8", "utf8bom", "utf16le"].map(hasMark), [false, true, true]);
});

test("an argument is an object of ids, or a line of the tree that carries them", () => {
  assert.deepEqual(readIds({ ticket: "t", force: true, task: null }), { ticket: "t", force: true });
  assert.deepEqual(readIds({ kind: "unit", ids: { unit: "u" } }), { unit: "u" });
  assert.deepEqual(readIds(undefined), {});
});

test("an argument that cannot be meant is refused with what is known", () => {
  assert.throws(() => readIds("t"), BadArgument);
  assert.throws(() => readIds({ tiket: "t" }), /ticket/u);
  assert.throws(() => readIds({ ticket: 1 }), /string/u);
  assert.throws(() => readIds({ force: "yes" }), /true or false/u);
});

test("a command line is sent as it was typed; an agent is told the place", () => {
  assert.equal(selectionPrompt("ruff format .", PLACE, "command"), "ruff format .");
  assert.equal(selectionPrompt("Simplify", PLACE, "other"), "Simplify\n\nIt is about the code at src/a.ts:5-7.");
});

test("a problem becomes a task that names it", () => {
  const found = { message: "unused", source: "ts", code: "6133" };
  assert.equal(diagnosticPrompt(found, { ...PLACE, lastLine: 4 }), "Solve this problem at src/a.ts:5: unused [6133] (ts)");
});

test("each prompt is a task of its own, called by its first words", () => {
  assert.deepEqual(tasksOf(["Fix the login\nand more", "fix the login", "…"], { agent: "coder" }), [
    { id: "fix-the-login-and-more", prompt: "Fix the login\nand more", description: "Fix the login", agent: "coder" },
    { id: "fix-the-login", prompt: "fix the login", description: "fix the login", agent: "coder" },
    { id: "task", prompt: "…", description: "…", agent: "coder" },
  ]);
});

test("names of tasks are not too long, and differ", () => {
  const [one, other] = tasksOf(["sh -c 'sed -i s/a/b/ some/long/path/to/a'", "sed -e s/a/b/ some/long/path/of/b"], { agent: "command" });
  assert.deepEqual([one?.id, other?.id], ["sed-s-a-b-some-long-path", "sed-s-a-b-some-long-path-2"]);
});

test("a queued task says what it waits for, where that is not just its turn", () => {
  const words = (queuedFor: QueuedFor) => taskWords(task({ state: "queued", queuedFor }));
  assert.equal(words("slot"), "queued");
  assert.equal(words("dependency"), "queued for a dependency");
  assert.deepEqual((["provider", "model", "agent"] as const).map(words), [
    "queued for its provider", "queued for its model", "queued for its agent",
  ]);
});
