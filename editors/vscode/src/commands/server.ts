/** The server itself: starting it again, its log, trust. */
import * as vscode from "vscode";
import type { Context } from "../context.ts";
import { readIds } from "../model/arguments.ts";
import { lostByRestart } from "../model/store.ts";
import { type Look, lookUri } from "../model/uris.ts";
import { counted, taskWords } from "../model/words.ts";
import { NO_FOLDER } from "../server/supervisor.ts";
import { currentFolder } from "./send.ts";

/** Tasks that this server carries end with it, so they are named first. */
export async function restartServer(context: Context, argument?: unknown): Promise<void> {
  const { supervisor, sync, notices } = context;
  const running = supervisor.state.name === "running" && readIds(argument).force !== true ? lostByRestart(sync.store.tickets()) : [];
  if (running.length > 0) {
    const detail = [
      "What they have not finished is lost, and they have to be dispatched again. Finished proposals are kept.",
      ...running.map((task) => `${task.id}: ${taskWords(task)}`),
    ].join("\n");
    const message = `Restart the Sennit server? ${counted(running.length, "task is", "tasks are")} interrupted by it.`;
    if ((await notices.confirm(message, detail, RESTART)) !== RESTART) {
      return;
    }
  }
  await supervisor.restart();
}

const RESTART = "Restart";

export function showLog(context: Context): void {
  context.log.show();
}

export async function refresh(context: Context): Promise<void> {
  needFolder();
  await context.sync.catchUp();
}

/** What the server says of this machine, the folder and the agents, with what to do. */
export function doctor(context: Context): Promise<void> {
  return show(context, "doctor", "check of");
}

/** Which open work changes the same files, also that of agents at work. */
export function overlaps(context: Context): Promise<void> {
  return show(context, "overlaps", "overlaps in");
}

async function show(context: Context, what: Look, words: string): Promise<void> {
  needFolder();
  await context.supervisor.whenRunning();
  const folder = await currentFolder();
  if (folder !== undefined) {
    const title = `${words} ${folder.name} at ${new Date().toLocaleTimeString()}`;
    const uri = vscode.Uri.parse(lookUri(what, folder.uri.toString(), title));
    await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri), { preview: true });
  }
}

function needFolder(): void {
  if ((vscode.workspace.workspaceFolders ?? []).length === 0) {
    throw new Error(NO_FOLDER);
  }
}

/**
 * Trust for agents: VS Code's for the workspace first, then, for files that can start programs and
 * have changed since, the server's own record.
 */
export async function trust(context: Context): Promise<void> {
  needFolder();
  if (!vscode.workspace.isTrusted) {
    await vscode.commands.executeCommand("workbench.trust.manage");
    return;
  }
  for (const folder of vscode.workspace.workspaceFolders ?? []) {
    await trustFolder(context, folder);
  }
}

async function trustFolder(context: Context, folder: vscode.WorkspaceFolder): Promise<void> {
  const name = folder.uri.fsPath;
  const { folders } = await context.request("sennit/trust", { action: "list" });
  const known = folders.find((one) => one.folder === name || one.folder === folder.uri.toString());
  if (known?.state === "trusted") {
    void context.notices.info(`Agents may run in ${name}.`);
    return;
  }
  const changed = known?.changed ?? [];
  const detail = changed.length === 0
    ? "Agents, and programs that the repository's settings name, may then run with your rights."
    : `These files can start programs and have changed since: ${changed.join(", ")}.`;
  if ((await context.notices.confirm(`Trust ${name}?`, detail, "Trust")) !== undefined) {
    await context.request("sennit/trust", { action: "grant", folder: folder.uri.toString() });
  }
}

/** What a click on a failed start offers. */
export async function tellFailure(context: Context, reason: string): Promise<void> {
  const clicked = await context.notices.error(reason, RESTART, "Show Log", "Open Settings");
  if (clicked === RESTART) {
    await restartServer(context);
  } else if (clicked === "Show Log") {
    showLog(context);
  } else if (clicked === "Open Settings") {
    await vscode.commands.executeCommand("workbench.action.openSettings", "sennit.server");
  }
}
