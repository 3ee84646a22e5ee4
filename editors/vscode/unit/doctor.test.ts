import assert from "node:assert/strict";
import { test } from "node:test";
import { doctorText } from "../src/model/doctor.ts";

test("what is wrong stands first, with what to do; agents that are not installed are named in one line", () => {
  const text = doctorText(
    [
      { area: "git", health: "good", message: "2.47" },
      { area: "sandbox", health: "warning", message: "there is none", advice: "Install bubblewrap." },
    ],
    {
      agents: [
        { name: "command", kind: "command", usable: true },
        { name: "absent", kind: "acp", usable: false, builtIn: true, found: false },
        { name: "broken", kind: "command", usable: false, problem: "it is not there" },
      ],
      notices: [{ message: "It has no name.", path: "/x/role.md" }],
    },
  );
  assert.deepEqual(text.split("\n"), [
    "Machine and repository: to look at",
    "",
    "! sandbox: there is none",
    "    Install bubblewrap.",
    "✓ git: 2.47",
    "",
    "Agents",
    "",
    "✓ command (command)",
    "! broken: it is not there",
    "! /x/role.md: It has no name.",
    "known to Sennit, but not installed: absent",
    "",
  ]);
});
