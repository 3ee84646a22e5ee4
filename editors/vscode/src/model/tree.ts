/** The tree of tickets as values: made anew from the store, without anything of VS Code. */
import type { ConflictView, FileView, ProposalView, TaskView, UnitView } from "../protocol.ts";
import { fileDescription, filesOf, flagsInWords, jointDecision, unitDescription, unitLabel, unitsOf } from "./decisions.ts";
import { plainLine } from "./plain.ts";
import { carriedWords } from "./follow.ts";
import { baseLines, noticeLines, notesCounted } from "./remarks.ts";
import { resolutionWords } from "./resolving.ts";
import { hearing } from "./speaking.ts";
import { type Proposal, type Store, type Ticket, isFinalTicket, isPending } from "./store.ts";
import { followedNode, taskContext, taskTooltip, waitingNodes } from "./task-lines.ts";
import { LEAF, type TreeNode } from "./tree-node.ts";
import {
  decisionIcon,
  proposalIcon,
  proposalState,
  proposalWords,
  taskIcon,
  taskWords,
  ticketIcon,
  ticketWords,
  counted,
} from "./words.ts";

/** Files of a proposal that are lines of the tree; the others are counted. */
const FILES_SHOWN = 200;

/** Every ticket that `shown` lets through, newest first. */
export function treeOf(store: Store, shown: (ticket: Ticket) => boolean): readonly TreeNode[] {
  return store.tickets().filter(shown).map((ticket) => ticketNode(store, ticket));
}

function ticketNode(store: Store, ticket: Ticket): TreeNode {
  const { summary } = ticket;
  const pending = store.proposalsOf(summary.id).filter((one) => isPending(one.summary)).length;
  const running = !isFinalTicket(summary);
  const label = labelOf(ticket);
  return {
    ...LEAF,
    id: `ticket:${summary.id}`,
    kind: "ticket",
    label: plainLine(label, 80),
    description: ticketWords(summary, pending),
    tooltip: [`${label} (${summary.id})`, `started ${summary.createdAt}`, ...noticeLines(ticket.notices), ...ticket.bases.flatMap(baseLines)].join("\n"),
    contextValue: running ? "ticket-running" : pending > 0 ? "ticket-pending" : "ticket-final",
    icon: ticketIcon(summary),
    state: running || pending > 0 ? "expanded" : "collapsed",
    children: [...ticket.tasks.values()].map((task) => taskNode(store, ticket, task)),
    ids: { ticket: summary.id },
  };
}

/** What a ticket without a label is called. */
export function labelOf(ticket: Ticket): string {
  const [first, ...more] = ticket.tasks.keys();
  const name = ticket.summary.label ?? first ?? ticket.summary.id;
  return ticket.summary.label || more.length === 0 ? name : `${name} and ${String(more.length)} more`;
}

function taskNode(store: Store, of: Ticket, task: TaskView): TreeNode {
  const ticket = of.summary.id;
  const named = task.proposal ? store.proposal(task.proposal) : undefined;
  // A follow-up takes the proposal along, so that it stands below one task only.
  const proposal = named?.summary.ticket === ticket && named.summary.task === task.id ? named : undefined;
  const heard = hearing(of, task, store.agents);
  const children = [
    ...waitingNodes(ticket, task, heard),
    ...(proposal === undefined ? [] : [proposalNode(proposal)]),
    ...followers(store, of, task),
  ];
  return {
    ...LEAF,
    id: `task:${ticket}/${task.id}`,
    kind: "task",
    label: plainLine(task.id),
    description: plainLine([taskWords(task), ...notesCounted(task.notices), ...(task.description ? [task.description] : [])].join(" · ")),
    tooltip: taskTooltip(task),
    contextValue: taskContext(task, heard),
    icon: taskIcon(task),
    state: children.length === 0 ? "leaf" : "expanded",
    children,
    ids: { ticket, task: task.id },
    command: children.length === 0 && (task.runs ?? []).length > 0 ? "sennit.showOutput" : undefined,
  };
}

function followers(store: Store, of: Ticket, task: TaskView): readonly TreeNode[] {
  const ticket = of.summary.id;
  if (!task.followedBy) {
    return [];
  }
  if (task.followedBy === ticket) {
    // A conflict was given back to its agent, in the same ticket.
    const again = [...of.tasks.values()].find((one) => one.following?.ticket === ticket && one.following.task === task.id);
    return [followedNode(ticket, task, { label: "done again", description: again === undefined ? "" : `as ${again.id}`, ticket, task: again?.id ?? task.id })];
  }
  const by = store.ticket(task.followedBy);
  const name = by === undefined ? task.followedBy : labelOf(by);
  return [followedNode(ticket, task, { label: "followed up", description: `in ${name}`, ticket: task.followedBy, task: task.id })];
}

function proposalNode(proposal: Proposal): TreeNode {
  const { summary, view } = proposal;
  const conflicts = [
    ...(view?.conflicts ?? []).map((one) => conflictNode(summary.id, one)),
    ...(view?.resolved ?? []).map((one) => settledNode(summary.id, one)),
  ];
  const files = filesOf(view).slice(0, FILES_SHOWN).map((file) => fileNode(summary.id, file));
  const hasFiles = (summary.files ?? 0) > 0;
  return {
    ...LEAF,
    id: `proposal:${summary.id}`,
    kind: "proposal",
    label: "proposal",
    description: [proposalWords(summary), ...notesCounted(view?.notices)].join(" · "),
    tooltip: [`${summary.task} by ${summary.agent}: ${proposalState(summary)}`, ...carried(view), ...notices(view)].join("\n"),
    contextValue: proposalContext(proposal),
    icon: proposalIcon(summary),
    state: hasFiles ? (isPending(summary) ? "expanded" : "collapsed") : "leaf",
    children: [...conflicts, ...files, ...missing(view)],
    ids: { ticket: summary.ticket, task: summary.task, proposal: summary.id },
    command: hasFiles ? "sennit.openProposal" : undefined,
  };
}

function carried(view: ProposalView | undefined): readonly string[] {
  const words = view === undefined ? undefined : carriedWords(view);
  return words === undefined ? [] : [words];
}

function notices(view: ProposalView | undefined): readonly string[] {
  return [...(view?.failure ? [view.failure.message] : []), ...noticeLines(view?.notices)];
}

function proposalContext({ summary }: Proposal): string {
  if (summary.application === "applied") {
    return "proposal-applied";
  }
  return isPending(summary) || summary.review === "rejected" ? `proposal-${summary.review}` : "proposal-nothing";
}

function missing(view: ProposalView | undefined): readonly TreeNode[] {
  const known = filesOf(view).length;
  const left = Math.max(view?.filesTotal ?? 0, known) - Math.min(known, FILES_SHOWN);
  if (view === undefined || left <= 0) {
    return [];
  }
  const id = view.summary.id;
  return [{
    ...LEAF,
    id: `more:${id}`,
    kind: "more",
    label: `${counted(left, "more file", "more files")}…`,
    description: "open the proposal to see all",
    contextValue: "more",
    icon: { id: "ellipsis" },
    ids: { proposal: id },
    command: "sennit.openProposal",
  }];
}

/** Views never change, so the lines of a file with thousands of changes are made once. */
const knownFiles = new WeakMap<FileView, TreeNode>();

function fileNode(proposal: string, file: FileView): TreeNode {
  const known = knownFiles.get(file);
  if (known?.ids.proposal === proposal) {
    return known;
  }
  const made = newFileNode(proposal, file);
  knownFiles.set(file, made);
  return made;
}

function newFileNode(proposal: string, file: FileView): TreeNode {
  const units = unitsOf(file);
  return {
    ...LEAF,
    id: `file:${proposal}:${file.uri}`,
    kind: "file",
    label: plainLine(file.path, 200),
    description: fileDescription(file),
    tooltip: file.oldPath ? `${file.path}\nrenamed from ${file.oldPath}` : file.path,
    contextValue: `file-${jointDecision(units)}${file.settled?.agentUri ? "+settled" : ""}`,
    icon: undefined,
    file: file.proposedUri ?? file.baseUri ?? file.uri,
    state: "collapsed",
    children: units.map((unit) => unitNode(proposal, file, unit)),
    ids: { proposal, file: file.uri },
    command: "sennit.openFile",
  };
}

function unitNode(proposal: string, file: FileView, unit: UnitView): TreeNode {
  return {
    ...LEAF,
    id: `unit:${unit.id}`,
    kind: "unit",
    label: unitLabel(unit, file),
    description: unitDescription(unit),
    tooltip: [unitLabel(unit, file), ...flagsInWords(unit), ...(unit.conflict ? [unit.conflict] : [])].join("\n"),
    contextValue: `unit-${unit.decision}`,
    icon: decisionIcon(unit.decision),
    ids: { proposal, file: file.uri, unit: unit.id },
    command: "sennit.openFile",
  };
}

function conflictNode(proposal: string, conflict: ConflictView): TreeNode {
  return {
    ...LEAF,
    id: `conflict:${proposal}:${conflict.uri}`,
    kind: "conflict",
    label: plainLine(`conflict in ${conflict.path}`, 200),
    description: conflictDescription(conflict),
    tooltip: conflict.message,
    contextValue: "conflict",
    icon: { id: "git-merge", color: "list.warningForeground" },
    ids: { proposal, file: conflict.uri },
    command: "sennit.showConflict",
  };
}

function conflictDescription({ kind, withTasks, resolution }: ConflictView): string {
  const others = (withTasks ?? []).length > 0 ? `with ${(withTasks ?? []).join(", ")}` : kind;
  return resolution ? `${others} · what settled it does not count any more` : others;
}

/** Settled, and shown as long as that can be taken back. */
function settledNode(proposal: string, conflict: ConflictView): TreeNode {
  return {
    ...conflictNode(proposal, conflict),
    label: plainLine(`settled: ${conflict.path}`, 200),
    description: resolutionWords(conflict),
    contextValue: "conflict-settled",
    icon: { id: "check", color: "testing.iconPassed" },
  };
}
