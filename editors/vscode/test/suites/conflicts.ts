/** A conflict is listed and shown with its three sides. */

import * as assert from "node:assert/strict";
import { commands, window, workspace } from "vscode";
import { node, proposalOf, ran, shell } from "./session";
import { closeAll } from "./text";
import { until } from "./until";

export function conflicts(): void {
  describe("a conflict", () => {
    afterEach(closeAll);

    it("is listed below its proposal and opens with the base and both sides", async () => {
      const ticket = await ran([
        shell("mine", "sed -i 's/^number 20$/MINE/' numbers.txt"),
        shell("yours", "sed -i -e 's/^number 20$/YOURS/' -e 's/^number 2$/ALSO/' numbers.txt"),
      ]);
      const proposal = await proposalOf(ticket, "yours");
      const conflict = proposal.conflicts?.[0];
      assert.ok(conflict);
      await node(`conflict:${proposal.summary.id}:${conflict.uri}`);
      await commands.executeCommand("sennit.showConflict", { proposal: proposal.summary.id, file: conflict.uri });
      await until("the merge editor is there", () => workspace.textDocuments.some((each) => each.uri.scheme === "sennit" && each.uri.query.includes("theirs")));
      await commands.executeCommand("merge.showBaseTop");
      const texts = await until(() => `three sides are loaded; there are ${workspace.textDocuments.filter((each) => each.uri.scheme === "sennit").map((each) => each.uri.toString()).join(", ")}`, () => {
        const sides = workspace.textDocuments.filter((each) => each.uri.scheme === "sennit" && each.uri.path.endsWith("numbers.txt"));
        return sides.length >= 3 && sides.map((each) => each.getText());
      });
      for (const wanted of ["number 20", "MINE", "YOURS"]) {
        assert.ok(texts.some((each) => each.split("\n").includes(wanted)), `no side holds ${wanted}`);
      }
      assert.match(window.tabGroups.activeTabGroup.activeTab?.label ?? "", /numbers\.txt/u);
    });
  });
}
