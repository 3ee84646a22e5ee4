/** Proposals of more files than the tree shows: every one can be opened and decided. */

import * as assert from "node:assert/strict";
import { commands, TabInputTextDiff, window } from "vscode";
import type { ProposalView } from "../../src/protocol";
import { allNodes, did, lastNotice, notice, proposalOf, ran, sennit, shell } from "./session";
import { closeAll } from "./text";
import { until } from "./until";

const MANY = "mkdir many; for i in $(seq 1000 1259); do echo $i > many/f$i.txt; done";

export function manyFiles(): void {
  describe("a proposal of more files than the tree shows", () => {
    let proposal: ProposalView;

    before(async () => {
      proposal = await proposalOf(await ran([shell("many", MANY)]), "many");
    });
    after(async () => {
      await closeAll();
      await did("sennit.rejectProposal", { proposal: proposal.summary.id });
    });

    it("is opened in parts, which say what they show", async () => {
      const last = await lastNotice();
      await commands.executeCommand("sennit.openProposal", { proposal: proposal.summary.id });
      await until("a tab of its first part", () => window.tabGroups.activeTabGroup.activeTab?.label.includes("files 1 to 100 of 260"));
      await notice(last, /files 1 to 100 of 260/u);
    });

    it("opens and accepts a file that the tree does not show", async () => {
      const far = proposal.files?.[255];
      assert.ok(far !== undefined);
      await commands.executeCommand("sennit.openFile", { proposal: proposal.summary.id, file: far.uri });
      await until("the file is open", () => {
        const tab = window.tabGroups.activeTabGroup.activeTab;
        return tab?.label.includes("f1255.txt") === true || tab?.input instanceof TabInputTextDiff;
      });
      const decided = await did<ProposalView>("sennit.acceptFile", { proposal: proposal.summary.id, file: far.uri });
      assert.equal(decided.files?.[255]?.units?.[0]?.decision, "accepted");
      assert.ok(allNodes((await sennit()).tree()).every((each) => each.id !== `file:${proposal.summary.id}:${far.uri}`));
    });
  });
}
