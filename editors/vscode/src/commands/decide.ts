/** Accepting and rejecting changes, files and proposals; the server keeps the decisions. */
import type { Context } from "../context.ts";
import { readIds } from "../model/arguments.ts";
import { filesOf, flagged, flagsInWords, unitsOf } from "../model/decisions.ts";
import type { Proposal } from "../model/store.ts";
import type { Choice, Decision, ProposalView, UnitView } from "../protocol.ts";
import { fileOf, proposalOf, unitIn } from "./choosing.ts";
import { takeView } from "./settle.ts";

export type Scope = "unit" | "file" | "proposal";

export async function decide(context: Context, scope: Scope, decision: Decision, argument: unknown): Promise<ProposalView | undefined> {
  const ids = readIds(argument);
  const proposal = await proposalOf(context, ids);
  if (proposal === undefined) {
    return undefined;
  }
  const choices = await choicesOf(context, { scope, decision, argument, proposal });
  if (choices === undefined) {
    return undefined;
  }
  const result = await context.request("sennit/decide", {
    proposal: proposal.summary.id,
    revision: ids.revision ?? proposal.summary.revision,
    choices,
  });
  await takeView(context, result.proposal);
  return result.proposal;
}

interface Wanted {
  readonly scope: Scope;
  readonly decision: Decision;
  readonly argument: unknown;
  readonly proposal: Proposal;
}

async function choicesOf(context: Context, wanted: Wanted): Promise<Choice[] | undefined> {
  const { scope, decision, argument, proposal } = wanted;
  const ids = readIds(argument);
  if (scope === "unit") {
    const unit = await unitIn(proposal, ids);
    return unit && [{ decision, units: [unit.id] }];
  }
  const file = scope === "file" ? await fileOf(proposal, ids) : undefined;
  if (scope === "file" && file === undefined) {
    return undefined;
  }
  const units = file === undefined ? filesOf(proposal.view).flatMap(unitsOf) : unitsOf(file);
  const whole: Choice = file === undefined ? { decision, all: true } : { decision, files: [file.uri] };
  const isByHand = !isPlainArgument(argument);
  return decision === "accepted" && isByHand ? withoutFlagged(context, units, whole) : [whole];
}

/** Keybindings and tests name what they mean; nobody is asked then. */
function isPlainArgument(argument: unknown): boolean {
  return argument !== undefined && !(typeof argument === "object" && argument !== null && "kind" in argument);
}

/** What nobody should accept without a look is named before everything is accepted at once. */
async function withoutFlagged(context: Context, units: readonly UnitView[], whole: Choice): Promise<Choice[] | undefined> {
  const careful = flagged(units);
  if (careful.length === 0) {
    return [whole];
  }
  const reasons = [...new Set(careful.flatMap(flagsInWords))].join(", ");
  const others = units.filter((unit) => !careful.includes(unit));
  const rest = `Accept the Other ${String(others.length)}`;
  const message = `${String(careful.length)} of ${String(units.length)} changes need a careful look.`;
  const answer = await context.notices.confirm(message, `They are flagged: ${reasons}.`, "Accept All", ...(others.length > 0 ? [rest] : []));
  if (answer === "Accept All") {
    return [whole];
  }
  return answer === rest ? [{ decision: "accepted", units: others.map((unit) => unit.id) }] : undefined;
}
