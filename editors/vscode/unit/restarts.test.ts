import assert from "node:assert/strict";
import { test } from "node:test";
import { RestartPolicy } from "../src/server/restarts.ts";

const MINUTE = 60_000;

test("a server that dies is started again soon at first, then later and later", () => {
  const policy = new RestartPolicy();
  const delays = [0, 1, 2, 3].map((at) => policy.died(at));
  assert.deepEqual(delays, [250, 1_000, 4_000, 16_000].map((delayMs) => ({ again: true, delayMs })));
});

test("one that dies again and again is given up", () => {
  const policy = new RestartPolicy();
  const verdicts = [0, 1, 2, 3, 4].map((at) => policy.died(at).again);
  assert.deepEqual(verdicts, [true, true, true, true, false]);
});

test("deaths of long ago do not count", () => {
  const policy = new RestartPolicy();
  for (let at = 0; at < 10; at += 1) {
    assert.deepEqual(policy.died(at * 10 * MINUTE), { again: true, delayMs: 250 });
  }
});

test("a start by hand forgives all deaths", () => {
  const policy = new RestartPolicy();
  [0, 1, 2].forEach((at) => policy.died(at));
  policy.forget();
  assert.deepEqual(policy.died(4), { again: true, delayMs: 250 });
});
