/** Tasks as text: headers, an empty line, the prompt; a line of dashes between tasks. */
import type { Attachment, DispatchParams, Task } from "../protocol.ts";
import { type Header, OF_TASK, OF_TICKET, type Place, headerLines, headerNamed, headerWord, isSlip, put, unknownHeader } from "./headers.ts";

export const HELP: readonly string[] = [
  "# Write one task or several, with a line of dashes (---) between them. Each may begin with headers:",
  "# agent: NAME, role: NAME, model: NAME, access: read, task: ID, after: IDS of others, attach: PATH:1-20,",
  "# budget: 20 turns, 200k tokens, 1.50 cost, 10 min. Ctrl+Space lists all. A first part of headers alone is",
  "# for all tasks; conflict: follow, order, label and offer stand there.",
  "# Then an empty line, and what the agent is to do. The button above, or “Sennit: Dispatch These Tasks”, starts them.",
];

/** A task as far as its form says, under the protocol's names. */
export type Draft = Partial<Omit<Task, "attach">> & { readonly attach?: readonly Place[]; prompt: string };

/** What counts for all tasks of a form. */
export type Call = Pick<DispatchParams, "label" | "brief" | "onConflict" | "order" | "offer" | "maxConcurrent" | "defaults">;

export interface Form {
  readonly drafts: readonly Draft[];
  /** What cannot be meant; each names its line. */
  readonly problems: readonly string[];
  readonly call: Call;
}

const SEPARATOR = /^-{3,}\s*$/u;
const FENCE = /^(`{3,})[^`]*$/u;
const HEADER = /^([a-z]+):\s*(.*?)\s*$/u;

interface Line {
  readonly text: string;
  /** From 1. */
  readonly number: number;
}

export function readForm(text: string): Form {
  const problems: string[] = [];
  const [first, ...others] = blocksOf(text.split(/\r?\n/u)).map((block) => readPart(block, problems));
  for (const part of others) {
    if (part.joint !== undefined) {
      problems.push(`Line ${String(part.joint.number)}: \`${part.joint.name}\` is about all tasks; write it into the first part.`);
    }
  }
  const isForAll = first?.prompt === "" && others.length > 0;
  const call = { ...first?.call, ...(isForAll ? defaultsIn(first, problems) : {}) };
  const drafts = [...(first === undefined ? [] : [first]), ...others].filter((part) => part.prompt !== "").map(draftOf);
  return { drafts, problems, call };
}

/** What the table of headers has read, by the protocol's names. */
type Values = Readonly<Record<string, unknown>>;

interface Said {
  readonly name: string;
  /** Of the line. */
  readonly number: number;
}

/** The headers and the prompt between two lines of dashes. */
interface Part {
  readonly task: Values;
  readonly call: Values;
  /** The first header that cannot be said for all tasks. */
  readonly own: Said | undefined;
  /** The first header that is about the ticket as a whole. */
  readonly joint: Said | undefined;
  readonly prompt: string;
}

function draftOf({ task, prompt }: Part): Draft {
  return { ...task, prompt };
}

function defaultsIn({ task, own }: Part, problems: string[]): Call {
  if (own !== undefined) {
    problems.push(`Line ${String(own.number)}: \`${own.name}\` is about one task, and this part is for all.`);
  }
  return Object.keys(task).length === 0 ? {} : { defaults: task };
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

function readPart(lines: readonly Line[], problems: string[]): Part {
  const first = lines.findIndex(({ text }) => text.trim() !== "" && !HELP.includes(text));
  const told = first < 0 ? [] : lines.slice(first);
  const headers = headOf(told);
  for (const [index, { text, number }] of headers.entries()) {
    if (headerIn(text) === undefined) {
      problems.push(`Line ${String(number)}: ${noHeader(text, index === 0)}.`);
    }
  }
  const said = headers.flatMap(({ text, number }) => {
    const found = headerIn(text);
    return found === undefined || found.value === "" ? [] : [{ ...found, number, name: found.header.name, isJoint: OF_TICKET.includes(found.header) }];
  });
  const values = { task: {}, call: {} };
  for (const { header, value, number, isJoint } of said) {
    const problem = put(isJoint ? values.call : values.task, header, value);
    if (problem !== undefined) {
      problems.push(`Line ${String(number)}: ${problem}.`);
    }
  }
  return {
    ...values,
    own: said.find((one) => one.header.isOwn),
    joint: said.find((one) => one.isJoint),
    prompt: told.slice(headers.length).map(({ text }) => text).join("\n").trim(),
  };
}

/** The lines that are headers, or look so beside them. A line alone that only looks so is a prompt. */
function headOf(told: readonly Line[]): readonly Line[] {
  const end = told.findIndex(({ text }) => headerWord(text) === undefined);
  const head = end < 0 ? told : told.slice(0, end);
  const words = head.map(({ text }) => headerWord(text) ?? "");
  return words.some((word) => headerNamed(word) !== undefined || isSlip(word)) ? head : [];
}

/** `isFirst`: no header stands above it, below which an empty line would do. */
function noHeader(text: string, isFirst: boolean): string {
  const above = isFirst ? "`agent:` and an empty line" : "an empty line";
  return `${unknownHeader(headerWord(text) ?? "")}. If the prompt begins so, put ${above} above it`;
}

/** Whether a line stands where headers do, before the empty line and the prompt; `at` is from 0. */
export function isInHead(lines: readonly string[], at: number): boolean {
  const inside = fenced(lines);
  const start = lines.findLastIndex((line, index) => index < at && !inside.has(index) && SEPARATOR.test(line)) + 1;
  const above = lines.slice(start, at);
  const first = above.findIndex((line) => line.trim() !== "" && !HELP.includes(line));
  return !inside.has(at) && (first < 0 || above.slice(first).every((line) => headerIn(line) !== undefined));
}

function headerIn(line: string): { readonly header: Header; readonly value: string } | undefined {
  const [, name = "", value = ""] = HEADER.exec(line) ?? [];
  const header = headerNamed(name);
  return header && { header, value };
}

/** An empty form, or one with what is known already; `readForm` gives the same tasks again. */
export function formOf(drafts: readonly Draft[], call: Call = {}): string {
  const { defaults, ...ofTicket } = call;
  const forAll = [...headerLines(OF_TICKET, ofTicket), ...headerLines(OF_TASK, { ...defaults })];
  const blocks = drafts.map((draft) => [...headerLines(OF_TASK, { ...draft }, SHOWN_EMPTY), "", ...escaped(draft.prompt)].join("\n"));
  return [...HELP, "", [...(forAll.length === 0 ? [] : [forAll.join("\n")]), ...blocks].join("\n---\n")].join("\n");
}

/** Agent, role and model stand there to be filled in. */
const SHOWN_EMPTY: readonly string[] = ["agent", "role", "model"];

function escaped(prompt: string): readonly string[] {
  const lines = prompt.split("\n");
  const inside = fenced(lines);
  return lines.map((line, index) => (!inside.has(index) && (isSpecial(line) || isEscaped(line)) ? `\\${line}` : line));
}

/** The tasks of a call; those without a name are numbered. `uriOf` gives the file of a path. */
export function tasksOfForm(drafts: readonly Draft[], uriOf: (path: string) => string): Task[] {
  return drafts.map(({ attach, ...draft }, index) => ({
    ...draft,
    id: draft.id ?? `task-${String(index + 1)}`,
    ...(attach === undefined ? {} : { attach: attach.map((place) => attachment(place, uriOf)) }),
  }));
}

function attachment(place: Place, uriOf: (path: string) => string): Attachment {
  if ("proposal" in place) {
    return place;
  }
  const { path, ...lines } = place;
  return { uri: uriOf(path), ...lines };
}
