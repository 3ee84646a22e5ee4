import assert from "node:assert/strict";
import { test } from "node:test";
import { type ReadPage, isWhole, keepingFiles, readFiles } from "../src/model/pages.ts";
import type { ProposalParams } from "../src/protocol.ts";
import { file, hunk, proposal, summary } from "./views.ts";

function many(count: number): ReturnType<typeof file>[] {
  return Array.from({ length: count }, (_, index) => file([hunk(`u${String(index)}`, 1)], { path: `f${String(index)}` }));
}

function serverWith(count: number, asked: ProposalParams[]): ReadPage {
  const files = many(count);
  return (params) => {
    asked.push(params);
    const from = params.offset ?? 0;
    return Promise.resolve(proposal(files.slice(from, from + (params.limit ?? 1_000)), { filesTotal: count }));
  };
}

test("every file is read, page by page, of the revision of the first page", async () => {
  const asked: ProposalParams[] = [];
  const whole = await readFiles(serverWith(2_345, asked), "p_1", Number.POSITIVE_INFINITY);
  assert.equal(whole.files?.length, 2_345);
  assert.equal(new Set(whole.files.map((one) => one.path)).size, 2_345);
  assert.deepEqual(asked.map((one) => [one.limit, one.offset, one.revision]), [[1_000, undefined, undefined], [1_000, 1_000, "r_1"], [345, 2_000, "r_1"]]);
  assert.ok(isWhole(whole));
});

test("no more than is wanted is read", async () => {
  const asked: ProposalParams[] = [];
  const some = await readFiles(serverWith(2_345, asked), "p_1", 200);
  assert.equal(some.files?.length, 200);
  assert.equal(asked.length, 1);
  assert.ok(!isWhole(some));
});

test("a server that gives less than it told is an error, and no endless reading", async () => {
  const read: ReadPage = () => Promise.resolve(proposal([], { filesTotal: 5 }));
  await assert.rejects(readFiles(read, "p_1", 10), /5 files/u);
});

test("files that a newer view of the same revision leaves out stay known", () => {
  const known = proposal(many(5));
  const files = (view: typeof known): number | undefined => keepingFiles(known, view).files?.length;
  assert.equal(files(proposal(many(2), { filesTotal: 5 })), 5);
  assert.equal(files(proposal(many(2), { summary: summary({ revision: "r_2" }) })), 2);
});
