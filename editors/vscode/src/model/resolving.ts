/** Settling conflicts: what can be chosen, what a choice is called, what became of it. */
import type { ConflictChoice, ConflictView, ProposalView, SuggestionKind, SuggestionView, Take } from "../protocol.ts";
import { BadArgument, type Ids } from "./arguments.ts";

/** `show` settles nothing; `preview` shows a suggestion first; `edit` opens a text that settles it once it is saved. */
export type Action =
  | { readonly name: "show" }
  | { readonly name: "preview"; readonly suggestion: SuggestionView }
  | { readonly name: "take"; readonly take: Take }
  | { readonly name: "edit" };

export interface Way {
  readonly label: string;
  readonly description: string;
  readonly action: Action;
}

const SIDES = [
  { take: "ours", label: "Keep What Is There" },
  { take: "theirs", label: "Take What Is Proposed" },
  { take: "base", label: "Take What Both Began With" },
] as const;

/** The first way, which is the active line of a list, settles nothing: no answer is given by Enter alone. */
export function waysOf(conflict: ConflictView): readonly Way[] {
  const suggestions = [...(conflict.suggestions ?? [])].sort((one, other) => Number(one.sure === "guess") - Number(other.sure === "guess"));
  const isOfTexts = canTakeText(conflict);
  return [
    { label: "Show the Sides", description: "settles nothing", action: { name: "show" } },
    ...suggestions.map((suggestion): Way => ({
      label: suggestion.title,
      description: suggestion.sure === "likely" ? "likely" : "a guess",
      action: { name: "preview", suggestion },
    })),
    ...SIDES.map(({ take, label }): Way => ({ label, description: sideWords(conflict, take, isOfTexts), action: { name: "take", take } })),
    ...(isOfTexts ? [{ label: "Edit the Text…", description: "merged, with both sides where they clash; saving it settles the conflict", action: { name: "edit" } } as const] : []),
  ];
}

function sideWords(conflict: ConflictView, take: "ours" | "theirs" | "base", isOfTexts: boolean): string {
  if (isOfTexts) {
    return `${take}, where they clash; the rest of both stays merged`;
  }
  return conflict[take]?.id ? take : `${take}, which has no such file`;
}

/** A text can settle what is about two regular files; every other conflict has sides only. */
export function canTakeText({ kind, ours, theirs }: ConflictView): boolean {
  const areFiles = [ours, theirs].every((side) => side?.mode?.startsWith("100") === true);
  return (kind === "content" || kind === "addAdd") && areFiles;
}

const TAKES: ReadonlySet<string> = new Set(["ours", "theirs", "base", "nothing"]);

/** The choice that an argument of a command makes; undefined where it leaves it to the user. */
export function choiceIn(ids: Ids, conflict: ConflictView): ConflictChoice | undefined {
  const { take, text } = ids;
  const { uri } = conflict;
  if (take === undefined) {
    return text === undefined ? undefined : { uri, take: "text", text };
  }
  if (TAKES.has(take)) {
    return { uri, take: take as Take };
  }
  const kinds = (conflict.suggestions ?? []).map((one) => one.kind);
  if (!(kinds as readonly string[]).includes(take)) {
    throw new BadArgument(`\`take\` is ${take}; for ${conflict.path} it can be ${[...TAKES, ...kinds].join(", ")}. Give \`text\` for a text of your own.`);
  }
  return { uri, take: "suggestion", suggestion: take as SuggestionKind };
}

/** How a conflict was settled, in few words. */
export function resolutionWords({ resolution, suggestions }: ConflictView): string {
  switch (resolution?.take) {
    case "ours": return "what was there is kept";
    case "theirs": return "what is proposed is taken";
    case "base": return "what both began with is taken";
    case "text": return "by a text of yours";
    case "suggestion": return `by the suggestion ${resolution.suggestion ?? ""}`.trimEnd();
    case "nothing":
    case undefined:
    default: return (suggestions ?? []).length > 0 ? "there are suggestions" : "";
  }
}

/** What is to be said once the server has merged again. `conflict` is as it was before. */
export function standing({ summary, conflicts }: ProposalView, { path, withTasks }: ConflictView): string {
  const left = (conflicts ?? []).map((one) => one.path);
  if (summary.integration === "conflict") {
    const which = left.includes(path) ? "is in conflict" : `is settled; still in conflict ${left.length === 1 ? "is" : "are"} ${left.join(", ")}`;
    return `${path} of ${summary.task} ${which}.`;
  }
  // Without the others nothing collides, and the server takes the proposal as it was made.
  const others = (withTasks ?? []).length === 0 ? "" : ` How it was settled counts with ${(withTasks ?? []).join(", ")}: apply that too, or before.`;
  return `${path} is settled, and ${summary.task} has no conflict left: accept it as any other.${others}`;
}

/** A view holds the beginning of a text only, so many characters of it. */
const MOST_SHOWN = 8_000;

/** What a suggestion gives, as far as the server has told it. */
export function shownText(text: string): string {
  if (Array.from(text).length < MOST_SHOWN) {
    return text;
  }
  const whole = text.slice(0, text.lastIndexOf("\n") + 1);
  return `${whole}[Sennit shows the beginning of this text only. Take it, look at the proposal, and take it back if it is not right.]\n`;
}
