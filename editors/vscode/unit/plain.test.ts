import assert from "node:assert/strict";
import { test } from "node:test";
import { plainLines } from "../src/model/plain.ts";

test("the details of a dialog keep their lines, and nothing in them is a link, an icon or a control character", () => {
  const text = plainLines("fix: [x](command:evil)\nother: $(trash) \u001b[31mred\u202e");
  assert.equal(text.split("\n").length, 2);
  assert.doesNotMatch(text, /\]\(|\$\(|\u001b|\u202e/u);
});
