/** Speaking with agents at work: with which one can, and what became of what was said. */
import type { AgentView, Receipt, TaskView } from "../protocol.ts";
import { type Ticket, isFinalTask } from "./store.ts";

/** How an agent stands to what the user says: it works, it waits for it, or it cannot hear. */
export type Hearing = "works" | "waits" | "cannot";

export function hearing(ticket: Ticket, task: TaskView, agents: ReadonlyMap<string, AgentView>): Hearing {
  // Only the server that carries a ticket holds the line to its agents.
  const isReached = ticket.owned !== false && agents.get(task.agent)?.can?.steers === true;
  if (!isReached || (task.state !== "running" && task.state !== "waiting")) {
    return "cannot";
  }
  return isHeld(task) ? "waits" : "works";
}

/** Whether the user has interrupted it, and it waits for what is said next. */
export function isHeld(task: TaskView): boolean {
  return task.state === "waiting" && task.waitingFor === "user";
}

/** What became of what was said, for the person who said it. `why`: the server's own words. */
export function receiptWords(receipt: Receipt, name: string, task: TaskView | undefined, why: string | null | undefined): string {
  switch (receipt) {
    case "delivered": return `${name} was told, and goes on with it.`;
    case "queued": return `${name} is told as soon as its turn has ended.`;
    case "duplicate": return `${name} was told this already; it is not said a second time.`;
    case "notApplied": return `${name} was not told: ${why ?? whyNot(task)}`;
  }
}

function whyNot(task: TaskView | undefined): string {
  if (task !== undefined && isFinalTask(task)) {
    return `it is ${task.state}, and its agent has ended.`;
  }
  return task?.state === "queued" || task?.state === "preparing"
    ? "its agent has not started yet. Say it once it runs."
    : "its agent takes nothing any more, since it is ending.";
}
