import assert from "node:assert/strict";
import { test } from "node:test";
import { isLost, lostWords, proposalsIn } from "../src/model/failures.ts";

test("a server that ends during a request is told as that, and whether it may have been applied", () => {
  assert.ok(isLost(-32_097, "Pending response rejected since connection got disposed"));
  assert.ok(isLost(2, "Connection is disposed."));
  assert.ok(!isLost(2, "there is no ticket t_1"));
  assert.match(lostWords("sennit/apply"), /has ended.*applied is not known/u);
  assert.match(lostWords("sennit/tickets"), /Try it again/u);
});

test("the proposals that may be gone are those that the request names", () => {
  assert.deepEqual(proposalsIn({ proposal: "p_1", limit: 3 }), ["p_1"]);
  assert.deepEqual(proposalsIn({ target: "editor", proposals: [{ proposal: "a", revision: "r" }, { proposal: "b", revision: "r" }] }), ["a", "b"]);
  assert.deepEqual(proposalsIn({ ticket: "t_1" }), []);
});
