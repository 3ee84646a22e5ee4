import assert from "node:assert/strict";
import { mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import * as path from "node:path";
import { test } from "node:test";
import { realOr } from "../src/model/real-paths.ts";

test("a linked folder is the folder that it leads to; one that is not there stays as it is named", () => {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), "real-")));
  try {
    const link = path.join(folder, "link");
    symlinkSync(folder, link);
    assert.equal(realOr(link, (one) => realpathSync.native(one)), folder);
    assert.equal(realOr("/nowhere/at/all", (one) => realpathSync.native(one)), "/nowhere/at/all");
  } finally {
    rmSync(folder, { recursive: true });
  }
});
