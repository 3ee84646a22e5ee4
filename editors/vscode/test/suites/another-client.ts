/** What another client does to the same tickets is seen here, and can be gone on with. */

import * as assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { commands } from "vscode";
import type { ApplicationView } from "../../src/protocol";
import { accept, allNodes, did, folder, lastNotice, notice, proposalOf, ran, sennit, shell } from "./session";
import { closeAll } from "./text";

export function anotherClient(): void {
  describe("another client", () => {
    afterEach(closeAll);

    it("applies: it can be undone here", async () => {
      const ticket = await ran([shell("elsewhere", "echo elsewhere > elsewhere.txt")]);
      await accept(await proposalOf(ticket, "elsewhere"));
      await commandLine("apply", ticket);
      const undone = await did<ApplicationView>("sennit.undo", { ticket });
      assert.ok(undone.undoes);
      assert.equal(undone.state, "applied");
    });

    it("drops a ticket: it goes out of the tree, with plain words, when it is used", async () => {
      const ticket = await ran([shell("dropped", "echo d > dropped.txt")]);
      const { summary } = await proposalOf(ticket, "dropped");
      await commandLine("drop", "--confirm", ticket);
      const last = await lastNotice();
      await commands.executeCommand("sennit.apply", { ticket });
      await notice(last, /dropped, here or by another program/u);
      const ids = allNodes((await sennit()).tree()).map((each) => each.id);
      assert.ok(!ids.includes(`ticket:${ticket}`) && !ids.includes(`proposal:${summary.id}`));
    });
  });
}

async function commandLine(...words: string[]): Promise<void> {
  const program = process.env["SUITE_PROGRAM"];
  assert.ok(program, "SUITE_PROGRAM is not set");
  await promisify(execFile)(program, ["-C", folder(), ...words]);
}
