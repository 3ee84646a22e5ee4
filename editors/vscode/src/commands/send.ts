/** Sends a call, and shows the ticket that comes of it. */
import * as vscode from "vscode";
import type { Context } from "../context.ts";
import type { DispatchParams, DispatchResult } from "../protocol.ts";
import { NO_FOLDER } from "../server/supervisor.ts";
import { showProgress } from "../views/progress.ts";

export async function send(context: Context, call: DispatchParams): Promise<DispatchResult | undefined> {
  const defaults = await withFolder(call);
  if (defaults === undefined) {
    return undefined;
  }
  const agent = vscode.workspace.getConfiguration("sennit").get<string>("defaultAgent", "");
  const result = await context.request("sennit/dispatch", {
    ...call,
    defaults: { ...(agent === "" ? {} : { agent }), ...defaults },
  });
  await begun(context, result);
  return result;
}

/** Show a ticket that was begun from this window. */
export async function begun(context: Context, result: DispatchResult): Promise<void> {
  for (const notice of result.notices ?? []) {
    void context.notices.warning(notice.message);
  }
  await context.sync.readTicket(result.ticket);
  void showProgress(context, result.ticket);
}

/** Tasks that do not say where they work do so in the folder of the active editor. */
async function withFolder(call: DispatchParams): Promise<DispatchParams["defaults"] | undefined> {
  if (call.defaults?.cwd || call.tasks.every((task) => task.cwd)) {
    return call.defaults ?? {};
  }
  const folder = await currentFolder();
  return folder && { ...call.defaults, cwd: folder.uri.toString() };
}

export async function currentFolder(): Promise<vscode.WorkspaceFolder | undefined> {
  const folders = vscode.workspace.workspaceFolders ?? [];
  const active = vscode.window.activeTextEditor?.document.uri;
  const ofActive = active === undefined ? undefined : vscode.workspace.getWorkspaceFolder(active);
  if (ofActive !== undefined || folders.length <= 1) {
    const folder = ofActive ?? folders[0];
    if (folder === undefined) {
      throw new Error(NO_FOLDER);
    }
    return folder;
  }
  return vscode.window.showWorkspaceFolderPick({ placeHolder: "In which folder are the agents to work?" });
}
