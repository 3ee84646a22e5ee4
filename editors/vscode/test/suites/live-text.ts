/** The user goes on typing: unsaved text is part of the base, and what is typed later is kept. */

import * as assert from "node:assert/strict";
import { HOST_FILES } from "../files";
import { accept, apply, lastNotice, node, notice, proposalOf, ran, sennit, shell, unitsOf } from "./session";
import { buffer, closeAll, onDisk, opened, typeLine, withLine } from "./text";

const UNSAVED = HOST_FILES["unsaved.txt"] ?? "";
const TYPING = HOST_FILES["typing.txt"] ?? "";
const OVERLAP = HOST_FILES["overlap.txt"] ?? "";

export function liveText(): void {
  describe("text that the user types", () => {
    afterEach(closeAll);

    it("unsaved is seen by the agent, and survives beside what the agent did", async () => {
      const typed = withLine(UNSAVED, 3, "typed and not saved: ä😀");
      await typeLine(await opened("unsaved.txt"), 3, "typed and not saved: ä😀");
      const ticket = await ran([shell("reader", "cat unsaved.txt; sed -i 's/^saved 8$/SAVED 8/' unsaved.txt")]);
      const output = await (await sennit()).request("sennit/output", { ticket, task: "reader" });
      assert.equal(output.text, typed);
      await accept(await proposalOf(ticket, "reader"));
      await apply(ticket);
      assert.equal(await buffer("unsaved.txt"), withLine(typed, 8, "SAVED 8"));
      assert.equal(onDisk("unsaved.txt"), UNSAVED, "the editor must not save what the user has not saved");
    });

    it("elsewhere in the file between offer and accept is merged", async () => {
      const document = await opened("typing.txt");
      const ticket = await ran([shell("two-hunks", "sed -i -e 's/^typing 4$/TYPING 4/' -e 's/^typing 25$/TYPING 25/' typing.txt")]);
      await typeLine(document, 15, "typed after the offer");
      await accept(await proposalOf(ticket, "two-hunks"));
      const application = await apply(ticket);
      const wanted = withLine(withLine(withLine(TYPING, 4, "TYPING 4"), 15, "typed after the offer"), 25, "TYPING 25");
      assert.equal(await buffer("typing.txt"), wanted);
      assert.deepEqual(application.conflicts ?? [], []);
    });

    it("on the lines of a hunk makes a conflict of that hunk alone", async () => {
      const document = await opened("overlap.txt");
      const ticket = await ran([shell("two-hunks", "sed -i -e 's/^overlap 4$/OVERLAP 4/' -e 's/^overlap 25$/OVERLAP 25/' overlap.txt")]);
      await typeLine(document, 4, "the user's own four");
      const proposal = await proposalOf(ticket, "two-hunks");
      await accept(proposal);
      const application = await apply(ticket);
      assert.equal(await buffer("overlap.txt"), withLine(withLine(OVERLAP, 4, "the user's own four"), 25, "OVERLAP 25"));
      assert.deepEqual(application.conflicts, [unitsOf(proposal)[0]?.id]);
      assert.ok((await sennit()).notices.some((each) => /overlap\.txt/u.test(each.message)), "nobody told the user about the conflict");
    });

    it("just so needs no change; the tree says of each change whether it is applied", async () => {
      const document = await opened("same.txt");
      const ticket = await ran([shell("same", "sed -i -e 's/^same 4$/SAME 4/' -e 's/^same 25$/SAME 25/' same.txt")]);
      await typeLine(document, 4, "SAME 4");
      const proposal = await proposalOf(ticket, "same");
      await accept(proposal);
      const last = await lastNotice();
      await apply(ticket);
      await notice(last, /1 change needed nothing/u);
      await node(`unit:${unitsOf(proposal)[1]?.id ?? ""}`, (each) => / · applied/u.test(each.description));
    });

    it("in characters that take two units is counted right", async () => {
      const document = await opened("wide.txt");
      await typeLine(document, 2, "plain 😀😀 typed");
      const ticket = await ran([shell("wide", "sed -i -e 's/here/there/' -e 's/ümlaut/Ümlaut 😀/' wide.txt")]);
      await accept(await proposalOf(ticket, "wide"));
      await apply(ticket);
      assert.equal(await buffer("wide.txt"), "smile 😀 there\nplain 😀😀 typed\nÜmlaut 😀\n");
    });
  });
}
