/** Tasks that are written as a text: an untitled document, or a file that is kept and dispatched again. */
import { randomUUID } from "node:crypto";
import * as vscode from "vscode";
import type { Context } from "../context.ts";
import { type Draft, formOf, readForm, tasksOfForm } from "../model/form.ts";
import type { DispatchResult } from "../protocol.ts";
import { currentFolder, send } from "./send.ts";

/** What VS Code calls such a document. */
export const FORM_LANGUAGE = "sennit-tasks";

/** Open a form; with what is known already. */
export async function writeTasks(draft: Draft = { prompt: "" }): Promise<void> {
  const document = await vscode.workspace.openTextDocument({ language: FORM_LANGUAGE, content: formOf([draft]) });
  const editor = await vscode.window.showTextDocument(document, { preview: false });
  const end = document.lineAt(document.lineCount - 1).range.end;
  editor.selection = new vscode.Selection(end, end);
}

interface Sent {
  readonly text: string;
  readonly operationId: string;
}

/** Forms that were sent last: the same text again, after an answer that was lost, makes no second ticket. */
const failed = new WeakMap<vscode.TextDocument, Sent>();
const sending = new WeakSet<vscode.TextDocument>();

/** Dispatch the tasks of the form in the active editor. It stays until the server has taken it. */
export async function dispatchForm(context: Context): Promise<DispatchResult | undefined> {
  const document = vscode.window.activeTextEditor?.document;
  if (document?.languageId !== FORM_LANGUAGE) {
    throw new Error("The active editor shows no tasks. Open them with “Sennit: Write Tasks…”, or open a file that ends in .sennit-tasks.");
  }
  if (sending.has(document)) {
    throw new Error("These tasks are being dispatched already.");
  }
  sending.add(document);
  try {
    return await sendForm(context, document);
  } finally {
    sending.delete(document);
  }
}

async function sendForm(context: Context, document: vscode.TextDocument): Promise<DispatchResult | undefined> {
  const text = document.getText();
  const { drafts, problems, call } = readForm(text);
  if (problems.length > 0 || drafts.length === 0) {
    throw new Error(["Nothing was dispatched.", ...(problems.length > 0 ? problems : ["No task says what is to be done."])].join(" "));
  }
  const folder = await currentFolder();
  if (folder === undefined) {
    return undefined;
  }
  const before = failed.get(document);
  const operationId = before?.text === text ? before.operationId : randomUUID();
  failed.set(document, { text, operationId });
  const tasks = tasksOfForm(drafts, (path) => uriBelow(folder.uri, path).toString());
  const defaults = { cwd: folder.uri.toString(), ...call.defaults };
  const result = await send(context, { ...call, tasks, defaults, operationId });
  if (result !== undefined) {
    failed.delete(document);
    await closeTaken(context, document, text, result.ticket);
  }
  return result;
}

function uriBelow(folder: vscode.Uri, path: string): vscode.Uri {
  return path.startsWith("/") ? vscode.Uri.file(path) : vscode.Uri.joinPath(folder, path);
}

/** A file is kept; of a form without one nothing is left to be saved. */
async function closeTaken(context: Context, document: vscode.TextDocument, sent: string, ticket: string): Promise<void> {
  if (!document.isUntitled || document.isClosed) {
    return;
  }
  if (document.getText() !== sent) {
    void context.notices.warning(`The tasks were changed while ${ticket} was being dispatched, so they stay open with all their text.`);
    return;
  }
  await vscode.window.showTextDocument(document);
  await vscode.commands.executeCommand("workbench.action.revertAndCloseActiveEditor");
}
