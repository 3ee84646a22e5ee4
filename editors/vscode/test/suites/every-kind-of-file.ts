/** Files that are not plain: line endings, no final newline, not open, new, deleted, read-only. */

import * as assert from "node:assert/strict";
import { chmodSync, existsSync } from "node:fs";
import { Uri, workspace } from "vscode";
import { HOST_FILES } from "../files";
import { file, lastNotice, notice, shell, undo, wholly } from "./session";
import { buffer, closeAll, onDisk, opened, withLine } from "./text";

const text = (name: string): string => HOST_FILES[name] ?? "";

export function everyKindOfFile(): void {
  describe("every kind of file", () => {
    afterEach(closeAll);

    it("with CRLF keeps its line endings, there and back", async () => {
      await opened("windows.txt");
      const application = await wholly(shell("crlf", "sed -i -e 's/^windows 3/WINDOWS 3/' windows.txt; printf 'one more\\r\\n' >> windows.txt"));
      assert.equal(await buffer("windows.txt"), `${withLine(text("windows.txt"), 3, "WINDOWS 3")}one more\r\n`);
      await undo(application);
      assert.equal(await buffer("windows.txt"), text("windows.txt"));
    });

    it("without a final newline gets none, there and back", async () => {
      await opened("noend.txt");
      const application = await wholly(shell("noend", "sed -i 's/^last line/LAST LINE/' noend.txt"));
      assert.equal(await buffer("noend.txt"), text("noend.txt").replace("last line", "LAST LINE"));
      await undo(application);
      assert.equal(await buffer("noend.txt"), text("noend.txt"));
    });

    it("that was not open is changed, and can be saved", async () => {
      const application = await wholly(shell("unopened", "sed -i 's/^unopened 7$/UNOPENED 7/' unopened.txt"));
      const wanted = withLine(text("unopened.txt"), 7, "UNOPENED 7");
      assert.equal(await buffer("unopened.txt"), wanted);
      await (await workspace.openTextDocument(Uri.file(file("unopened.txt")))).save();
      assert.equal(onDisk("unopened.txt"), wanted);
      await undo(application);
      assert.equal(await buffer("unopened.txt"), text("unopened.txt"));
    });

    it("that is new is there with its text, and goes by undo", async () => {
      const application = await wholly(shell("new", "mkdir -p deep/er; printf 'first\\nsecond' > deep/er/new.txt"));
      assert.equal(application.state, "applied");
      assert.equal(await buffer("deep/er/new.txt"), "first\nsecond");
      await undo(application);
      assert.equal(existsSync(file("deep/er/new.txt")), false);
    });

    it("that is deleted goes, and comes back by undo", async () => {
      const application = await wholly(shell("doomed", "echo rm doomed.txt; rm doomed.txt"));
      assert.equal(existsSync(file("doomed.txt")), false);
      await undo(application);
      assert.equal(await buffer("doomed.txt"), text("doomed.txt"));
    });

    it("that is read-only is left alone, and the user is told why and what to do", async () => {
      chmodSync(file("locked.txt"), 0o444);
      const last = await lastNotice();
      try {
        await wholly(shell("locked", "chmod u+w locked.txt; sed -i 's/^locked 2$/LOCKED 2/' locked.txt; chmod u-w locked.txt"));
        assert.equal(await buffer("locked.txt"), text("locked.txt"));
        assert.match(await notice(last, /read-only/u), /locked\.txt/u);
      } finally {
        chmodSync(file("locked.txt"), 0o644);
      }
    });
  });
}
