/** States as words for people, and as the icons and colours of VS Code. */
import type { Decision, Flag, ProposalSummary, TaskView, TicketSummary, UnitFlag } from "../protocol.ts";
import { plainLine } from "./plain.ts";
import { progressWords, usageWords } from "./progress.ts";

export interface Icon {
  readonly id: string;
  readonly color?: string;
}

const GREEN = "testing.iconPassed";
const RED = "testing.iconFailed";
const YELLOW = "list.warningForeground";

export function ticketWords(summary: TicketSummary, pending: number): string {
  const tasks = summary.tasks ?? 0;
  const done = summary.tasksFinal ?? 0;
  const parts: string[] = [summary.state === "partial" ? "partly completed" : summary.state];
  if (done < tasks) {
    parts.push(`${String(done)} of ${String(tasks)} tasks done`);
  }
  if (pending > 0) {
    parts.push(`${String(pending)} to review`);
  }
  return parts.join(" · ");
}

export function ticketIcon(summary: TicketSummary): Icon {
  switch (summary.state) {
    case "running": return { id: "loading~spin" };
    case "cancelling": return { id: "loading~spin", color: YELLOW };
    case "completed": return { id: "pass", color: GREEN };
    case "partial": return { id: "warning", color: YELLOW };
    case "failed": return { id: "error", color: RED };
    case "cancelled":
    case "interrupted": return { id: "circle-slash" };
  }
}

export function taskWords(task: TaskView): string {
  const parts = [stateWords(task), ...workWords(task)];
  if (task.failure) {
    parts.push(plainLine(task.failure.message, 120));
  }
  parts.push(...(task.flags ?? []).map(flagWords));
  return parts.join(" · ");
}

function stateWords(task: TaskView): string {
  if (task.state === "queued") {
    return task.queuedFor ? QUEUED[task.queuedFor] : "queued";
  }
  if (task.state === "waiting") {
    return task.waitingFor ? WAITS[task.waitingFor] : WAITS.answer;
  }
  return task.state;
}

const QUEUED = {
  slot: "queued",
  dependency: "queued for a dependency",
  retry: "queued for a retry",
  provider: "queued for its provider",
  model: "queued for its model",
  agent: "queued for its agent",
};

const WAITS = {
  answer: "waits for an answer",
  permission: "waits for your permission",
  user: "interrupted, waits for what you say",
} as const;

function workWords(task: TaskView): readonly string[] {
  const progress = task.progress;
  if (progress && (task.state === "running" || task.state === "preparing")) {
    return progressWords(progress);
  }
  return usageWords(task.runs?.at(-1)?.usage);
}

export function taskIcon(task: TaskView): Icon {
  switch (task.state) {
    case "queued": return { id: "clock" };
    case "preparing":
    case "running": return { id: "loading~spin" };
    case "waiting": return { id: "question", color: YELLOW };
    case "completed": return { id: "pass", color: GREEN };
    case "partial": return { id: "warning", color: YELLOW };
    case "failed": return { id: "error", color: RED };
    case "cancelled":
    case "interrupted":
    case "skipped":
    case "blocked": return { id: "circle-slash" };
  }
}

export function proposalWords(summary: ProposalSummary): string {
  const number = summary.number ?? 1;
  const parts = [
    ...(number > 1 ? [`revision ${String(number)}`] : []),
    counted(summary.files ?? 0, "file", "files"),
    lineCounts(summary.linesAdded ?? 0, summary.linesRemoved ?? 0),
    proposalState(summary),
    ...(summary.flags ?? []).map(flagWords),
  ];
  return parts.join(" · ");
}

/** The one word that matters most: what became of it, else what was decided, else how it fits. */
export function proposalState(summary: ProposalSummary): string {
  if (summary.application !== "none") {
    return APPLICATIONS[summary.application];
  }
  if (summary.review !== "offered") {
    return summary.review === "partlyAccepted" ? "partly accepted" : summary.review;
  }
  return INTEGRATIONS[summary.integration];
}

const APPLICATIONS = {
  none: "",
  applying: "is being applied",
  applied: "applied",
  partlyApplied: "partly applied",
  unknown: "applied, outcome unknown",
  failed: "could not be applied",
  undone: "undone",
} as const;

const INTEGRATIONS = {
  pending: "is being merged",
  clean: "to review",
  noChanges: "no changes",
  alreadyPresent: "already present",
  conflict: "conflict",
  failed: "could not be merged",
  discarded: "discarded",
  retained: "kept from a run that did not complete",
} as const;

export function proposalIcon(summary: ProposalSummary): Icon {
  if (summary.application === "applied") {
    return { id: "pass-filled", color: GREEN };
  }
  if (summary.application === "undone") {
    return { id: "discard" };
  }
  if (summary.review === "rejected") {
    return { id: "close", color: RED };
  }
  if (summary.integration === "conflict" || summary.application === "partlyApplied" || summary.application === "unknown") {
    return { id: "warning", color: YELLOW };
  }
  return summary.review === "offered" ? { id: "git-pull-request" } : { id: "check", color: GREEN };
}

export function decisionIcon(decision: Decision | "mixed"): Icon {
  switch (decision) {
    case "accepted": return { id: "check", color: GREEN };
    case "rejected": return { id: "close", color: RED };
    case "mixed": return { id: "check", color: YELLOW };
    case "undecided": return { id: "circle-large-outline" };
  }
}

const FLAGS: Readonly<Record<Flag, string>> = {
  quarantined: "quarantined: a process of it could not be ended",
  recovered: "recovered",
  stale: "stale",
  sourceDrift: "your files changed meanwhile",
  cleanupIssue: "not all was cleaned up",
  headMoved: "HEAD has moved",
  unchanged: "changed nothing",
  outputTruncated: "output cut",
};

function flagWords(flag: Flag): string {
  return FLAGS[flag];
}

const UNIT_FLAGS: Readonly<Record<UnitFlag, string>> = {
  uncertain: "merges differ on it",
  outsideWrites: "outside the announced paths",
  deletion: "deletes a file",
  modeChange: "changes a mode",
  newExecutable: "makes a file executable",
  linkOutOfTree: "links out of the tree",
  veryLarge: "very large",
  sensitive: "sensitive file",
  unportableName: "name that other systems cannot hold",
  generated: "generated file",
};

export function unitFlagWords(flag: UnitFlag): string {
  return UNIT_FLAGS[flag];
}

export function counted(number: number, one: string, many: string): string {
  return `${String(number)} ${number === 1 ? one : many}`;
}

export function lineCounts(added: number, removed: number): string {
  return `+${String(added)} −${String(removed)}`;
}
