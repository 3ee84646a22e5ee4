/** A conflict is listed, shown with its three sides, settled, and taken back. */

import * as assert from "node:assert/strict";
import { Range, Uri, WorkspaceEdit, commands, window, workspace, type TextDocument } from "vscode";
import { HOST_FILES } from "../files";
import { accept, apply, did, node, proposalOf, ran, sennit, settled, shell } from "./session";
import { buffer, closeAll, withLine } from "./text";
import { until } from "./until";
import type { ProposalView } from "../../src/protocol";

const CLASH = HOST_FILES["clash.txt"] ?? "";
const BOTH = withLine(withLine(CLASH, 10, "TEN"), 11, "ELEVEN");

async function clashing(file: string, lines: readonly [number, number]): Promise<{ ticket: string; proposal: ProposalView; uri: string }> {
  const ticket = await ran([
    shell("ten", `sed -i '${String(lines[0])}s/.*/TEN/' ${file}`),
    shell("eleven", `sed -i '${String(lines[1])}s/.*/ELEVEN/' ${file}`),
  ]);
  const proposal = await proposalOf(ticket, "eleven");
  const uri = proposal.conflicts?.[0]?.uri;
  assert.ok(uri, "there is no conflict");
  return { ticket, proposal, uri };
}

/** A text that settles a conflict, or that a suggestion gives, as an editor opens it. */
function resolving({ summary }: ProposalView, file: string, more: Readonly<Record<string, string>> = {}): Thenable<TextDocument> {
  const query = new URLSearchParams({ proposal: summary.id, revision: summary.revision, file, ...more }).toString();
  return workspace.openTextDocument(Uri.from({ scheme: "sennit-resolve", path: Uri.parse(file).path, query }));
}

async function written(document: TextDocument, text: string): Promise<boolean> {
  const edit = new WorkspaceEdit();
  edit.replace(document.uri, new Range(0, 0, document.lineCount, 0), text);
  assert.ok(await workspace.applyEdit(edit));
  return document.save();
}

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

    it("is settled by a suggestion that can be looked at first, and then accepted and applied as any other", async () => {
      const { ticket, proposal, uri } = await clashing("clash.txt", [10, 11]);
      assert.equal((await resolving(proposal, uri, { suggestion: "adjacentEdits" })).getText(), BOTH);
      const ids = { proposal: proposal.summary.id, file: uri };
      const clean = await did<ProposalView>("sennit.resolveConflict", { ...ids, take: "adjacentEdits" });
      assert.equal(clean.summary.integration, "clean");
      await node(`conflict:${ids.proposal}:${uri}`, (each) => each.contextValue === "conflict-settled");
      await accept(await proposalOf(ticket, "ten"));
      await accept(await proposalOf(ticket, "eleven"));
      assert.equal((await apply(ticket)).state, "applied");
      assert.equal(await buffer("clash.txt"), BOTH);
    });

    it("is taken back, and settled by saving a text without marks; what came from an older revision is refused and kept", async () => {
      const { ticket, proposal, uri } = await clashing("kept.txt", [5, 6]);
      const ids = { proposal: proposal.summary.id, file: uri };
      await did("sennit.resolveConflict", { ...ids, take: "theirs" });
      const back = await did<ProposalView>("sennit.takeResolutionBack", ids);
      assert.equal(back.summary.integration, "conflict");
      const document = await resolving(proposal, uri);
      assert.match(document.getText(), /^<<<<<<< what is there\nTEN\nkept 6\n=======\nkept 5\nELEVEN\n>>>>>>> what is proposed$/mu);
      assert.equal(await written(document, `${document.getText()}more\n`), false, "a text with marks was taken");
      assert.ok(document.isDirty);
      assert.equal(await written(document, "mine\n"), true);
      const mine = await proposalOf(ticket, "eleven");
      assert.deepEqual([mine.summary.integration, mine.resolved?.[0]?.resolution?.take], ["clean", "text"]);
      const { ticket: next } = await (await sennit()).request("sennit/follow", { ticket, task: "eleven" });
      await settled(next);
      assert.equal(await written(document, "mine again\n"), false, "an older revision was settled");
      assert.equal(document.getText(), "mine again\n");
    });
  });
}
