/** The headers of a form: what each is called, how its value is read and written. */
import type { Budget } from "../protocol.ts";
import { type Unread, budgetWords, readBudget, readTime, timeWords } from "./budget.ts";
import { nearest } from "./spelling.ts";

/** What an agent is given along: a file, lines of one, or an earlier proposal. */
export type Place =
  | { readonly path: string; readonly startLine?: number; readonly endLine?: number }
  | { readonly proposal: string };

export interface Header {
  /** As it is written. */
  readonly name: string;
  /** Where its value is kept, in a draft or in what counts for all tasks. */
  readonly key: string;
  readonly read: (text: string) => { readonly value: unknown } | Unread;
  readonly write: (value: unknown) => string;
  /** All that it can be. */
  readonly values?: readonly string[];
  /** Each line of it adds one. */
  readonly isRepeated?: true;
  /** It is about one task alone. */
  readonly isOwn?: true;
}

type Kind = Pick<Header, "read" | "write">;

const WORDS: Kind = { read: (value) => ({ value }), write: (value) => value as string };
const LIST: Kind = {
  read: (text) => ({ value: text.split(/[,\s]+/u).filter((each) => each !== "") }),
  write: (value) => (value as readonly string[]).join(", "),
};
const COUNT: Kind = {
  read: (text) => (/^\d+$/u.test(text) ? { value: Number(text) } : { problem: `\`${text}\` is no whole number` }),
  write: (value) => String(value),
};
const TIME: Kind = { read: (text) => valueOf(readTime(text)), write: (value) => timeWords(value as number) };
const BUDGET: Kind = { read: (text) => valueOf(readBudget(text)), write: (value) => budgetWords(value as Budget) };
const PLACE: Kind = { read: (text) => valueOf(readPlace(text)), write: (value) => placeWords(value as Place) };

function valueOf(read: unknown): { readonly value: unknown } | Unread {
  return isUnread(read) ? read : { value: read };
}

function isUnread(read: unknown): read is Unread {
  return typeof read === "object" && read !== null && "problem" in read;
}

function readPlace(text: string): Place | Unread {
  if (/^p_\w+$/u.test(text)) {
    return { proposal: text };
  }
  const [, path, first, last] = /^(.+):(\d+)(?:-(\d+))?$/u.exec(text) ?? [];
  if (path === undefined) {
    return { path: text };
  }
  const [startLine, endLine] = [Number(first), Number(last ?? first)];
  const isRange = startLine >= 1 && endLine >= startLine;
  return isRange ? { path, startLine, endLine } : { problem: `\`${text}\` names no lines; write such as: src/a.py:10-20` };
}

function placeWords(place: Place): string {
  if ("proposal" in place) {
    return place.proposal;
  }
  return place.startLine === undefined ? place.path : `${place.path}:${String(place.startLine)}-${String(place.endLine)}`;
}

function header(name: string, key: string, more: Partial<Header> = {}): Header {
  return { name, key, ...WORDS, ...more };
}

function choice(name: string, key: string, values: readonly string[]): Header {
  const read = (text: string): { readonly value: unknown } | Unread =>
    values.includes(text) ? { value: text } : { problem: `\`${name}\` is ${values.join(" or ")}, not \`${text}\`` };
  return header(name, key, { read, values });
}

/** In the order in which they are written. */
export const OF_TASK: readonly Header[] = [
  header("agent", "agent"),
  header("role", "role"),
  header("model", "model"),
  header("class", "modelClass"),
  header("thinking", "thinking"),
  choice("access", "access", ["read", "write"]),
  header("budget", "budget", BUDGET),
  header("deadline", "deadlineMs", TIME),
  header("idle", "idleMs", TIME),
  choice("base", "base", ["live", "head"]),
  choice("workspace", "workspace", ["isolated", "scratch", "shared"]),
  header("writes", "writes", LIST),
  header("tools", "tools", LIST),
  choice("changes", "expectChanges", ["off", "flag", "fail"]),
  header("retries", "retries", COUNT),
  header("resume", "resume", { isOwn: true }),
  header("task", "id", { isOwn: true }),
  header("description", "description", { isOwn: true }),
  header("after", "dependsOn", { ...LIST, isOwn: true }),
  header("attach", "attach", { ...PLACE, isOwn: true, isRepeated: true }),
];

/** Of the ticket as a whole. */
export const OF_TICKET: readonly Header[] = [
  header("label", "label"),
  header("brief", "brief"),
  choice("conflict", "onConflict", ["setAside", "follow"]),
  choice("order", "order", ["task", "fewestConflicts"]),
  choice("offer", "offer", ["auto", "settled", "manual"]),
  header("concurrent", "maxConcurrent", COUNT),
];

export const HEADERS: readonly Header[] = [...OF_TASK, ...OF_TICKET];

export function headerNamed(name: string): Header | undefined {
  return HEADERS.find((one) => one.name === name);
}

/** Not `https://…`, `std::vector` or `C:\\…`, which begin a prompt. */
const LIKE_A_HEADER = /^([A-Za-z][\w-]*):(?![:/\\])/u;
const KNOWN = /^([a-z]+):/u;

/** The word before the colon of a line that is a header, or would be one if there were that header. */
export function headerWord(line: string): string | undefined {
  const known = KNOWN.exec(line)?.[1];
  return known !== undefined && headerNamed(known) !== undefined ? known : LIKE_A_HEADER.exec(line)?.[1];
}

const NAMES = HEADERS.map((one) => one.name);

/** Whether a word is so near a header that it is one with a slip in it. */
export function isSlip(word: string): boolean {
  return word.length >= 4 && nearest(word, NAMES).distance <= 1;
}

/** What is wrong with a header that there is not, and which one is the nearest. */
export function unknownHeader(word: string): string {
  const near = nearest(word, NAMES);
  const instead = near.distance * 2 <= word.length ? `the nearest is \`${near.word}\`` : `there are: ${NAMES.join(", ")}`;
  return `there is no header \`${word}\`; ${instead}`;
}

/** Puts the value of a header where it belongs; gives what is wrong with it. */
export function put(into: Record<string, unknown>, one: Header, text: string): string | undefined {
  const read = one.read(text);
  if ("problem" in read) {
    return read.problem;
  }
  const before = (into[one.key] ?? []) as readonly unknown[];
  into[one.key] = one.isRepeated ? [...before, read.value] : read.value;
  return undefined;
}

/** The lines of all headers that have a value, and of some that have none. */
export function headerLines(headers: readonly Header[], from: Readonly<Record<string, unknown>>, shownEmpty: readonly string[] = []): readonly string[] {
  return headers.flatMap((one) => {
    const value = from[one.key];
    if (value === undefined) {
      return shownEmpty.includes(one.name) ? [`${one.name}:`] : [];
    }
    const values = one.isRepeated ? (value as readonly unknown[]) : [value];
    return values.map((each) => `${one.name}: ${one.write(each)}`);
  });
}
