/** What is known of tickets and proposals: views come in, the last word on each counts. */
import type {
  AgentView,
  ApplicationSummary,
  ManifestView,
  Notice,
  ProposalSummary,
  ProposalView,
  TaskChanged,
  TaskView,
  TicketSummary,
  TicketView,
} from "../protocol.ts";
import { keepingFiles } from "./pages.ts";
import { isWithin } from "./uris.ts";

export interface Ticket {
  readonly summary: TicketSummary;
  readonly tasks: ReadonlyMap<string, TaskView>;
  readonly bases: readonly ManifestView[];
  readonly notices: readonly Notice[];
  /** Oldest first. */
  readonly applications: readonly ApplicationSummary[];
  /** Whether the server of this window carries it; undefined before it was read in full. */
  readonly owned: boolean | undefined;
  /** Up to which sequence number all of it is known; undefined before it was read in full. */
  readonly readUpTo: number | undefined;
}

export interface Proposal {
  readonly summary: ProposalSummary;
  /** The newest view that was read; it may be of an older sequence than the summary. */
  readonly view: ProposalView | undefined;
}

export class Store {
  private readonly ticketMap = new Map<string, Ticket>();
  private readonly proposalMap = new Map<string, Proposal>();
  /** The catalogue as it was read last, by name. */
  agents: ReadonlyMap<string, AgentView> = new Map();

  /** Newest first. */
  tickets(): readonly Ticket[] {
    return [...this.ticketMap.values()].sort((one, other) => newestFirst(one.summary, other.summary));
  }

  ticket(id: string): Ticket | undefined {
    return this.ticketMap.get(id);
  }

  proposal(id: string): Proposal | undefined {
    return this.proposalMap.get(id);
  }

  /** In the order in which they go together. */
  proposalsOf(ticket: string): readonly Proposal[] {
    return this.proposals()
      .filter((one) => one.summary.ticket === ticket)
      .sort((one, other) => one.summary.order - other.summary.order);
  }

  proposals(): readonly Proposal[] {
    return [...this.proposalMap.values()];
  }

  proposalOfRevision(revision: string): Proposal | undefined {
    return this.proposals().find((one) => one.summary.revision === revision);
  }

  /** The file of a unit, as far as its proposal was read. */
  pathOfUnit(unit: string): string | undefined {
    const files = this.proposals().flatMap((one) => one.view?.files ?? []);
    return files.find((file) => (file.units ?? []).some((one) => one.id === unit))?.path;
  }

  ticketSummary(summary: TicketSummary): void {
    const known = this.ticketMap.get(summary.id);
    this.ticketMap.set(summary.id, { ...(known ?? EMPTY), summary });
  }

  /** A ticket in full, or the tasks that have changed since what is known. */
  ticketView(view: TicketView): void {
    const known = this.ticketMap.get(view.id) ?? EMPTY;
    const tasks = new Map(known.tasks);
    for (const task of view.tasks ?? []) {
      tasks.set(task.id, task);
    }
    const summary = summaryOf(view, tasks, known === EMPTY ? undefined : this.ticketMap.get(view.id)?.summary);
    this.ticketMap.set(view.id, {
      summary,
      tasks,
      bases: view.bases ?? known.bases,
      notices: view.notices ?? known.notices,
      applications: view.applications ?? known.applications,
      owned: view.owned ?? known.owned,
      readUpTo: view.sequence,
    });
  }

  taskChanged(changed: TaskChanged): void {
    const known = this.ticketMap.get(changed.ticket);
    if (known === undefined) {
      return; // Its ticket follows, and is then read in full.
    }
    const before = known.tasks.get(changed.task.id);
    const tasks = new Map(known.tasks);
    // The text of the result comes only with a ticket in full.
    tasks.set(changed.task.id, { ...changed.task, resultText: changed.task.resultText ?? before?.resultText ?? null });
    this.ticketMap.set(changed.ticket, { ...known, tasks });
  }

  proposalSummary(summary: ProposalSummary): void {
    const known = this.proposalMap.get(summary.id);
    if (!isOvertaken(summary, known?.summary)) {
      this.proposalMap.set(summary.id, { summary, view: known?.view });
    }
  }

  /** An answer may come after news that are newer. */
  proposalView(view: ProposalView): void {
    const known = this.proposalMap.get(view.summary.id);
    if (isOvertaken(view.summary, known?.view?.summary)) {
      return;
    }
    const summary = known !== undefined && isOvertaken(view.summary, known.summary) ? known.summary : view.summary;
    this.proposalMap.set(view.summary.id, { summary, view: keepingFiles(known?.view, view) });
  }

  agentList(agents: readonly AgentView[]): void {
    this.agents = new Map(agents.map((agent) => [agent.name, agent]));
  }

  /** Whether a task is under way of whose agent it is not known what it can. */
  hasUnknownAgent(): boolean {
    return this.tickets()
      .filter((ticket) => !isFinalTicket(ticket.summary))
      .some((ticket) => [...ticket.tasks.values()].some((task) => !isFinalTask(task) && !this.agents.has(task.agent)));
  }

  /** What the server no longer has. */
  forget(ticket: string): void {
    this.ticketMap.delete(ticket);
    for (const proposal of this.proposalsOf(ticket)) {
      this.proposalMap.delete(proposal.summary.id);
    }
  }

  forgetProposal(proposal: string): void {
    this.proposalMap.delete(proposal);
  }
}

const EMPTY: Omit<Ticket, "summary"> = { tasks: new Map(), bases: [], notices: [], applications: [], owned: undefined, readUpTo: undefined };

function isOvertaken(one: ProposalSummary, known: ProposalSummary | undefined): boolean {
  return (one.sequence ?? 0) < (known?.sequence ?? 0);
}

function newestFirst(one: TicketSummary, other: TicketSummary): number {
  // By the clock only where a server tells nothing better: clocks are set back.
  return (other.made ?? 0) - (one.made ?? 0)
    || other.createdAt.localeCompare(one.createdAt)
    || other.id.localeCompare(one.id);
}

function orNull<Told>(told: Told | null | undefined): Told | null {
  return told ?? null;
}

function summaryOf(
  view: TicketView,
  tasks: ReadonlyMap<string, TaskView>,
  known: TicketSummary | undefined,
): TicketSummary {
  return {
    id: view.id,
    state: view.state,
    sequence: view.sequence,
    createdAt: view.createdAt,
    made: orNull(view.made),
    endedAt: orNull(view.endedAt),
    label: view.label ?? known?.label ?? null,
    tasks: tasks.size,
    tasksFinal: [...tasks.values()].filter((task) => isFinalTask(task)).length,
    proposalsPending: known?.proposalsPending ?? null,
    repositories: known?.repositories ?? null,
    lastApplication: known?.lastApplication ?? null,
  };
}

const FINAL_TASKS: ReadonlySet<string> = new Set([
  "completed", "partial", "failed", "cancelled", "interrupted", "skipped", "blocked",
]);

export function isFinalTask(task: Pick<TaskView, "state">): boolean {
  return FINAL_TASKS.has(task.state);
}

export function isFinalTicket(ticket: Pick<TicketSummary, "state">): boolean {
  return ticket.state !== "running" && ticket.state !== "cancelling";
}

const UNDOABLE: ReadonlySet<string> = new Set(["applied", "partlyApplied", "unknown"]);

/** What takes another back is not offered itself: a second "undo" would bring the change back. */
export function isUndoable(application: ApplicationSummary): boolean {
  return UNDOABLE.has(application.state) && application.target !== "patch" && !application.undoes && !application.undoneBy;
}

/** Tasks under way that end with the server of this window; those of another one go on. */
export function lostByRestart(tickets: readonly Ticket[]): readonly TaskView[] {
  return tickets
    .filter((ticket) => ticket.owned !== false && !isFinalTicket(ticket.summary))
    .flatMap((ticket) => [...ticket.tasks.values()].filter((task) => !isFinalTask(task)));
}

/** Whether something was applied or taken back of which the ticket as it was read tells nothing. */
export function hasNewApplication(ticket: Ticket): boolean {
  const last = ticket.summary.lastApplication;
  const known = ticket.applications.find((one) => one.id === last?.id);
  return Boolean(last) && (known?.state !== last?.state || (known?.undoneBy ?? null) !== (last?.undoneBy ?? null));
}

/** Whether somebody still has to decide about it, or to apply it. */
export function isPending(summary: ProposalSummary): boolean {
  const nothing = summary.integration === "noChanges" || summary.integration === "alreadyPresent";
  const ended = summary.integration === "discarded" || summary.integration === "failed";
  const applied = summary.application === "applied" || summary.application === "applying";
  return !nothing && !ended && !applied && summary.review !== "rejected";
}

/** Whether a ticket is about one of these folders; folders are paths of URIs. */
export function concerns(ticket: Ticket, folders: readonly string[], pathOf: (uri: string) => string): boolean {
  const bases = [...(ticket.summary.repositories ?? []), ...ticket.bases.map((base) => base.repository)];
  const folderOfTasks = [...ticket.tasks.values()].flatMap((task) => task.cwd ?? []);
  const places = [...bases, ...folderOfTasks].map(pathOf);
  return places.length === 0 || places.some((place) => folders.some((folder) => meet(place, folder)));
}

function meet(one: string, other: string): boolean {
  return isWithin(one, other) || isWithin(other, one);
}
