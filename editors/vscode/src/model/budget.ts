/** What a run may use up, as a person writes it: `20 turns, 200k tokens, 1.50 cost, 10 min`. */
import type { Budget } from "../protocol.ts";

/** What was written cannot be meant; the message says what can. */
export interface Unread {
  readonly problem: string;
}

interface Unit {
  readonly key: "turns" | "tokens" | "cost" | "timeMs";
  readonly times: number;
}

const UNITS: Readonly<Record<string, Unit>> = {
  turn: { key: "turns", times: 1 },
  turns: { key: "turns", times: 1 },
  token: { key: "tokens", times: 1 },
  tokens: { key: "tokens", times: 1 },
  cost: { key: "cost", times: 1 },
  s: { key: "timeMs", times: 1_000 },
  min: { key: "timeMs", times: 60_000 },
  h: { key: "timeMs", times: 3_600_000 },
};
const SIZES: Readonly<Record<string, number>> = { "": 1, k: 1_000, M: 1_000_000 };
const PART = /^(\d+(?:\.\d+)?)([kM]?)\s*(turns?|tokens?|cost|s|min|h)$/u;

export function readBudget(text: string): Budget | Unread {
  const found: Budget = {};
  for (const part of text.split(",").map((each) => each.trim()).filter((each) => each !== "")) {
    const read = readPart(part);
    if (read === undefined) {
      return { problem: `\`${part}\` is no part of a budget; write such as: 20 turns, 200k tokens, 1.50 cost, 10 min` };
    }
    found[read.key] = read.value;
  }
  return found;
}

function readPart(part: string): { readonly key: Unit["key"]; readonly value: number } | undefined {
  const [, number, size = "", word = ""] = PART.exec(part) ?? [];
  const unit = UNITS[word];
  if (unit === undefined) {
    return undefined;
  }
  // Rounded, since 1.1k is not exactly 1100 as a number of the machine.
  const value = Number((Number(number) * (SIZES[size] ?? 1) * unit.times).toFixed(6));
  const isWhole = unit.key === "cost" || Number.isInteger(value);
  return value > 0 && isWhole ? { key: unit.key, value } : undefined;
}

/** A time in milliseconds. */
export function readTime(text: string): number | Unread {
  const read = readPart(text.trim());
  return read?.key === "timeMs" ? read.value : { problem: `\`${text}\` is no time; write such as: 90 s, 10 min, 2 h` };
}

/** As `readTime` reads it. */
export function timeWords(ms: number): string {
  return `${String(ms / 1_000)} s`;
}

/** As `readBudget` reads it. */
export function budgetWords({ turns, tokens, cost, timeMs }: Budget): string {
  const parts = [[turns, "turns"], [tokens, "tokens"], [cost, "cost"]] as const;
  return [
    ...parts.flatMap(([value, unit]) => (value ? [`${String(value)} ${unit}`] : [])),
    ...(timeMs ? [timeWords(timeMs)] : []),
  ].join(", ");
}
