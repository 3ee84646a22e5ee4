/** What a task has done so far, as a plain folder to look around in. */
import * as vscode from "vscode";
import type { Context } from "../context.ts";
import { textOf } from "../errors.ts";
import { readIds } from "../model/arguments.ts";
import type { MaterialiseResult } from "../protocol.ts";
import { taskOf } from "./choosing.ts";

const OPEN = "Open in New Window";
const COPY = "Copy Path";

export async function materialise(context: Context, argument: unknown): Promise<MaterialiseResult | undefined> {
  const named = await taskOf(context, readIds(argument), (task) => (task.runs ?? []).length > 0, "No task has run yet.");
  if (named === undefined) {
    return undefined;
  }
  const result = await context.request("sennit/materialise", { ticket: named.ticket, task: named.task });
  context.notices.info(`The work of ${named.task} is in ${result.folder}, a copy.`, OPEN, COPY)
    .then((clicked) => opened(clicked, result.folder))
    .catch((error: unknown) => { void context.notices.error(textOf(error)); });
  return result;
}

async function opened(clicked: string | undefined, folder: string): Promise<void> {
  if (clicked === OPEN) {
    await vscode.commands.executeCommand("vscode.openFolder", vscode.Uri.file(folder), { forceNewWindow: true });
  } else if (clicked === COPY) {
    await vscode.env.clipboard.writeText(folder);
  }
}
