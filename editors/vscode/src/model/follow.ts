/** Following up on ended work: what can be followed, and what its next revision is. */
import type { ProposalSummary, ProposalView, TaskView } from "../protocol.ts";
import { filesOf, unitsOf } from "./decisions.ts";
import { isFinalTask } from "./store.ts";
import { counted } from "./words.ts";

/** A newer follow-up is followed itself, so that there is one line of revisions. */
export function canFollow(task: TaskView): boolean {
  return isFinalTask(task) && !task.followedBy;
}

/** What a proposal is called that has been revised; the first revision is simply the proposal. */
export function revisionWords(summary: ProposalSummary): string | undefined {
  const number = summary.number ?? 1;
  return number > 1 ? `revision ${String(number)}` : undefined;
}

/** What of earlier decisions still counts for a later revision; undefined for a first one. */
export function carriedWords(view: ProposalView): string | undefined {
  const revision = revisionWords(view.summary);
  if (revision === undefined) {
    return undefined;
  }
  const units = filesOf(view).flatMap(unitsOf);
  const decided = units.filter((unit) => unit.decision !== "undecided").length;
  const kept = decided === 0 ? "none of your earlier decisions fits it, so all of it is to be decided" : `${String(decided)} of ${counted(units.length, "change", "changes")} ${decided === 1 ? "is" : "are"} decided as you had decided before`;
  return `It is ${revision}: ${kept}.`;
}
