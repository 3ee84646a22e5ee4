/** All that is known of a task's work, in one document. */
import * as vscode from "vscode";
import type { Context } from "../context.ts";
import { readIds } from "../model/arguments.ts";
import { detailsUri } from "../model/uris.ts";
import { taskOf } from "./choosing.ts";

export async function showDetails(context: Context, argument: unknown): Promise<void> {
  const found = await taskOf(context, readIds(argument), () => true, "There is no task yet. Dispatch one first.");
  if (found !== undefined) {
    const document = await vscode.workspace.openTextDocument(vscode.Uri.parse(detailsUri(found.ticket, found.task)));
    await vscode.window.showTextDocument(document, { preview: true });
  }
}
