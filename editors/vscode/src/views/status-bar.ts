/** One item in the status bar: what goes on, what waits, or why there is no server. */
import * as vscode from "vscode";
import { type Store, type Ticket, isFinalTask, isFinalTicket, isPending } from "../model/store.ts";
import { plainLine } from "../model/plain.ts";
import { counted } from "../model/words.ts";
import type { ClientState } from "../api.ts";

export interface Shown {
  readonly text: string;
  readonly tooltip: string;
  readonly command: string;
  readonly isBad: boolean;
}

const FOCUS = "sennit.tickets.focus";

/** What is worth a word, the most pressing first. */
export function statusOf(state: ClientState, tickets: readonly Ticket[], store: Store): Shown {
  if (state.name === "failed") {
    return { text: "$(error) Sennit", tooltip: plainLine(state.reason, 600), command: "sennit.restartServer", isBad: true };
  }
  if (state.name !== "running") {
    const tooltip = state.name === "starting" ? "The server is being started." : "The server is not running; click to start it.";
    const command = state.name === "starting" ? FOCUS : "sennit.restartServer";
    return { text: state.name === "starting" ? "$(loading~spin) Sennit" : "Sennit", tooltip, command, isBad: false };
  }
  const tasks = tickets.filter((one) => !isFinalTicket(one.summary)).flatMap((one) => [...one.tasks.values()]);
  const questions = tasks.filter((task) => task.state === "waiting").length;
  const open = tasks.filter((task) => !isFinalTask(task)).length;
  const pending = tickets.flatMap((one) => store.proposalsOf(one.summary.id)).filter((one) => isPending(one.summary)).length;
  const parts = [
    ...(questions > 0 ? [`$(question) ${counted(questions, "question", "questions")}`] : []),
    ...(open > 0 ? [`$(loading~spin) ${counted(open, "task", "tasks")}`] : []),
    ...(pending > 0 ? [`$(git-pull-request) ${String(pending)} to review`] : []),
  ];
  const text = parts.length === 0 ? "Sennit" : `Sennit ${parts.join(" ")}`;
  return { text, tooltip: `Sennit ${state.serverVersion}: show tickets`, command: FOCUS, isBad: false };
}

export class StatusBar implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem("sennit.status", vscode.StatusBarAlignment.Left);

  constructor(private readonly look: () => Shown) {
    this.item.name = "Sennit";
    this.refresh();
    this.item.show();
  }

  refresh(): void {
    const shown = this.look();
    this.item.text = shown.text;
    this.item.tooltip = shown.tooltip;
    this.item.command = shown.command;
    this.item.backgroundColor = shown.isBad ? new vscode.ThemeColor("statusBarItem.errorBackground") : undefined;
  }

  dispose(): void {
    this.item.dispose();
  }
}
