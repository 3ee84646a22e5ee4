/** Looking at proposals: the multi-diff editor, one file, accept and reject by hunk, file and proposal. */

import * as assert from "node:assert/strict";
import { type CodeLens, commands, TabInputTextDiff, window, workspace } from "vscode";
import { HOST_FILES } from "../files";
import { did, node, proposalOf, ran, settled, shell, taskOf, unitsOf } from "./session";
import { closeAll, opened, withLine } from "./text";
import { until } from "./until";
import type { ProposalView } from "../../src/protocol";

const REVIEW = HOST_FILES["review.txt"] ?? "";
const CHANGE = "sed -i -e 's/^review 3$/REVIEW 3/' -e 's/^review 35$/REVIEW 35/' review.txt; echo made > made.txt; rm kept.txt";

export function reviewing(): void {
  describe("reviewing a proposal", () => {
    let ticket: string;
    let proposal: ProposalView;

    before(async () => {
      ticket = await ran([shell("wide-change", CHANGE)], { label: "to review" });
      proposal = await proposalOf(ticket, "wide-change");
    });
    afterEach(closeAll);

    it("opens all its files in one multi-diff editor, with their texts", async () => {
      await commands.executeCommand("sennit.openProposal", { proposal: proposal.summary.id });
      const tab = await until("a tab of the proposal", () => window.tabGroups.activeTabGroup.activeTab);
      assert.match(tab.label, /wide-change/u);
      const proposed = await until("the proposed text is loaded", () =>
        workspace.textDocuments.find((each) => each.uri.scheme === "sennit" && each.uri.query.includes("proposed") && each.uri.path.endsWith("review.txt")));
      assert.equal(proposed.getText(), withLine(withLine(REVIEW, 3, "REVIEW 3"), 35, "REVIEW 35"));
    });

    it("opens one file of it as a diff", async () => {
      const file = proposal.files?.find((each) => each.path === "review.txt");
      await commands.executeCommand("sennit.openFile", { proposal: proposal.summary.id, file: file?.uri });
      const input = await until("a diff", () => {
        const found = window.tabGroups.activeTabGroup.activeTab?.input;
        return found instanceof TabInputTextDiff && found;
      });
      assert.deepEqual([input.original.path, input.modified.path].map((path) => path.endsWith("/review.txt")), [true, true]);
    });

    it("accepts and rejects by hunk, by file and as a whole; the tree follows", async () => {
      const id = proposal.summary.id;
      const made = proposal.files?.find((each) => each.path === "made.txt");
      const first = unitsOf(proposal).find((unit) => unit.kind === "hunk");
      assert.ok(first !== undefined && made !== undefined);
      await did("sennit.acceptUnit", { proposal: id, unit: first.id });
      await node(`unit:${first.id}`, (each) => each.contextValue === "unit-accepted");
      await did("sennit.rejectFile", { proposal: id, file: made.uri });
      await node(`file:${id}:${made.uri}`, (each) => each.contextValue === "file-rejected");
      await did("sennit.rejectProposal", { proposal: id });
      await node(`proposal:${id}`, (each) => each.contextValue === "proposal-rejected");
      await did("sennit.acceptFile", { proposal: id, file: made.uri });
      await node(`file:${id}:${made.uri}`, (each) => each.contextValue === "file-accepted");
      await did("sennit.acceptProposal", { proposal: id });
      await node(`proposal:${id}`, (each) => each.contextValue === "proposal-accepted");
      await did("sennit.rejectProposal", { proposal: id });
    });

    it("opens what the program wrote", async () => {
      const talking = await ran([shell("talker", "echo 'a line with `code` and [a link](command:x)'; echo x > talk.txt")]);
      await settled(talking);
      await commands.executeCommand("sennit.showOutput", { ticket: talking, task: "talker" });
      const shown = await until("the output is shown", () => {
        const document = window.activeTextEditor?.document;
        return document?.getText().includes("a line with") === true && document;
      });
      assert.match(shown.getText(), /a line with `code` and \[a link\]\(command:x\)/u);
      assert.equal((await taskOf(talking, "talker")).state, "completed");
    });

    it("is named above the text that it would change, by a line that opens it and decides nothing", async () => {
      const other = await ran([shell("small-change", "sed -i 's/^review 9$/REVIEW 9/' review.txt")]);
      await proposalOf(other, "small-change");
      const { uri } = await opened("review.txt");
      const lenses = await until("there are lines", async () => {
        const found = await commands.executeCommand<CodeLens[]>("vscode.executeCodeLensProvider", uri, 10);
        return found.length > 0 && found;
      });
      const shown = lenses.map((each) => [each.command?.title, each.command?.command]);
      assert.deepEqual(shown, [["Sennit, small-change: 1 change", "sennit.server.open"]]);
    });

    it("shows an open file beside it unchanged until it is applied", async () => {
      assert.equal((await opened("review.txt")).getText(), REVIEW);
    });
  });
}
