/** `sennit:` documents: the sides of proposals, which never change, and outputs, which grow. */
import * as vscode from "vscode";
import type { Request, Sync } from "../sync.ts";
import { isFinalTask } from "../model/store.ts";
import { detailsText } from "../model/details.ts";
import { doctorText } from "../model/doctor.ts";
import { overlapsText } from "../model/overlaps.ts";
import { type TaskText, lookText, serverUri, sinceText, taskText } from "../model/uris.ts";
import type { OutputResult, Stream } from "../protocol.ts";

export const SCHEME = "sennit";
const FOLLOW_MS = 500;
const PAGE = 1 << 20;
const MOST_EVENTS = 10_000;

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
    const named = taskText(uri);
    if (named !== undefined) {
      return named.what === "output" ? this.output(named) : this.details(named);
    }
    const since = sinceText(uri);
    if (since !== undefined) {
      return this.since(since.proposal, since.revision);
    }
    const look = lookText(uri);
    if (look !== undefined) {
      return look.what === "doctor" ? this.doctor(look.folder) : this.overlaps(look.folder);
    }
    const { text } = await this.request("sennit/content", { uri: serverUri(uri) });
    return text;
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.subscription.dispose();
    this.changed.dispose();
  }

  private async output({ ticket, task }: TaskText): Promise<string> {
    const read = (stream: Stream): Promise<OutputResult> => this.request("sennit/output", { ticket, task, stream, limit: PAGE });
    const out = await read("stdout");
    const errors = await read("stderr");
    const cut = out.offset > 0 ? `[${String(out.offset)} bytes before this are left out]\n` : "";
    const more = errors.total > 0 ? `\n[standard error]\n${errors.text}` : "";
    return `${cut}${out.text}${more}`;
  }

  private async details({ ticket, task }: TaskText): Promise<string> {
    const whole = await this.request("sennit/ticket", { ticket });
    const view = (whole.tasks ?? []).find((one) => one.id === task);
    if (view === undefined) {
      throw new Error(`The ticket ${ticket} has no task ${task}.`);
    }
    const hasRun = (view.runs ?? []).length > 0;
    const run = hasRun ? await this.request("sennit/run", { ticket, task }) : undefined;
    const proposal = view.proposal ? await this.request("sennit/proposal", { proposal: view.proposal, revision: view.revision ?? null, limit: 1 }) : undefined;
    const story = await this.request("sennit/story", { ticket, limit: MOST_EVENTS });
    // What happened to the ticket as a whole, such as that the user's files changed, concerns each task.
    const events = story.events.filter((event) => !event.task || event.task === task);
    return detailsText({ ticket: whole, task: view, proposal, run, events });
  }

  private async doctor(cwd: string): Promise<string> {
    const { lines } = await this.request("sennit/doctor", { cwd });
    return doctorText(lines, await this.sync.agents());
  }

  private async overlaps(folder: string): Promise<string> {
    return overlapsText(await this.request("sennit/overlaps", { folder, running: true }));
  }

  private async since(proposal: string, revision: string): Promise<string> {
    const { patch } = await this.request("sennit/proposal", { proposal, format: "patch", against: revision });
    return patch ?? "The difference cannot be shown as a text.\n";
  }

  /** While texts of running tasks are shown they are read again, at most twice a second. */
  private follow(): void {
    if (this.timer !== undefined || this.shownTexts().length === 0) {
      return;
    }
    this.timer = setTimeout(() => {
      this.timer = undefined;
      for (const uri of this.shownTexts()) {
        this.changed.fire(uri);
      }
    }, FOLLOW_MS);
  }

  private readonly finished = new Set<string>();

  /** Open documents whose task runs, or has ended since the last look. */
  private shownTexts(): readonly vscode.Uri[] {
    return vscode.workspace.textDocuments
      .map((document) => document.uri)
      .filter((uri) => {
        const named = taskText(uri);
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
