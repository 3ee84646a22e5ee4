/** Cancelling: what would be lost is told first. */
import type { Context } from "../context.ts";
import { type Ids, readIds } from "../model/arguments.ts";
import type { CancelResult } from "../protocol.ts";
import { isUnderWay, taskOf, ticketId } from "./choosing.ts";

export async function cancelTicket(context: Context, argument: unknown): Promise<CancelResult | undefined> {
  const ids = readIds(argument);
  const ticket = await ticketId(context, ids, true);
  return ticket === undefined ? undefined : cancel(context, ticket, undefined, ids);
}

export async function cancelTask(context: Context, argument: unknown): Promise<CancelResult | undefined> {
  const ids = readIds(argument);
  const task = await taskOf(context, ids, isUnderWay, "No task is under way.");
  return task === undefined ? undefined : cancel(context, task.ticket, [task.task], ids);
}

async function cancel(context: Context, ticket: string, tasks: string[] | undefined, ids: Ids): Promise<CancelResult | undefined> {
  const call = { ticket, ...(tasks === undefined ? {} : { tasks }) };
  if (ids.force !== true && !(await isConfirmed(context, call))) {
    return undefined;
  }
  return context.request("sennit/cancel", { ...call, force: true });
}

async function isConfirmed(context: Context, call: { ticket: string; tasks?: string[] }): Promise<boolean> {
  const told = await context.request("sennit/cancel", call);
  const open = told.tasks.filter((task) => task.stopped !== "alreadyEnded");
  if (open.length === 0) {
    void context.notices.info("Nothing is under way any more; there is nothing to cancel.");
    return false;
  }
  const detail = open.map((task) => `${task.id}: ${task.keeps}`).join("\n");
  const what = open.length === 1 ? `the task ${open[0]?.id ?? ""}` : `${String(open.length)} tasks`;
  const button = open.length === 1 ? "Cancel Task" : "Cancel Tasks";
  return (await context.notices.confirm(`Cancel ${what}?`, detail, button)) === button;
}
