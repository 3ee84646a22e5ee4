import assert from "node:assert/strict";
import { test } from "node:test";
import { type Problem, endOfProcess, problemText } from "../src/server/problems.ts";

const COMMAND = "/a/sennit serve";
const ALL: readonly Problem[] = [
  { kind: "notFound", looked: ["/usr/bin/sennit"], trusted: false },
  { kind: "wrongSetting", value: '"sennit serve"' },
  { kind: "cannotStart", command: COMMAND, detail: "EACCES." },
  { kind: "otherVersion", command: COMMAND, theirs: "0.0", ours: "0.1" },
  { kind: "noSennit", command: COMMAND, name: "pyright" },
  { kind: "rubbish", command: COMMAND, said: "Welcome" },
  { kind: "silent", command: COMMAND, seconds: 30 },
  { kind: "keepsDying", command: COMMAND, detail: "it ended with code 1." },
];

test("every problem says what to do", () => {
  for (const problem of ALL) {
    assert.match(problemText(problem), /Install|Correct|correct|Update|update|Restart/u, problem.kind);
  }
});

test("what was not found names the places, and why others were left out", () => {
  const text = problemText({ kind: "notFound", looked: ["/usr/bin/sennit"], trusted: false });
  assert.match(text, /\/usr\/bin\/sennit/u);
  assert.match(text, /not trusted/u);
});

test("an older server is to be updated, a newer one asks for a newer extension", () => {
  const told = (theirs: string, ours: string): string => problemText({ kind: "otherVersion", command: COMMAND, theirs, ours });
  assert.match(told("0.9", "0.10"), /Update the server/u);
  assert.match(told("0.10", "0.9"), /Update the extension/u);
});

test("what a server printed cannot become a link or an icon", () => {
  const text = problemText({ kind: "rubbish", command: COMMAND, said: "[x](command:evil) $(sync)\u001b[31m" });
  assert.ok(!text.includes("](") && !text.includes("$(") && !text.includes("\u001b"));
});

test("the end of a process tells signal or code, and the last of its errors", () => {
  assert.equal(endOfProcess(null, "SIGKILL", ""), "it was ended by SIGKILL.");
  assert.equal(endOfProcess(2, null, "a\nb\nc\nd\n"), "it ended with code 2 and wrote: b c d");
});

test("a wrong setting is told with what it must be", () => {
  const text = problemText({ kind: "wrongSetting", value: '"sennit serve"' });
  assert.match(text, /must be a list of texts such as \[/u);
  assert.match(text, /it is "sennit serve"/u);
});

test("what echoes or refuses is no Sennit, whatever it is", () => {
  assert.match(problemText({ kind: "noSennit", command: "/bin/cat", name: undefined }), /`\/bin\/cat` answers, but no Sennit/u);
});
