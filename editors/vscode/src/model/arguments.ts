/** The one argument of a command: an object of ids, or a line of the tree that carries them. */

const TEXTS = [
  "ticket", "task", "question", "answer", "run", "proposal", "revision", "unit", "file", "application", "target", "text", "take",
  "agent", "session", "begin",
] as const;
const SWITCHES = ["force", "confirmMoved"] as const;

type TextKey = (typeof TEXTS)[number];
type SwitchKey = (typeof SWITCHES)[number];

export type Ids = { readonly [K in TextKey]?: string } & { readonly [K in SwitchKey]?: boolean };

/** An argument that a command cannot work with. */
export class BadArgument extends Error {}

/** Read the argument of a command; unknown keys and wrong types are errors, absence is not. */
export function readIds(value: unknown): Ids {
  const given = isRecord(value) && isRecord(value["ids"]) ? value["ids"] : value;
  if (given === undefined || given === null) {
    return {};
  }
  if (!isRecord(given)) {
    throw new BadArgument(`The argument must be an object with some of ${[...TEXTS, ...SWITCHES].join(", ")}.`);
  }
  const found: Record<string, string | boolean> = {};
  for (const [key, entry] of Object.entries(given)) {
    if (entry !== undefined && entry !== null) {
      found[key] = checked(key, entry);
    }
  }
  return found;
}

function checked(key: string, entry: unknown): string | boolean {
  if ((TEXTS as readonly string[]).includes(key)) {
    if (typeof entry === "string") {
      return entry;
    }
    throw new BadArgument(`\`${key}\` must be a string.`);
  }
  if ((SWITCHES as readonly string[]).includes(key)) {
    if (typeof entry === "boolean") {
      return entry;
    }
    throw new BadArgument(`\`${key}\` must be true or false.`);
  }
  throw new BadArgument(`There is no \`${key}\` here; known are ${[...TEXTS, ...SWITCHES].join(", ")}.`);
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
