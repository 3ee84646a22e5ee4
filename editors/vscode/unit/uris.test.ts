import assert from "node:assert/strict";
import { test } from "node:test";
import { isWithin, taskText, outputUri, revisionText, serverUri, type UriParts } from "../src/model/uris.ts";

function parts(path: string, more: Partial<UriParts> = {}): UriParts {
  return { scheme: "sennit", authority: "", path, query: "rev=r_1&side=proposed", ...more };
}

test("a query stays a query", () => {
  assert.equal(serverUri(parts("/a/b.txt")), "sennit:/a/b.txt?rev=r_1&side=proposed");
});

test("names are encoded byte for byte", () => {
  assert.equal(serverUri(parts("/a b/ü#?.txt")), "sennit:/a%20b/%C3%BC%23%3F.txt?rev=r_1&side=proposed");
});

test("bytes that are no text, which VS Code leaves encoded, are not encoded twice", () => {
  assert.equal(serverUri(parts("/a%FF.txt")), "sennit:/a%FF.txt?rev=r_1&side=proposed");
});

test("a percent sign in a name is encoded", () => {
  assert.equal(serverUri(parts("/50%25.txt")), "sennit:/50%2525.txt?rev=r_1&side=proposed");
});

test("a document tells its revision, its side and the real path", () => {
  assert.deepEqual(revisionText(parts("/a.txt")), { revision: "r_1", side: "proposed", path: "/a.txt" });
});

test("other documents are none of ours", () => {
  assert.equal(revisionText(parts("/a.txt", { scheme: "file" })), undefined);
  assert.equal(revisionText(parts("/a.txt", { query: "rev=r_1&side=left" })), undefined);
  assert.equal(revisionText(parts("/t/task/x/output", { authority: "ticket", query: "" })), undefined);
});

test("an output names its ticket and task", () => {
  const path = "/t_1/task/a-b/output";
  assert.equal(outputUri("t_1", "a-b"), `sennit://ticket${path}`);
  assert.deepEqual(taskText(parts(path, { authority: "ticket", query: "" })), { ticket: "t_1", task: "a-b", what: "output" });
});

test("a folder holds itself and what is below it, and no neighbour", () => {
  assert.ok(isWithin("/a/b", "/a/b"));
  assert.ok(isWithin("/a/b", "/a/b/"));
  assert.ok(isWithin("/a/b/c", "/a/b"));
  assert.ok(!isWithin("/a/bc", "/a/b"));
});
