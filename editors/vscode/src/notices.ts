/** Everything that is said to the user, in one place, so that it is plain text and is remembered. */
import * as vscode from "vscode";
import type { Severity, ShownNotice } from "./api.ts";
import { plainLine, plainLines } from "./model/plain.ts";

const REMEMBERED = 50;
const LONGEST = 1_000;

export class Notices {
  readonly shown: ShownNotice[] = [];
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChange = this.changed.event;

  constructor(private readonly log: vscode.LogOutputChannel) {}

  info(message: string, ...buttons: string[]): Promise<string | undefined> {
    return this.show("info", message, buttons);
  }

  warning(message: string, ...buttons: string[]): Promise<string | undefined> {
    return this.show("warning", message, buttons);
  }

  error(message: string, ...buttons: string[]): Promise<string | undefined> {
    return this.show("error", message, buttons);
  }

  /** A question that has to be answered before anything goes on; undefined when it is closed. */
  async confirm(message: string, detail: string, button: string, ...more: string[]): Promise<string | undefined> {
    this.remember("warning", `${message} ${detail}`);
    return vscode.window.showWarningMessage(
      plainLine(message, LONGEST),
      { modal: true, detail: plainLines(detail).slice(0, 4 * LONGEST) },
      button,
      ...more,
    );
  }

  private async show(severity: Severity, text: string, buttons: readonly string[]): Promise<string | undefined> {
    const message = plainLine(text, LONGEST);
    this.remember(severity, message);
    return SHOWERS[severity](message, ...buttons);
  }

  private remember(severity: Severity, message: string): void {
    this.shown.push({ severity, message });
    this.shown.splice(0, this.shown.length - REMEMBERED);
    this.log[severity === "warning" ? "warn" : severity](message);
    this.changed.fire();
  }
}

const SHOWERS: Readonly<Record<Severity, (message: string, ...buttons: string[]) => Thenable<string | undefined>>> = {
  info: (message, ...buttons) => vscode.window.showInformationMessage(message, ...buttons),
  warning: (message, ...buttons) => vscode.window.showWarningMessage(message, ...buttons),
  error: (message, ...buttons) => vscode.window.showErrorMessage(message, ...buttons),
};
