/** What another client does to the same tickets is seen here, and can be gone on with. */

import * as assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { commands, window } from "vscode";
import type { ApplicationView, DropResult } from "../../src/protocol";
import { accept, allNodes, did, folder, lastNotice, notice, proposalOf, ran, sennit, shell } from "./session";
import { closeAll } from "./text";
import { until } from "./until";

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

    it("need not be there: where open work meets is shown, and a ticket is dropped, here too", async () => {
      const ticket = await ran([shell("meets", "echo 1 > meets.txt"), shell("too", "echo 2 > meets.txt")]);
      await commands.executeCommand("sennit.overlaps");
      await until("the pair is shown", () => {
        const text = window.activeTextEditor?.document.getText() ?? "";
        return text.includes(`meets of ${ticket}`) && text.includes("    meets.txt: ");
      });
      assert.equal((await did<DropResult>("sennit.dropTicket", { ticket, force: true })).done, true);
      const api = await sennit();
      await until("the tree has it no more", () => !api.tree().some((each) => each.id === `ticket:${ticket}`));
    });

    it("drops a ticket: it goes out of the tree at once, and what was about to be done with it is refused in plain words", async () => {
      const ticket = await ran([shell("dropped", "echo d > dropped.txt")]);
      const { summary } = await proposalOf(ticket, "dropped");
      await commandLine("drop", "--confirm", ticket);
      const api = await sennit();
      await until("the tree has neither the ticket nor its proposal", () => {
        const ids = allNodes(api.tree()).map((each) => each.id);
        return !ids.includes(`ticket:${ticket}`) && !ids.includes(`proposal:${summary.id}`);
      });
      const last = await lastNotice();
      await commands.executeCommand("sennit.apply", { ticket });
      await notice(last, /it was dropped/u);
    });
  });
}

async function commandLine(...words: string[]): Promise<void> {
  const program = process.env["SUITE_PROGRAM"];
  assert.ok(program, "SUITE_PROGRAM is not set");
  await promisify(execFile)(program, ["-C", folder(), ...words]);
}
