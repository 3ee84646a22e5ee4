import assert from "node:assert/strict";
import { test } from "node:test";
import { distance, nearest } from "../src/model/spelling.ts";

test("letters that are changed, put in, left out or swapped are counted", () => {
  const cases: readonly (readonly [string, string, number])[] = [
    ["", "", 0], ["a", "", 1], ["", "ab", 2], ["a", "b", 1], ["role", "role", 0], ["roel", "role", 1], ["axcess", "access", 1],
    ["attaach", "attach", 1], ["labol", "label", 1], ["bash", "base", 1], ["ab", "ba", 1], ["test", "task", 2], ["kitten", "sitting", 3],
  ];
  assert.deepEqual(cases.map(([one, other]) => [one, other, distance(one, other)]), cases);
});

test("of several words that are as near the first is taken, and case counts for nothing", () => {
  assert.deepEqual(nearest("Rolf", ["model", "role", "rolls"]), { word: "role", distance: 1 });
  assert.deepEqual(nearest("x", ["a", "b"]), { word: "a", distance: 1 });
});
