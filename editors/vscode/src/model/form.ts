/** Tasks as text: headers, an empty line, the prompt; a line of dashes between tasks. */
import type { Access, Budget, Task } from "../protocol.ts";
import { readBudget } from "./budget.ts";

export const HELP: readonly string[] = [
  "# Write one task or several, with a line of dashes (---) between them. Each may begin with headers:",
  "# agent: NAME, role: NAME, model: NAME, class: NAME, thinking: LEVEL, access: read, task: ID,",
  "# description: WORDS, after: IDS of tasks that come before, budget: 20 turns, 200k tokens, 1.50 cost, 10 min.",
  "# Then an empty line, and what the agent is to do. The button above, or “Sennit: Dispatch These Tasks”, starts them.",
];

/** A task as far as its form says. */
export interface Draft {
  agent?: string;
  role?: string;
  model?: string;
  class?: string;
  thinking?: string;
  access?: Access;
  budget?: Budget;
  task?: string;
  description?: string;
  after?: readonly string[];
  prompt: string;
}

export interface Form {
  readonly drafts: readonly Draft[];
  /** What cannot be meant; each names its line. */
  readonly problems: readonly string[];
}

export const HEADERS = ["agent", "role", "model", "class", "thinking", "access", "budget", "task", "description", "after"] as const;
type Header = (typeof HEADERS)[number];

const SEPARATOR = /^-{3,}\s*$/u;
const FENCE = /^(`{3,})[^`]*$/u;
const HEADER = /^([a-z]+):\s*(.*?)\s*$/u;

interface Line {
  readonly text: string;
  /** From 1. */
  readonly number: number;
}

export function readForm(text: string): Form {
  const drafts: Draft[] = [];
  const problems: string[] = [];
  for (const block of blocksOf(text.split(/\r?\n/u))) {
    const draft = readBlock(block, problems);
    if (draft !== undefined) {
      drafts.push(draft);
    }
  }
  return { drafts, problems };
}

function blocksOf(lines: readonly string[]): readonly (readonly Line[])[] {
  const inside = fenced(lines);
  const blocks: Line[][] = [[]];
  lines.forEach((text, index) => {
    if (!inside.has(index) && SEPARATOR.test(text)) {
      blocks.push([]);
    } else {
      blocks.at(-1)?.push({ text: !inside.has(index) && isEscaped(text) ? text.slice(1) : text, number: index + 1 });
    }
  });
  return blocks;
}

/** Lines of fenced blocks stand for themselves; a fence that does not end is none. */
function fenced(lines: readonly string[]): ReadonlySet<number> {
  const inside = new Set<number>();
  for (let index = 0; index < lines.length; index += 1) {
    const ticks = FENCE.exec(lines[index] ?? "")?.[1];
    const last = ticks === undefined ? undefined : endOfFence(lines, index + 1, ticks);
    for (; last !== undefined && index <= last; index += 1) {
      inside.add(index);
    }
    index = last ?? index;
  }
  return inside;
}

function endOfFence(lines: readonly string[], first: number, ticks: string): number | undefined {
  const found = lines.findIndex((line, index) => index >= first && /^`+\s*$/u.test(line) && line.trimEnd().length >= ticks.length);
  return found === -1 ? undefined : found;
}

function isSpecial(line: string): boolean {
  return SEPARATOR.test(line) || FENCE.test(line);
}

/** Whether a backslash makes a line stand for itself. */
function isEscaped(line: string): boolean {
  return line.startsWith("\\") && isSpecial(line.replace(/^\\+/u, ""));
}

function readBlock(lines: readonly Line[], problems: string[]): Draft | undefined {
  const first = lines.findIndex(({ text }) => text.trim() !== "" && !HELP.includes(text));
  const told = first < 0 ? [] : lines.slice(first);
  const noHeader = told.findIndex(({ text }) => !isHeader(HEADER.exec(text)?.[1] ?? ""));
  const headers = noHeader < 0 ? told : told.slice(0, noHeader);
  const draft: Draft = { prompt: told.slice(headers.length).map(({ text }) => text).join("\n").trim() };
  for (const { text, number } of headers) {
    const problem = putLine(draft, text);
    if (problem !== undefined) {
      problems.push(`Line ${String(number)}: ${problem}.`);
    }
  }
  return draft.prompt === "" ? undefined : draft;
}

function putLine(draft: Draft, line: string): string | undefined {
  const [, name = "", value = ""] = HEADER.exec(line) ?? [];
  return isHeader(name) && value !== "" ? put(draft, name, value) : undefined;
}

function isHeader(name: string): name is Header {
  return (HEADERS as readonly string[]).includes(name);
}

/** Gives what is wrong with the value. */
function put(draft: Draft, name: Header, value: string): string | undefined {
  if (name === "after") {
    draft.after = value.split(/[,\s]+/u).filter((each) => each !== "");
  } else if (name === "access") {
    return putAccess(draft, value);
  } else if (name === "budget") {
    return putBudget(draft, value);
  } else {
    draft[name] = value;
  }
  return undefined;
}

function putAccess(draft: Draft, value: string): string | undefined {
  if (value !== "read" && value !== "write") {
    return `\`access\` is read or write, not \`${value}\``;
  }
  draft.access = value;
  return undefined;
}

function putBudget(draft: Draft, value: string): string | undefined {
  const read = readBudget(value);
  if ("problem" in read) {
    return read.problem;
  }
  draft.budget = read;
  return undefined;
}

/** An empty form, or one with what is known already; `readForm` gives the same tasks again. */
export function formOf(drafts: readonly Draft[]): string {
  const blocks = drafts.map((draft) => [...headersOf(draft), "", ...escaped(draft.prompt)].join("\n"));
  return [...HELP, blocks.join("\n---\n")].join("\n");
}

/** Agent, role and model stand there to be filled in. */
const SHOWN_EMPTY: readonly string[] = ["agent", "role", "model"];

function headersOf(draft: Draft): readonly string[] {
  return HEADERS.flatMap((name) => {
    const value = name === "after" ? draft.after?.join(", ") : name === "budget" ? budgetWords(draft.budget) : draft[name];
    return value === undefined && !SHOWN_EMPTY.includes(name) ? [] : [`${name}: ${value ?? ""}`.trimEnd()];
  });
}

function budgetWords(budget: Budget | undefined): string | undefined {
  if (budget === undefined) {
    return undefined;
  }
  const { turns, tokens, cost, timeMs } = budget;
  const parts = [[turns, "turns"], [tokens, "tokens"], [cost, "cost"], [timeMs && timeMs / 1_000, "s"]] as const;
  return parts.flatMap(([value, unit]) => (value ? [`${String(value)} ${unit}`] : [])).join(", ");
}

function escaped(prompt: string): readonly string[] {
  const lines = prompt.split("\n");
  const inside = fenced(lines);
  return lines.map((line, index) => (!inside.has(index) && (isSpecial(line) || isEscaped(line)) ? `\\${line}` : line));
}

/** The tasks of a call; those without a name are numbered. */
export function tasksOfForm(drafts: readonly Draft[]): Task[] {
  return drafts.map((draft, index) => ({
    id: draft.task ?? `task-${String(index + 1)}`,
    prompt: draft.prompt,
    agent: draft.agent ?? null,
    role: draft.role ?? null,
    model: draft.model ?? null,
    modelClass: draft.class ?? null,
    thinking: draft.thinking ?? null,
    access: draft.access ?? null,
    budget: draft.budget ?? null,
    description: draft.description ?? null,
    ...(draft.after === undefined ? {} : { dependsOn: [...draft.after] }),
  }));
}
