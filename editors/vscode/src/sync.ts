/** Fills the store: from notifications, and by reading what they do not tell. */
import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";
import { FirstReading } from "./model/first-reading.ts";
import { readFiles } from "./model/pages.ts";
import { type Ticket, Store, concerns, hasNewApplication, isFinalTicket, isPending } from "./model/store.ts";
import {
  type AgentsResult,
  type ClientRequests,
  ErrorCode,
  type ProposalChanged,
  type ProposalSummary,
  type ProposalView,
  type ServerNotifications,
  type TaskChanged,
  type TicketChanged,
  type TicketSummary,
} from "./protocol.ts";
import { codeOf, textOf } from "./errors.ts";
import { RealFolders } from "./real-folders.ts";

export type Request = <M extends keyof ClientRequests>(
  method: M,
  params: ClientRequests[M]["params"],
) => Promise<ClientRequests[M]["result"]>;

const TICKETS_READ = 50;
const PROPOSALS_READ = 200;
const FILES_READ = 200;
const AT_ONCE = 4;

export class Sync implements vscode.Disposable {
  readonly store = new Store();
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChange = this.changed.event;
  readonly first = new FirstReading();
  private readonly reading = new Map<string, Promise<void>>();
  private readonly again = new Set<string>();
  private readonly realFolders = new RealFolders();
  private readonly askedFor = new Set<string>();

  constructor(
    private readonly request: Request,
    private readonly log: vscode.LogOutputChannel,
  ) {}

  /** Listen; to be called before the first message is read. */
  listen(client: LanguageClient): void {
    const on = <M extends keyof ServerNotifications>(method: M, take: (told: ServerNotifications[M]) => void): void => {
      client.onNotification(method, take);
    };
    on("sennit/ticketChanged", (told) => { this.ticketChanged(told); });
    on("sennit/taskChanged", (told) => { this.taskChanged(told); });
    on("sennit/proposalChanged", (told) => { this.proposalChanged(told); });
    on("sennit/ticketDropped", ({ ticket }) => { this.ticketDropped(ticket); });
  }

  /** Read everything that is missing: after the start, and what was missed while there was no server. */
  async catchUp(): Promise<void> {
    try {
      await this.readMissing();
    } catch (error) {
      this.first.failed();
      throw error;
    }
    this.first.done();
    this.changed.fire();
  }

  private async readMissing(): Promise<void> {
    this.realFolders.forget();
    const tickets: TicketSummary[] = [];
    const proposals: ProposalSummary[] = [];
    let isAll = true;
    for (const folder of folders()) {
      const page = await this.request("sennit/tickets", { folder, limit: TICKETS_READ });
      isAll &&= !page.more;
      tickets.push(...page.tickets);
      proposals.push(...(await this.request("sennit/proposals", { folder, limit: PROPOSALS_READ })).proposals);
    }
    if (isAll) {
      this.forgetAllBut(new Set(tickets.map((one) => one.id)));
    }
    for (const summary of tickets) {
      this.store.ticketSummary(summary);
    }
    const stale = tickets.filter((summary) => {
      const known = this.store.ticket(summary.id);
      return known === undefined || known.readUpTo !== summary.sequence || hasNewApplication(known);
    });
    await eachAtOnce(stale, AT_ONCE, (summary) => this.readTicket(summary.id));
    for (const summary of proposals) {
      this.store.proposalSummary(summary);
    }
    await eachAtOnce(proposals.filter((one) => this.isWorthReading(one)), AT_ONCE, (one) => this.readProposal(one.id));
    this.learnAgents();
  }

  /** The catalogue; whoever asks for it keeps it for everybody. */
  async agents(): Promise<AgentsResult> {
    const listed = await this.request("sennit/agents", {});
    this.store.agentList(listed.agents);
    return listed;
  }

  /** What agents at work can is read once; one that the catalogue lacks is not asked for again and again. */
  private learnAgents(): void {
    const names = [...this.store.tickets()].flatMap((one) => [...one.tasks.values()].map((task) => task.agent));
    if (!this.store.hasUnknownAgent() || names.every((name) => this.askedFor.has(name))) {
      return;
    }
    names.forEach((name) => this.askedFor.add(name));
    void this.once("agents", async () => { await this.agents(); });
  }

  /** Whether a ticket belongs to this window. */
  isShown(ticket: Ticket): boolean {
    const folders = this.realFolders.of(vscode.workspace.workspaceFolders ?? []);
    return concerns(ticket, folders, (place) => (place.startsWith("/") ? place : vscode.Uri.parse(place).path));
  }

  /** Read a ticket; what has changed since the last time where it is known. */
  readTicket(ticket: string): Promise<void> {
    return this.once(`ticket ${ticket}`, async () => {
      const since = this.store.ticket(ticket)?.readUpTo ?? null;
      let view = await this.request("sennit/ticket", { ticket, since });
      if (since !== null && view.sequence < since) {
        // Another database than before: what is known counts no more.
        this.store.forget(ticket);
        view = await this.request("sennit/ticket", { ticket });
      }
      this.store.ticketView(view);
      this.learnAgents();
    });
  }

  /** Read the files and units of a proposal, the first of them where there are very many and no more are known. */
  readProposal(proposal: string): Promise<void> {
    return this.once(`proposal ${proposal}`, async () => {
      const known = this.store.proposal(proposal)?.view?.files?.length ?? 0;
      this.store.proposalView(await this.readFiles(proposal, Math.max(FILES_READ, known)));
    });
  }

  /** Read every file of a proposal; unlike the other readings it rejects when that fails. */
  async readWhole(proposal: string): Promise<void> {
    this.store.proposalView(await this.readFiles(proposal, Number.POSITIVE_INFINITY));
    this.touch();
  }

  private readFiles(proposal: string, most: number): Promise<ProposalView> {
    return readFiles((params) => this.request("sennit/proposal", params), proposal, most);
  }

  /** What the server answered to a decision is newer than anything that was read. */
  touch(): void {
    this.changed.fire();
  }

  dispose(): void {
    this.changed.dispose();
  }

  private ticketChanged({ ticket }: TicketChanged): void {
    const known = this.store.ticket(ticket.id);
    this.store.ticketSummary(ticket);
    // The bases and the texts of results come only with a ticket in full.
    const wasRunning = known !== undefined && !isFinalTicket(known.summary);
    const now = this.store.ticket(ticket.id);
    if (now === undefined || !this.isShown(now)) {
      return; // Of another window; it is kept as a line and not read.
    }
    if (known?.readUpTo === undefined || known.bases.length === 0 || hasNewApplication(now) || (wasRunning && isFinalTicket(ticket))) {
      void this.readTicket(ticket.id);
    }
    this.changed.fire();
  }

  private ticketDropped(ticket: string): void {
    this.store.forget(ticket);
    this.changed.fire();
  }

  private taskChanged(told: TaskChanged): void {
    this.store.taskChanged(told);
    this.learnAgents();
    this.changed.fire();
  }

  private proposalChanged({ proposal }: ProposalChanged): void {
    const before = this.store.proposal(proposal.id)?.summary;
    if (before !== undefined && before.application !== proposal.application) {
      // Somebody has applied it or taken it back, and another client's ticket tells by what.
      void this.readTicket(proposal.ticket);
    }
    this.store.proposalSummary(proposal);
    if (this.store.proposal(proposal.id)?.view !== undefined || this.isWorthReading(proposal)) {
      void this.readProposal(proposal.id);
    }
    this.changed.fire();
  }

  private forgetAllBut(kept: ReadonlySet<string>): void {
    for (const { summary } of this.store.tickets()) {
      if (!kept.has(summary.id)) {
        this.store.forget(summary.id);
      }
    }
  }

  /** Others are read when somebody opens them. */
  private isWorthReading(summary: ProposalSummary): boolean {
    const ticket = this.store.ticket(summary.ticket);
    const shown = ticket === undefined || this.isShown(ticket);
    return shown && isPending(summary) && (summary.files ?? 0) > 0;
  }

  /** Do one reading at a time for each thing; one that is asked for meanwhile is done afterwards. */
  private once(name: string, read: () => Promise<void>): Promise<void> {
    const under = this.reading.get(name);
    if (under !== undefined) {
      this.again.add(name);
      return under;
    }
    const doing = this.repeat(name, read).finally(() => this.reading.delete(name));
    this.reading.set(name, doing);
    return doing;
  }

  private async repeat(name: string, read: () => Promise<void>): Promise<void> {
    do {
      this.again.delete(name);
      try {
        await read();
      } catch (error) {
        this.notRead(name, error);
      }
    } while (this.again.has(name));
    this.changed.fire();
  }

  private notRead(name: string, error: unknown): void {
    const [kind, id] = name.split(" ");
    if (kind === "ticket" && id !== undefined && codeOf(error) === ErrorCode.UNKNOWN_TICKET) {
      this.store.forget(id);
      return;
    }
    this.log.warn(`could not read the ${name}: ${textOf(error)}`);
  }
}

function folders(): readonly string[] {
  return (vscode.workspace.workspaceFolders ?? []).map((folder) => folder.uri.toString());
}

async function eachAtOnce<T>(items: readonly T[], most: number, work: (item: T) => Promise<void>): Promise<void> {
  const left = [...items];
  const worker = async (): Promise<void> => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) {
      await work(item);
    }
  };
  await Promise.all(Array.from({ length: most }, worker));
}
