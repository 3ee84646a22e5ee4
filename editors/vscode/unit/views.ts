/** Views as the server sends them, with only what a test is about. */
import type { FileView, ProposalSummary, ProposalView, TaskView, TicketSummary, TicketView, UnitView } from "../src/protocol.ts";

export function ticketSummary(more: Partial<TicketSummary> = {}): TicketSummary {
  return { id: "t_1", state: "running", sequence: 1, createdAt: "2026-01-01T00:00:00.000Z", tasks: 1, tasksFinal: 0, ...more };
}

export function ticketView(tasks: TaskView[], more: Partial<TicketView> = {}): TicketView {
  return { id: "t_1", state: "running", sequence: 1, createdAt: "2026-01-01T00:00:00.000Z", tasks, ...more };
}

export function task(more: Partial<TaskView> = {}): TaskView {
  return { id: "spelling", state: "running", agent: "command", ...more };
}

export function summary(more: Partial<ProposalSummary> = {}): ProposalSummary {
  return {
    id: "p_1",
    revision: "r_1",
    ticket: "t_1",
    task: "spelling",
    order: 0,
    integration: "clean",
    checks: "unchecked",
    review: "offered",
    application: "none",
    agent: "command",
    files: 1,
    linesAdded: 1,
    linesRemoved: 1,
    ...more,
  };
}

export function hunk(id: string, start: number, more: Partial<UnitView> = {}): UnitView {
  return {
    id,
    kind: "hunk",
    decision: "undecided",
    preselected: true,
    before: { start, count: 1 },
    after: { start, count: 1 },
    beforeText: "old\n",
    afterText: "new\n",
    ...more,
  };
}

export function file(units: UnitView[], more: Partial<FileView> = {}): FileView {
  return { path: "a.txt", uri: "file:///repo/a.txt", units, linesAdded: 1, linesRemoved: 1, ...more };
}

export function proposal(files: FileView[], more: Partial<ProposalView> = {}): ProposalView {
  return { summary: summary(), base: "b", files, filesTotal: files.length, ...more };
}
