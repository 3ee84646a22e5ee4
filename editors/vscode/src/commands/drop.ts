/** Dropping tickets for good: what goes and what stays is told first. */
import type { Context } from "../context.ts";
import { readIds } from "../model/arguments.ts";
import { noticeLines } from "../model/remarks.ts";
import { isFinalTicket } from "../model/store.ts";
import { counted } from "../model/words.ts";
import type { DropResult } from "../protocol.ts";
import { ticketOf } from "./choosing.ts";

const DROP = "Drop for Good";

export async function dropTicket(context: Context, argument: unknown): Promise<DropResult | undefined> {
  const ids = readIds(argument);
  const ticket = await ticketOf(context, ids, ({ summary }) => isFinalTicket(summary), "No ticket has ended that could be dropped.");
  if (ticket === undefined || (ids.force !== true && !(await isConfirmed(context, ticket)))) {
    return undefined;
  }
  const result = await context.request("sennit/drop", { ids: [ticket], confirm: true });
  tellKept(context, result);
  return result;
}

async function isConfirmed(context: Context, ticket: string): Promise<boolean> {
  const told = await context.request("sennit/drop", { ids: [ticket] });
  if (told.items.length === 0) {
    tellKept(context, told);
    return false;
  }
  const detail = [
    `${counted(told.items.length, "kept thing goes", "kept things go")}: proposals, outputs and records of it. What was applied stays in your files, and cannot be undone by Sennit any more.`,
    ...noticeLines(told.kept),
  ].join("\n");
  return (await context.notices.confirm(`Drop ${ticket}?`, detail, DROP)) === DROP;
}

function tellKept(context: Context, { kept }: DropResult): void {
  for (const line of noticeLines(kept)) {
    void context.notices.warning(line);
  }
}
