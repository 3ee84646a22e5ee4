/** Tells the server what settles a conflict, and the user what came of it. */
import * as vscode from "vscode";
import { type Context, fullProposal } from "../context.ts";
import { codeOf, textOf } from "../errors.ts";
import { isWhole } from "../model/pages.ts";
import { standing } from "../model/resolving.ts";
import { type ConflictChoice, type ConflictView, ErrorCode, type ProposalView, type SideView } from "../protocol.ts";

export interface Settling {
  readonly proposal: string;
  /** The one that was looked at. */
  readonly revision: string;
  readonly choice: ConflictChoice;
  readonly conflict: ConflictView;
}

const BACK = "Take Resolution Back";
const OPEN = "Open Proposal";

/** Something else is there now than what was chosen from: nothing was settled. */
export class LookAgain extends Error {}

export async function settle(context: Context, settling: Settling): Promise<ProposalView> {
  const { proposal, revision, choice, conflict } = settling;
  try {
    const result = await context.request("sennit/resolve", { proposal, revision, choices: [choice] });
    await takeView(context, result.proposal);
    tellStanding(context, result.proposal, settling);
    return result.proposal;
  } catch (error) {
    const code = codeOf(error);
    if (code !== ErrorCode.STALE && code !== ErrorCode.INVALID_PARAMS) {
      throw error;
    }
    await context.sync.readWhole(proposal);
    throw new LookAgain(`The conflict in ${conflict.path} was not settled: ${textOf(error)} What is there now is read again; choose anew.`, { cause: error });
  }
}

/** What the server answers a decision or a resolution with, with every file. */
export async function takeView(context: Context, view: ProposalView): Promise<void> {
  context.sync.store.proposalView(view);
  context.sync.touch();
  if (!isWhole(view)) {
    await context.sync.readProposal(view.summary.id);
  }
}

function tellStanding(context: Context, view: ProposalView, { choice, conflict }: Settling): void {
  const ids = { proposal: view.summary.id, file: choice.uri };
  const isBack = choice.take === "nothing";
  const commands = new Map([[OPEN, "sennit.openProposal"], ...(isBack ? [] : [[BACK, "sennit.takeResolutionBack"] as const])]);
  context.notices.info(standing(view, conflict), ...commands.keys()).then(async (clicked) => {
    const command = commands.get(clicked ?? "");
    if (command !== undefined) {
      await vscode.commands.executeCommand(command, command === "sennit.openProposal" ? { proposal: ids.proposal } : ids);
    }
  }).catch((error: unknown) => { context.log.error(textOf(error)); });
}

/** The conflict of a proposal's newest revision, settled or not. */
export async function conflictOf(context: Context, proposal: string, file: string): Promise<ConflictView | undefined> {
  const { view } = await fullProposal(context, proposal);
  return [...(view?.conflicts ?? []), ...(view?.resolved ?? [])].find((one) => one.uri === file || one.path === file);
}

/** The text of a side; nothing where it has no such file. */
export async function sideText(context: Context, side: SideView | null | undefined): Promise<string> {
  if (!side?.uri) {
    return "";
  }
  const { text, binary } = await context.request("sennit/content", { uri: side.uri });
  if (binary) {
    throw new Error("It is no text on one of the sides. Take a side instead.");
  }
  return text;
}
