import assert from "node:assert/strict";
import { test } from "node:test";
import { judgeFirstBytes, startProcess } from "../src/server/process.ts";

const quiet = (): void => undefined;

test("the beginning of a header leaves the question open", () => {
  assert.equal(judgeFirstBytes(Buffer.from("Cont")), undefined);
});

test("a header is a header, however it is written", () => {
  assert.deepEqual(judgeFirstBytes(Buffer.from("content-length: 2\r\n\r\n{}")), { kind: "header" });
});

test("whatever else comes first is rubbish, and is quoted", () => {
  assert.deepEqual(judgeFirstBytes(Buffer.from("hello\n")), { kind: "rubbish", said: "hello\n" });
});

test("a program that cannot be started rejects with the system's reason", async () => {
  await assert.rejects(startProcess(["/does/not/exist"], quiet), /ENOENT/u);
});

test("a program's end is told with its code and its last words", async () => {
  const server = await startProcess(["sh", "-c", "echo no such luck >&2; exit 3"], quiet);
  assert.equal(await server.ended, "it ended with code 3 and wrote: no such luck");
});

test("what a program prints before any header is told at once", async () => {
  const server = await startProcess(["sh", "-c", "echo Welcome; read line"], quiet);
  assert.equal(await server.rubbish, "Welcome\n");
  await server.end(1_000);
  assert.match(await server.ended, /^it ended with code/u);
});

test("a program that stays is ended by a signal", async () => {
  const server = await startProcess(["sh", "-c", "echo x; trap '' TERM; while :; do read -r line || sleep 1; done"], quiet);
  await server.rubbish;
  await server.end(200);
  assert.equal(await server.ended, "it was ended by SIGKILL.");
});

test("servers do not start in the workspace", async () => {
  const server = await startProcess(["sh", "-c", "pwd"], quiet);
  assert.notEqual((await server.rubbish).trim(), process.cwd());
  await server.end(1_000);
});
