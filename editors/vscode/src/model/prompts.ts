/** Tasks made of what the user has typed and where the cursor is. */
import type { Doer } from "./agents.ts";

/** The built-in agent runs its prompt as a command line, so nothing may be added to it. */
export const COMMAND_AGENT = "command";

export interface Place {
  /** Relative to the workspace, or absolute. */
  readonly path: string;
  /** From 0. */
  readonly firstLine: number;
  readonly lastLine: number;
}

export interface Found {
  readonly message: string;
  readonly source: string | undefined;
  readonly code: string | undefined;
}

export function placeWords(place: Place): string {
  const first = String(place.firstLine + 1);
  const last = place.lastLine > place.firstLine ? `-${String(place.lastLine + 1)}` : "";
  return `${place.path}:${first}${last}`;
}

export function selectionPrompt(wish: string, place: Place, agent: string | undefined): string {
  return agent === COMMAND_AGENT ? wish : `${wish}\n\nIt is about the code at ${placeWords(place)}.`.trimStart();
}

export function diagnosticPrompt(found: Found, place: Place): string {
  const code = found.code === undefined ? "" : ` [${found.code}]`;
  const source = found.source === undefined ? "" : ` (${found.source})`;
  return `Solve this problem at ${placeWords(place)}: ${found.message}${code}${source}`;
}

export interface TypedTask extends Doer {
  id: string;
  prompt: string;
  description: string;
}

/** Tasks for prompts that were typed, called by their first words. */
export function tasksOf(prompts: readonly string[], doer: Doer): TypedTask[] {
  const taken = new Set<string>();
  return prompts.map((prompt) => {
    const id = unusedName(nameOf(prompt), taken);
    taken.add(id);
    return { id, prompt, description: shortened(prompt), ...doer };
  });
}

const LONGEST_NAME = 24;

function nameOf(prompt: string): string {
  // Of a command line neither the shell, nor options, nor the folders of a program say what it does.
  const telling = prompt.normalize("NFKD").replace(/^\s*(?:ba)?sh\s/u, " ").replace(/\s--?[A-Za-z][\w-]*/gu, " ").replace(/(^|[\s'"])\/[^\s'"]*\//gu, "$1");
  const words = telling.match(/[A-Za-z0-9][A-Za-z0-9._]*/gu) ?? [];
  let name = "";
  for (const word of words) {
    const longer = name === "" ? word.slice(0, LONGEST_NAME) : `${name}-${word}`;
    if (longer.length > LONGEST_NAME) {
      break;
    }
    name = longer;
  }
  return name === "" ? "task" : name.toLowerCase();
}

function unusedName(name: string, taken: ReadonlySet<string>): string {
  for (let number = 2, found = name; ; number += 1) {
    if (!taken.has(found)) {
      return found;
    }
    found = `${name}-${String(number)}`;
  }
}

const LONGEST = 80;

export function shortened(text: string): string {
  const line = text.trim().split("\n")[0] ?? "";
  return line.length <= LONGEST ? line : `${line.slice(0, LONGEST - 1)}…`;
}
