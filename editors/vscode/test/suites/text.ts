/** Buffers: opened, typed in, compared byte for byte. */

import * as assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { commands, EndOfLine, Range, Uri, window, workspace, WorkspaceEdit, type TextDocument } from "vscode";
import { file } from "./session";

export async function opened(name: string): Promise<TextDocument> {
  const document = await workspace.openTextDocument(Uri.file(file(name)));
  await window.showTextDocument(document, { preview: false });
  return document;
}

/** Types over one line of a buffer, as a person would; nothing is saved. */
export async function typeLine(document: TextDocument, line: number, text: string): Promise<void> {
  const edit = new WorkspaceEdit();
  const { start, end } = document.lineAt(line - 1).range;
  edit.replace(document.uri, new Range(start, end), text);
  assert.ok(await workspace.applyEdit(edit), `nothing could be typed in ${document.fileName}`);
}

/** The text of the buffer of a file, opened where it is not; line endings are checked with the rest. */
export async function buffer(name: string): Promise<string> {
  const document = await workspace.openTextDocument(Uri.file(file(name)));
  const ending = document.eol === EndOfLine.CRLF ? "\r\n" : "\n";
  assert.equal(document.getText().replaceAll(ending, "").search(/[\r\n]/u), -1, `${name} has two kinds of line ending`);
  return document.getText();
}

/** The text with line `line` (from 1) replaced, its ending kept. */
export function withLine(text: string, line: number, replaced: string): string {
  let count = 0;
  return text.replaceAll(/[^\n]*?(\r?\n|$)/gu, (whole, ending: string) => {
    count += 1;
    return count === line ? `${replaced}${ending}` : whole;
  });
}

export function onDisk(name: string): string {
  return readFileSync(file(name), "utf8");
}

/** The editor's own undo, in the editor of a file. */
export async function editorUndo(name: string): Promise<void> {
  await opened(name);
  await commands.executeCommand("undo");
}

/** Takes back what was typed in every buffer and closes all editors, so that no test sees another's text. */
export async function closeAll(): Promise<void> {
  for (const document of workspace.textDocuments.filter((each) => each.isDirty && ["file", "sennit-resolve"].includes(each.uri.scheme))) {
    await window.showTextDocument(document);
    await commands.executeCommand("workbench.action.files.revert");
  }
  await commands.executeCommand("workbench.action.closeAllEditors");
}
