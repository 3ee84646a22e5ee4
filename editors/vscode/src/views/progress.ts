/** Progress of a ticket that was dispatched from this window, with a way to cancel it. */
import * as vscode from "vscode";
import { cancelTicket } from "../commands/cancel.ts";
import type { Context } from "../context.ts";
import { textOf } from "../errors.ts";
import { carriedWords } from "../model/follow.ts";
import { type Proposal, type Ticket, isFinalTask, isFinalTicket, isPending } from "../model/store.ts";
import { plainLine } from "../model/plain.ts";
import { labelOf } from "../model/tree.ts";
import { taskWords, ticketWords } from "../model/words.ts";
import { progressLocation } from "./progress-location.ts";

type Ended = "settled" | "cancelClicked";

/** Ends with the ticket. Who clicks "Cancel" is told first what would be lost. */
export async function showProgress(context: Context, ticket: string): Promise<void> {
  const location = progressLocation();
  const title = `Sennit: ${plainLine(nameOf(context, ticket), 60)}`;
  const ended = await vscode.window.withProgress({ location, title, cancellable: true }, (progress, token) =>
    untilEnded(context, ticket, progress, token),
  );
  if (ended === "settled") {
    await readRevisions(context, ticket);
    tellEnd(context, ticket);
    return;
  }
  try {
    await cancelTicket(context, { ticket });
  } catch (error) {
    void context.notices.error(`The ticket could not be cancelled: ${textOf(error)}`);
  }
  if (!isOver(context, ticket)) {
    await showProgress(context, ticket);
  }
}

const REVIEW = "Review";

/** What came of it, with the way to look at it. */
function tellEnd(context: Context, ticket: string): void {
  const known = context.sync.store.ticket(ticket);
  if (known === undefined) {
    return;
  }
  const failures = [...known.tasks.values()].flatMap((task) => (task.failure ? [`${task.id}: ${task.failure.message}`] : []));
  const pending = context.sync.store.proposalsOf(ticket).filter((one) => isPending(one.summary));
  const first = pending.find((one) => one.summary.integration === "clean") ?? pending[0];
  const message = [`${labelOf(known)}: ${ticketWords(known.summary, pending.length)}.`, ...carriedOver(pending), ...failures].join(" ");
  const isWell = known.summary.state === "completed" || known.summary.state === "cancelled";
  const buttons = first === undefined ? [] : [REVIEW];
  const clicked = isWell ? context.notices.info(message, ...buttons) : context.notices.warning(message, ...buttons);
  void clicked.then((button) => {
    if (button === REVIEW && first !== undefined) {
      void vscode.commands.executeCommand("sennit.tickets.focus");
      void vscode.commands.executeCommand("sennit.openProposal", { proposal: first.summary.id });
    }
  });
}

/** What was decided of later revisions is told, so they are read first. */
async function readRevisions(context: Context, ticket: string): Promise<void> {
  const later = context.sync.store.proposalsOf(ticket).filter((one) => (one.summary.number ?? 1) > 1);
  await Promise.all(later.map((one) => context.sync.readProposal(one.summary.id)));
}

/** Of later revisions: what of the decisions about the earlier ones counts for them. */
function carriedOver(proposals: readonly Proposal[]): readonly string[] {
  return proposals.flatMap(({ view }) => (view === undefined ? [] : (carriedWords(view) ?? [])));
}

function untilEnded(
  context: Context,
  ticket: string,
  progress: vscode.Progress<{ message?: string; increment?: number }>,
  token: vscode.CancellationToken,
): Promise<Ended> {
  return new Promise((resolve) => {
    let done = 0;
    const parts: vscode.Disposable[] = [];
    const end = (how: Ended): void => {
      vscode.Disposable.from(...parts).dispose();
      resolve(how);
    };
    const report = (): void => {
      const known = context.sync.store.ticket(ticket);
      if (known === undefined || isFinalTicket(known.summary)) {
        end("settled");
        return;
      }
      const percent = percentDone(known);
      progress.report({ message: messageOf(known), increment: percent - done });
      done = percent;
    };
    parts.push(context.sync.onDidChange(report), token.onCancellationRequested(() => { end("cancelClicked"); }));
    report();
  });
}

function isOver(context: Context, ticket: string): boolean {
  const known = context.sync.store.ticket(ticket);
  return known === undefined || known.summary.state !== "running";
}

function nameOf(context: Context, ticket: string): string {
  const known = context.sync.store.ticket(ticket);
  return known === undefined ? ticket : labelOf(known);
}

function percentDone(ticket: Ticket): number {
  const tasks = [...ticket.tasks.values()];
  return tasks.length === 0 ? 0 : Math.floor((100 * tasks.filter(isFinalTask).length) / tasks.length);
}

function messageOf(ticket: Ticket): string {
  const tasks = [...ticket.tasks.values()];
  const open = tasks.filter((task) => !isFinalTask(task));
  const first = open.find((task) => task.state !== "queued") ?? open[0];
  const words = first === undefined ? "" : `; ${plainLine(first.id)}: ${taskWords(first)}`;
  return `${String(tasks.length - open.length)} of ${String(tasks.length)} tasks done${words}`;
}
