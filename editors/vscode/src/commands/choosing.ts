/** Asks for what a command was not told: a ticket, a task, a proposal, a file, a change. */
import * as vscode from "vscode";
import { type Context, fullProposal } from "../context.ts";
import type { Ids } from "../model/arguments.ts";
import { fileDescription, filesOf, unitAt, unitDescription, unitLabel, unitOf, unitsOf } from "../model/decisions.ts";
import { plainLine } from "../model/plain.ts";
import { type Proposal, type Ticket, isFinalTask, isFinalTicket } from "../model/store.ts";
import { revisionText } from "../model/uris.ts";
import { proposalWords, taskWords, ticketWords } from "../model/words.ts";
import type { FileView, TaskView, UnitView } from "../protocol.ts";
import { progressLocation } from "../views/progress-location.ts";

interface Item<T> extends vscode.QuickPickItem {
  readonly value: T;
}

export async function choose<T>(placeHolder: string, items: readonly Item<T>[], none: string): Promise<T | undefined> {
  if (items.length === 0) {
    throw new Error(none);
  }
  return (await vscode.window.showQuickPick(items, { placeHolder }))?.value;
}

const FIRST_MS = 10_000;

/** Wait until it is known what tickets there are; in the first moments of a window nothing is. */
async function knowTickets(context: Context): Promise<void> {
  const { supervisor, sync } = context;
  if (sync.first.isKnown) {
    return;
  }
  if (supervisor.state.name === "failed" || supervisor.state.name === "stopped") {
    await sync.catchUp(); // It tells why there is no server.
    return;
  }
  const options = { location: progressLocation(), title: "Sennit: reading the tickets of this window" };
  if (!(await vscode.window.withProgress(options, () => sync.first.wait(FIRST_MS)))) {
    throw new Error("The tickets of this window are not known yet. Try again in a moment; “Sennit: Show Log” tells what the server does.");
  }
}

export function ticketId(context: Context, ids: Ids, running: boolean): Promise<string | undefined> {
  const none = running ? "No ticket is under way." : "There is no ticket yet. Dispatch a task first.";
  return ticketOf(context, ids, ({ summary }) => !running || !isFinalTicket(summary), none);
}

export async function ticketOf(context: Context, ids: Ids, fits: (ticket: Ticket) => boolean, none: string): Promise<string | undefined> {
  if (ids.ticket !== undefined) {
    return ids.ticket;
  }
  await knowTickets(context);
  const tickets = context.sync.store.tickets().filter((one) => context.sync.isShown(one) && fits(one));
  return choose(
    "Which ticket?",
    tickets.map(({ summary }) => ({
      label: plainLine(summary.label ?? summary.id),
      description: ticketWords(summary, summary.proposalsPending ?? 0),
      value: summary.id,
    })),
    none,
  );
}

export interface TaskOf {
  readonly ticket: string;
  readonly task: string;
}

export async function taskOf(context: Context, ids: Ids, fits: (task: TaskView, ticket: string) => boolean, none: string): Promise<TaskOf | undefined> {
  const { ticket, task } = ids;
  if (ticket !== undefined && task !== undefined) {
    return { ticket, task };
  }
  await knowTickets(context);
  const all = context.sync.store.tickets().filter((one) => context.sync.isShown(one));
  const tasks = all.flatMap((one) => [...one.tasks.values()].map((each) => ({ ticket: one.summary.id, each })));
  return choose(
    "Which task?",
    tasks
      .filter(({ each, ...rest }) => fits(each, rest.ticket) && (ticket === undefined || rest.ticket === ticket))
      .map(({ each, ...rest }) => ({
        label: plainLine(each.id),
        description: taskWords(each),
        value: { ticket: rest.ticket, task: each.id },
      })),
    none,
  );
}

export function isUnderWay(task: TaskView): boolean {
  return !isFinalTask(task);
}

/** The proposal that is named, that the active diff shows, or that the user picks. */
export async function proposalOf(context: Context, ids: Ids): Promise<Proposal | undefined> {
  const named = ids.proposal ?? proposalInEditor(context)?.summary.id ?? (await pickProposal(context, ids));
  return named === undefined ? undefined : fullProposal(context, named);
}

async function pickProposal(context: Context, ids: Ids): Promise<string | undefined> {
  await knowTickets(context);
  const { store } = context.sync;
  const tickets = store.tickets().filter((one) => context.sync.isShown(one) && (ids.ticket ?? one.summary.id) === one.summary.id);
  const proposals = tickets.flatMap((one) => store.proposalsOf(one.summary.id));
  return choose(
    "Which proposal?",
    proposals.map(({ summary }) => ({
      label: plainLine(summary.task),
      description: proposalWords(summary),
      value: summary.id,
    })),
    "There is no proposal yet. Dispatch a task first.",
  );
}

function proposalInEditor(context: Context): Proposal | undefined {
  const uri = vscode.window.activeTextEditor?.document.uri;
  const text = uri === undefined ? undefined : revisionText(uri);
  return text === undefined ? undefined : context.sync.store.proposalOfRevision(text.revision);
}

export async function fileOf(proposal: Proposal, ids: Ids): Promise<FileView | undefined> {
  const files = filesOf(proposal.view);
  if (ids.file !== undefined) {
    const named = files.find((file) => file.uri === ids.file || file.path === ids.file);
    if (named === undefined) {
      throw new Error(`The proposal of ${proposal.summary.task} has no file ${ids.file}.`);
    }
    return named;
  }
  return fileInEditor(proposal) ?? choose(
    "Which file?",
    files.map((file) => ({ label: plainLine(file.path), description: fileDescription(file), value: file })),
    `The proposal of ${proposal.summary.task} changes no file.`,
  );
}

/** The file that the active side of a diff shows. */
export function fileInEditor(proposal: Proposal): FileView | undefined {
  const uri = vscode.window.activeTextEditor?.document.uri;
  const text = uri === undefined ? undefined : revisionText(uri);
  if (text === undefined || text.revision !== proposal.summary.revision) {
    return undefined;
  }
  return filesOf(proposal.view).find((file) =>
    [file.uri, file.oldUri].some((one) => one && vscode.Uri.parse(one).path === text.path));
}

export async function unitIn(proposal: Proposal, ids: Ids): Promise<UnitView | undefined> {
  if (ids.unit !== undefined) {
    const unit = proposal.view === undefined ? undefined : unitOf(proposal.view, ids.unit);
    if (unit === undefined) {
      throw new Error(`The proposal of ${proposal.summary.task} has no change ${ids.unit} any more; it may have a newer revision.`);
    }
    return unit;
  }
  const file = await fileOf(proposal, ids);
  if (file === undefined) {
    return undefined;
  }
  return unitAtCursor(proposal, file) ?? choose(
    "Which change?",
    unitsOf(file).map((unit) => ({ label: unitLabel(unit, file), description: unitDescription(unit), value: unit })),
    `${file.path} has no change.`,
  );
}

function unitAtCursor(proposal: Proposal, file: FileView): UnitView | undefined {
  const editor = vscode.window.activeTextEditor;
  const text = editor === undefined ? undefined : revisionText(editor.document.uri);
  if (editor === undefined || text === undefined || fileInEditor(proposal) !== file) {
    return undefined;
  }
  return unitAt(file, editor.selection.active.line, text.side === "base" ? "base" : "proposed");
}
