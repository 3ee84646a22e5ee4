import assert from "node:assert/strict";
import { test } from "node:test";
import { partsOf } from "../src/model/parts.ts";

test("very many files are shown in parts, each of which says which files it shows", () => {
  const parts = partsOf(Array.from({ length: 250 }, (_, index) => index), 100);
  assert.deepEqual(parts.map((part) => part.items.length), [100, 100, 50]);
  assert.equal(parts[2]?.words, "files 201 to 250 of 250");
  assert.deepEqual(parts.flatMap((part) => part.items).length, 250);
});

test("few files are one part", () => {
  assert.equal(partsOf([1, 2], 100).length, 1);
});
