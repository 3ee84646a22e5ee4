import assert from "node:assert/strict";
import { test } from "node:test";
import { FirstReading } from "../src/model/first-reading.ts";

const LONG_MS = 60_000;

test("who asks before anything was read waits for it", async () => {
  const first = new FirstReading();
  const asked = [first.wait(LONG_MS), first.wait(LONG_MS)];
  assert.equal(first.isKnown, false);
  first.done();
  assert.deepEqual(await Promise.all(asked), [true, true]);
  assert.equal(first.isKnown, true);
});

test("who asks afterwards waits for nothing, also when a later reading fails", async () => {
  const first = new FirstReading();
  first.done();
  first.failed();
  assert.equal(await first.wait(LONG_MS), true);
});

test("a reading that fails is not waited for any longer, and the next one counts", async () => {
  const first = new FirstReading();
  const asked = first.wait(LONG_MS);
  first.failed();
  assert.equal(await asked, false);
  const again = first.wait(LONG_MS);
  first.done();
  assert.equal(await again, true);
});

test("nobody waits for longer than was said", async (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const first = new FirstReading();
  const asked = first.wait(10);
  context.mock.timers.tick(10);
  assert.equal(await asked, false);
  first.done();
  assert.equal(await first.wait(10), true);
});
