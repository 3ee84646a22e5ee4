import assert from "node:assert/strict";
import { test } from "node:test";
import { overlapsText } from "../src/model/overlaps.ts";

test("pairs are told with the files and the places in which they meet", () => {
  const text = overlapsText({
    overlaps: [{
      one: { ticket: "t_1", task: "a", proposal: "p_1" },
      other: { ticket: "t_2", task: "b" },
      files: [
        { path: "x", uri: "file:///x", kind: "lines", lines: [{ start: 1, count: 2 }, { start: 8, count: 1 }] },
        { path: "y", uri: "file:///y", kind: "sameFile" },
      ],
    }],
    total: 3,
    notices: [{ message: "One could not be looked at." }],
  });
  assert.deepEqual(text.split("\n"), [
    "Open work that changes the same files",
    "",
    "a of t_1 (p_1) and b of t_2 (running)",
    "    x: the same lines, from 2, 9",
    "    y: other lines of it",
    "",
    "and 2 more pairs",
    "",
    "note: One could not be looked at.",
    "",
  ]);
  assert.match(overlapsText({ overlaps: [] }), /^No open work/u);
});
