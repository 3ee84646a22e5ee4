/** The server dies in the middle: the editor says so, starts it again, and what was finished is still there. */

import * as assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { Gate, isRunning } from "./gate";
import { accept, apply, dispatch, node, lastNotice, notice, proposalOf, ran, sennit, shell, taskOf } from "./session";
import { buffer, closeAll } from "./text";
import { until } from "./until";

export function killedServer(): void {
  describe("a server that is killed in the middle", () => {
    after(closeAll);

    it("is told and started again; finished proposals are there and can be applied; no program runs on", async () => {
      const api = await sennit();
      const gate = await Gate.make();
      const finished = await ran([shell("finished", "echo before the crash > finished.txt")]);
      const id = (await proposalOf(finished, "finished")).summary.id;
      const cut = await dispatch([shell("cut", gate.script("echo half > cut.txt"))]);
      const pid = await gate.reached();
      const last = await lastNotice();
      const cutShort = assert.rejects(api.request("sennit/wait", { ticket: cut, timeoutMs: 60_000 }), /server has ended before it answered/u);
      process.kill(serverProcess(), "SIGKILL");
      await cutShort;
      assert.match(await notice(last, /sennit/iu), /server/iu);
      await until("the server is started again", () => api.state.name === "running" && isThereAServer());
      await until("the program has ended with its server", () => !isRunning(pid));
      await node(`proposal:${id}`);
      await until("the cut task is told as interrupted", async () => (await taskOf(cut, "cut")).state === "interrupted");
      await accept(await proposalOf(finished, "finished"));
      await apply(finished);
      assert.equal(await buffer("finished.txt"), "before the crash\n");
    });
  });
}

function isThereAServer(): boolean {
  return servers().length > 0;
}

/** The process of the server that this extension host has started. */
export function serverProcess(): number {
  const [found] = servers();
  assert.ok(found !== undefined, "no server is running");
  return found;
}

function servers(): number[] {
  return readdirSync("/proc").filter((name) => /^\d+$/u.test(name)).map(Number).filter(isOurServer);
}

function isOurServer(pid: number): boolean {
  try {
    const parent = /^PPid:\s+(\d+)$/mu.exec(readFileSync(`/proc/${String(pid)}/status`, "utf8"))?.[1];
    return Number(parent) === process.pid && readFileSync(`/proc/${String(pid)}/cmdline`, "utf8").split("\0").includes("serve");
  } catch (error) {
    if (error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ESRCH")) {
      return false;
    }
    throw error;
  }
}
