import assert from "node:assert/strict";
import { test } from "node:test";
import { readBudget } from "../src/model/budget.ts";
import { HELP, formOf, readForm, tasksOfForm } from "../src/model/form.ts";

const FORM = `${HELP.join("\n")}
agent: scribe
role: review
model: large one
class:
budget: 20 turns, 1.1k tokens, 0.5 cost, 2 min
access: read
task: first

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
      task: "first",
      prompt: "Do this.\n\n# this is part of the prompt\ntask: and this too",
    },
    { after: ["first", "other"], prompt: "# A title\n\n```yaml\n---\n```\n---" },
  ]);
  assert.deepEqual(readForm(formOf(drafts)).drafts, drafts);
});

test("an empty form holds no task, and no problem", () => {
  assert.deepEqual(readForm(formOf([{ prompt: "" }])), { drafts: [], problems: [] });
});

test("what cannot be meant is named with its line", () => {
  const { problems } = readForm("agent: a\n\nx\n---\nbudget: 3 apples\naccess: all\n\ny");
  assert.deepEqual(problems.map((one) => one.split(" is ")[0]), ["Line 5: `3 apples`", "Line 6: `access`"]);
});

test("tasks without a name are numbered, and those without an agent leave it to the role or the setting", () => {
  const [one, other] = tasksOfForm([{ prompt: "x", role: "review" }, { prompt: "y", task: "last", after: ["task-1"], class: "large" }]);
  assert.deepEqual([one?.id, one?.agent, one?.role], ["task-1", null, "review"]);
  assert.deepEqual([other?.id, other?.dependsOn, other?.modelClass], ["last", ["task-1"], "large"]);
});

test("a budget has known units, and more than nothing of each", () => {
  assert.deepEqual(readBudget("1M tokens,90s"), { tokens: 1_000_000, timeMs: 90_000 });
  for (const wrong of ["0 turns", "1.5 turns", "-1 cost", "ten turns", "5"]) {
    assert.ok("problem" in readBudget(wrong), wrong);
  }
});
