/** Runs the suites in VS Code's extension host; the report and the result go into a folder that the harness reads. */

import { appendFileSync, writeFileSync } from "node:fs";
import * as path from "node:path";
import Mocha from "mocha";
import { linesTo } from "./lines";
import { anotherClient } from "./suites/another-client";
import { asking } from "./suites/asking";
import { badServers } from "./suites/bad-servers";
import { conflicts } from "./suites/conflicts";
import { dispatching } from "./suites/dispatching";
import { everyKindOfFile } from "./suites/every-kind-of-file";
import { killedServer } from "./suites/killed-server";
import { liveText } from "./suites/live-text";
import { manyFiles } from "./suites/many-files";
import { reviewing } from "./suites/reviewing";
import { speaking } from "./suites/speaking";
import { threeTasks } from "./suites/three-tasks";

const TEST_MS = 240_000;

export async function run(): Promise<void> {
  const folder = process.env["SUITE_FOLDER"];
  if (folder === undefined) {
    throw new Error("SUITE_FOLDER is not set: run the suites by editors/vscode/harness/run");
  }
  const report = path.join(folder, "report.txt");
  const reporter = linesTo((line) => { appendFileSync(report, `${line}\n`); }, "host");
  const grep = process.env["SUITE_GREP"] ?? "";
  const mocha = new Mocha({ ui: "bdd", reporter, timeout: TEST_MS, ...(grep === "" ? {} : { fgrep: grep }) });
  mocha.suite.emit("pre-require", globalThis, "", mocha);
  for (const suite of [threeTasks, liveText, everyKindOfFile, reviewing, manyFiles, conflicts, dispatching, asking, speaking, anotherClient, killedServer, badServers]) {
    suite();
  }
  const { passed, failed } = await outcome(mocha);
  writeFileSync(path.join(folder, "result.json"), JSON.stringify({ passed, failed }));
  if (failed > 0) {
    throw new Error(`${String(failed)} failed`);
  }
}

function outcome(mocha: Mocha): Promise<{ passed: number; failed: number }> {
  return new Promise((resolve) => {
    const runner = mocha.run(() => {
      resolve({ passed: runner.stats?.passes ?? 0, failed: runner.stats?.failures ?? 0 });
    });
  });
}
