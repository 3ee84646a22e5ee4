/** What stands below a task in the tree, and what is said of it there. */
import type { Question, TaskView } from "../protocol.ts";
import { plainLine } from "./plain.ts";
import { openQuestions } from "./questions.ts";
import { noticeLines } from "./remarks.ts";
import type { Hearing } from "./speaking.ts";
import { LEAF, type TreeNode } from "./tree-node.ts";

/** What menus know an agent by that can be spoken with. */
const HEARS = { works: "+works", waits: "+waits", cannot: "" } as const;

/** By which menus know what can be done with a task. */
export function taskContext(task: TaskView, heard: Hearing): string {
  return `task-${task.state}${task.followedBy ? "-followed" : HEARS[heard]}`;
}

/** What the user is asked for. */
export function waitingNodes(ticket: string, task: TaskView, heard: Hearing): readonly TreeNode[] {
  return [
    ...openQuestions(task).map((question) => questionNode(ticket, task, question)),
    ...(heard === "waits" ? [heldNode(ticket, task)] : []),
  ];
}

function heldNode(ticket: string, task: TaskView): TreeNode {
  return {
    ...LEAF,
    id: `held:${ticket}/${task.id}`,
    kind: "held",
    label: "Say how it goes on…",
    description: "or cancel the task",
    contextValue: "held",
    icon: { id: "debug-pause" },
    ids: { ticket, task: task.id },
    command: "sennit.steer",
  };
}

/** Where ended work is gone on with. */
export interface GoneOn {
  readonly label: string;
  readonly description: string;
  readonly ticket: string;
  readonly task: string;
}

export function followedNode(ticket: string, task: TaskView, on: GoneOn): TreeNode {
  return {
    ...LEAF,
    id: `followed:${ticket}/${task.id}`,
    kind: "followed",
    label: on.label,
    description: plainLine(on.description, 80),
    contextValue: "followed",
    icon: { id: "reply" },
    ids: { ticket: on.ticket, task: on.task },
    command: "sennit.showDetails",
  };
}

export function taskTooltip(task: TaskView): string {
  return [
    `${task.id} by ${task.agent}`,
    ...(task.following ? [`follows ${task.following.task} of ${task.following.ticket}`] : []),
    ...(task.progress?.toDo ?? []).map((entry) => `${TO_DO[entry.status]} ${entry.text}`),
    ...(task.description ? [task.description] : []),
    ...(task.failure ? [task.failure.message] : []),
    ...noticeLines(task.notices),
    ...(task.resultText ? ["", task.resultText] : []),
  ].join("\n");
}

const TO_DO = { pending: "☐", in_progress: "▶", completed: "☑" } as const;

function questionNode(ticket: string, task: TaskView, question: Question): TreeNode {
  return {
    ...LEAF,
    id: `question:${question.id}`,
    kind: "question",
    label: plainLine(question.text, 120),
    description: question.deadline ? `until ${clock(question.deadline)}` : "",
    tooltip: [question.text, ...(question.options ?? []).map((option) => `- ${option}`)].join("\n"),
    contextValue: "question",
    icon: { id: "comment-unresolved" },
    ids: { ticket, task: task.id, question: question.id },
    command: "sennit.answer",
  };
}

function clock(time: string): string {
  return new Date(time).toLocaleTimeString();
}
