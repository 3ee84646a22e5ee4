import assert from "node:assert/strict";
import { test } from "node:test";
import { Drafts } from "../src/model/drafts.ts";

test("what was typed is offered again until it is sent", () => {
  const drafts = new Drafts();
  drafts.keep("dispatch", ["one", "two"]);
  drafts.keep("dispatch", [""]);
  assert.deepEqual(drafts.of("dispatch"), ["one", "two"]);
  assert.deepEqual(drafts.of("dispatch"), ["one", "two"]);
  drafts.sent("dispatch");
  assert.deepEqual(drafts.of("dispatch"), []);
});
