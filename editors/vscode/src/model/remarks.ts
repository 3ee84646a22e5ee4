/** What a person should know beside a state: notices, what a base holds and lacks. */
import type { ManifestView, Notice } from "../protocol.ts";
import { counted } from "./words.ts";

/** Each notice, with the file that it is about. */
export function noticeLines(notices: readonly Notice[] | null | undefined): readonly string[] {
  return (notices ?? []).map(({ path, message }) => (path ? `${path}: ${message}` : message));
}

/** That there are some, where the line has no room for them. */
export function notesCounted(notices: readonly Notice[] | null | undefined): readonly string[] {
  const count = (notices ?? []).length;
  return count === 0 ? [] : [counted(count, "note", "notes")];
}

const NAMED = 5;
const SHORT_HASH = 10;

/** What agents began with, and what they did not see of it. */
export function baseLines(base: ManifestView): readonly string[] {
  const { head, branch, staged, modified, deleted, untracked, unsaved, inProgress } = base;
  const held = Object.entries({ staged, modified, deleted, untracked, unsaved });
  const counts = held.flatMap(([name, paths]) => ((paths ?? []).length > 0 ? [`${String((paths ?? []).length)} ${name}`] : []));
  return [
    [`base: ${head?.slice(0, SHORT_HASH) ?? "no commit yet"} (${branch ?? "detached"})`, ...counts].join(", "),
    ...leftOutLines(base),
    ...(inProgress ? [`git is in the middle of: ${inProgress}`] : []),
  ];
}

function leftOutLines({ leftOut }: ManifestView): readonly string[] {
  const all = leftOut ?? [];
  const named = all.slice(0, NAMED).map(({ path, reason, detail }) => `left out: ${path}: ${reason}${detail ? ` (${detail})` : ""}`);
  return all.length > NAMED ? [...named, `left out: ${counted(all.length - NAMED, "more path", "more paths")}`] : named;
}
