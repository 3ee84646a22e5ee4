import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { readBudget } from "../src/model/budget.ts";
import { type Call, HELP, formOf, isInHead, readForm, tasksOfForm } from "../src/model/form.ts";
import { OF_TASK, OF_TICKET } from "../src/model/headers.ts";

const FORM = `${HELP.join("\n")}
agent: scribe
role: review
model: large one
class:
budget: 20 turns, 1.1k tokens, 0.5 cost, 2 min
access: read
task: first
attach: src/a b.py:3-9
attach: p_1
attach: README.md

Do this.

# this is part of the prompt
task: and this too
---

after: first, other

# A title

\`\`\`yaml
---
\`\`\`
\\---
`;

test("a form is read, and written again as the same tasks", () => {
  const { drafts, problems } = readForm(FORM);
  assert.deepEqual(problems, []);
  assert.deepEqual(drafts, [
    {
      agent: "scribe",
      role: "review",
      model: "large one",
      budget: { turns: 20, tokens: 1_100, cost: 0.5, timeMs: 120_000 },
      access: "read",
      id: "first",
      attach: [{ path: "src/a b.py", startLine: 3, endLine: 9 }, { proposal: "p_1" }, { path: "README.md" }],
      prompt: "Do this.\n\n# this is part of the prompt\ntask: and this too",
    },
    { dependsOn: ["first", "other"], prompt: "# A title\n\n```yaml\n---\n```\n---" },
  ]);
  assert.deepEqual(readForm(formOf(drafts)).drafts, drafts);
});

test("a first part of headers alone is for all tasks, and keys of the ticket stand in the first part", () => {
  const text = "label: rename all\nconflict: follow\norder: fewestConflicts\nconcurrent: 2\nagent: peer\ndeadline: 10 min\n---\nwrites: src/**, docs/**\n\nx\n---\ny";
  const { drafts, problems, call } = readForm(text);
  assert.deepEqual(problems, []);
  const wanted: Call = { label: "rename all", onConflict: "follow", order: "fewestConflicts", maxConcurrent: 2, defaults: { agent: "peer", deadlineMs: 600_000 } };
  assert.deepEqual(call, wanted);
  assert.deepEqual(drafts, [{ writes: ["src/**", "docs/**"], prompt: "x" }, { prompt: "y" }]);
  assert.deepEqual(readForm(formOf(drafts, call)), { drafts, problems: [], call });
  assert.deepEqual(readForm("offer: manual\n\nx").call, { offer: "manual" });
});

test("an empty form holds no task, and no problem", () => {
  assert.deepEqual(readForm(formOf([{ prompt: "" }])), { drafts: [], problems: [], call: {} });
});

test("what cannot be meant is named with its line", () => {
  const { problems } = readForm("agent: a\nattach: a.py:9-3\nretries: some\n\nx\n---\nbudget: 3 apples\naccess: all\nidle: long\n\ny");
  assert.deepEqual(problems.map((one) => one.split(" ", 3).join(" ")), [
    "Line 2: `a.py:9-3`", "Line 3: `some`", "Line 7: `3", "Line 8: `access`", "Line 9: `long`",
  ]);
});

test("what is about all tasks is refused in a later part, and what is about one in the part for all", () => {
  const late = readForm("x\n---\nconflict: follow\n\ny");
  assert.deepEqual([late.call, late.problems], [{}, ["Line 3: `conflict` is about all tasks; write it into the first part."]]);
  const own = readForm("agent: a\ntask: one\n---\ny");
  assert.deepEqual(own.problems, ["Line 2: `task` is about one task, and this part is for all."]);
});

test("a header that there is not is refused, and the nearest is named", () => {
  const problems = (text: string): readonly string[] => readForm(text).problems;
  const so = (above: string): string => `If the prompt begins so, put ${above} above it.`;
  assert.deepEqual(problems("agent: a\nbudgt: 20 turns\n\nx"), [`Line 2: there is no header \`budgt\`; the nearest is \`budget\`. ${so("an empty line")}`]);
  assert.deepEqual(problems("x\n---\naxcess: read\nrole: review\n\ny"), [
    `Line 3: there is no header \`axcess\`; the nearest is \`access\`. ${so("`agent:` and an empty line")}`,
  ]);
  assert.deepEqual(problems("labol: both\n---\nx").length, 1);
  assert.match(problems("agent: a\nbogus: x\n\ny")[0] ?? "", /^Line 2: there is no header `bogus`; there are: agent, role, model,/u);
  assert.deepEqual(problems("Agent: a\nafter_all:\n\nx").map((one) => one.split(";", 1)[0]), [
    "Line 1: there is no header `Agent`", "Line 2: there is no header `after_all`",
  ]);
});

test("a prompt can begin with a word and a colon", () => {
  const heads: readonly (readonly [string, string])[] = [
    ["agent: a\n\n", "bogus: x"],
    ["agent:\n\n", "axcess: read"],
    ["", "fix: it\ndocs: too"],
    ["agent: a\n", "https://example.invalid says how"],
    ["agent: a\n", "std::move it"],
    ["agent: a\n", "Do it.\nbogus: x"],
  ];
  for (const [head, prompt] of heads) {
    const { drafts, problems } = readForm(head + prompt);
    assert.deepEqual([drafts.map((one) => one.prompt), problems], [[prompt], []]);
    assert.deepEqual(readForm(formOf(drafts)).drafts, drafts);
  }
});

test("headers are offered at the head of a task and nowhere else", () => {
  const lines = [...HELP, "agent: a", "", "x", "role: in the prompt", "---", "", "role: b", "```", "---"];
  const heads = lines.map((_, index) => isInHead(lines, index));
  const start = HELP.length;
  assert.deepEqual(heads.slice(start), [true, true, false, false, false, true, true, true, false]);
});

test("the grammar of a form colours every header and every line of its help", () => {
  const grammar = JSON.parse(readFileSync(new URL("../media/tasks.grammar.json", import.meta.url), "utf8")) as { readonly patterns: readonly { readonly match: string }[] };
  const [help, , header] = grammar.patterns.map((one) => new RegExp(one.match, "u"));
  assert.deepEqual(HELP.filter((line) => help?.test(line) !== true), []);
  assert.deepEqual([...OF_TASK, ...OF_TICKET].map((one) => `${one.name}: x`).filter((line) => header?.test(line) !== true), []);
});

test("tasks without a name are numbered, and those without an agent leave it to the role or the setting", () => {
  const drafts = [{ prompt: "x", role: "review" }, { prompt: "y", id: "last", dependsOn: ["task-1"], attach: [{ path: "a", startLine: 1, endLine: 2 }, { proposal: "p_1" }] }];
  assert.deepEqual(tasksOfForm(drafts, (path) => `file:///repo/${path}`), [
    { id: "task-1", prompt: "x", role: "review" },
    { id: "last", prompt: "y", dependsOn: ["task-1"], attach: [{ uri: "file:///repo/a", startLine: 1, endLine: 2 }, { proposal: "p_1" }] },
  ]);
});

test("a budget has known units, and more than nothing of each", () => {
  assert.deepEqual(readBudget("1M tokens,90s"), { tokens: 1_000_000, timeMs: 90_000 });
  for (const wrong of ["0 turns", "1.5 turns", "-1 cost", "ten turns", "5"]) {
    assert.ok("problem" in readBudget(wrong), wrong);
  }
});
