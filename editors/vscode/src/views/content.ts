/** `sennit:` documents: the sides of proposals, which never change, and outputs, which grow. */
import * as vscode from "vscode";
import type { Request, Sync } from "../sync.ts";
import { isFinalTask } from "../model/store.ts";
import { outputText, serverUri } from "../model/uris.ts";
import type { OutputResult, Stream } from "../protocol.ts";

export const SCHEME = "sennit";
const FOLLOW_MS = 500;
const PAGE = 1 << 20;

export class Content implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.changed.event;
  private timer: NodeJS.Timeout | undefined;
  private readonly subscription: vscode.Disposable;

  constructor(
    private readonly request: Request,
    private readonly sync: Sync,
    private readonly ready: () => Promise<void>,
  ) {
    this.subscription = sync.onDidChange(() => { this.follow(); });
  }

  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    // After a reload editors ask for their texts before the server runs.
    await this.ready();
    const output = outputText(uri);
    if (output !== undefined) {
      return this.output(output.ticket, output.task);
    }
    const { text } = await this.request("sennit/content", { uri: serverUri(uri) });
    return text;
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.subscription.dispose();
    this.changed.dispose();
  }

  private async output(ticket: string, task: string): Promise<string> {
    const read = (stream: Stream): Promise<OutputResult> => this.request("sennit/output", { ticket, task, stream, limit: PAGE });
    const out = await read("stdout");
    const errors = await read("stderr");
    const cut = out.offset > 0 ? `[${String(out.offset)} bytes before this are left out]\n` : "";
    const more = errors.total > 0 ? `\n[standard error]\n${errors.text}` : "";
    return `${cut}${out.text}${more}`;
  }

  /** While outputs of running tasks are shown they are read again, at most twice a second. */
  private follow(): void {
    if (this.timer !== undefined || this.shownOutputs().length === 0) {
      return;
    }
    this.timer = setTimeout(() => {
      this.timer = undefined;
      for (const uri of this.shownOutputs()) {
        this.changed.fire(uri);
      }
    }, FOLLOW_MS);
  }

  private readonly finished = new Set<string>();

  /** Outputs in open documents whose task runs, or has ended since the last look. */
  private shownOutputs(): readonly vscode.Uri[] {
    return vscode.workspace.textDocuments
      .map((document) => document.uri)
      .filter((uri) => {
        const named = outputText(uri);
        const task = named && this.sync.store.ticket(named.ticket)?.tasks.get(named.task);
        if (task === undefined) {
          return false;
        }
        const isNews = !this.finished.has(uri.toString());
        if (isFinalTask(task)) {
          this.finished.add(uri.toString());
        }
        return isNews;
      });
  }
}
