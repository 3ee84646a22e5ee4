/** What can be written at the head of a task in a form: headers, and what they hold as far as it is known. */
import * as vscode from "vscode";
import { textOf } from "../errors.ts";
import { agentChoices, classesOf } from "../model/agents.ts";
import { isInHead } from "../model/form.ts";
import { HEADERS, headerNamed } from "../model/headers.ts";
import type { Sync } from "../sync.ts";

const MOST_FILES = 500;

export class FormCompletion implements vscode.CompletionItemProvider {
  static readonly triggers = [":", " "] as const;

  constructor(
    private readonly sync: Sync,
    private readonly log: vscode.LogOutputChannel,
  ) {}

  async provideCompletionItems(document: vscode.TextDocument, position: vscode.Position): Promise<vscode.CompletionItem[]> {
    const lines = document.getText().split(/\r?\n/u);
    if (!isInHead(lines, position.line)) {
      return [];
    }
    const before = document.lineAt(position).text.slice(0, position.character);
    const [, name] = /^([a-z]+):/u.exec(before) ?? [];
    if (name === undefined) {
      return itemsOf(HEADERS.map((one) => plain(`${one.name}: `)), vscode.CompletionItemKind.Property);
    }
    return itemsOf(await this.values(name, lines), vscode.CompletionItemKind.Value);
  }

  private async values(name: string, lines: readonly string[]): Promise<readonly Value[]> {
    switch (name) {
      case "agent":
      case "role":
      case "class": return this.named(name);
      case "after": return lines.flatMap((line) => /^task:\s*(\S+)/u.exec(line)?.[1] ?? []).map(plain);
      case "attach": return files();
      default: return (headerNamed(name)?.values ?? []).map(plain);
    }
  }

  private async named(what: "agent" | "role" | "class"): Promise<readonly Value[]> {
    try {
      const listed = await this.sync.agents();
      if (what === "class") {
        return classesOf(listed).map(plain);
      }
      return agentChoices(listed)
        .filter((one) => one.problem === undefined && one.doer[what] !== undefined)
        .map((one) => ({ label: one.doer[what] ?? "", detail: one.description }));
    } catch (error) {
      // Whoever types is not to be stopped by it; dispatching tells it.
      this.log.warn(`could not list the agents: ${textOf(error)}`);
      return [];
    }
  }
}

interface Value {
  readonly label: string;
  readonly detail?: string;
}

function plain(label: string): Value {
  return { label };
}

async function files(): Promise<readonly Value[]> {
  const found = await vscode.workspace.findFiles("**/*", undefined, MOST_FILES);
  return found.map((uri) => plain(vscode.workspace.asRelativePath(uri, false)));
}

/** In this order, which VS Code would not keep by itself. */
function itemsOf(values: readonly Value[], kind: vscode.CompletionItemKind): vscode.CompletionItem[] {
  return values.map(({ label, detail }, index) => {
    const made = new vscode.CompletionItem(label, kind);
    return Object.assign(made, { sortText: String(index).padStart(4, "0") }, detail === undefined ? {} : { detail });
  });
}
