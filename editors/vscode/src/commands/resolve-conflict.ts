/** Settling a conflict by a suggestion, a side or a text, and taking that back. */
import * as vscode from "vscode";
import type { Context } from "../context.ts";
import { textOf } from "../errors.ts";
import { type Ids, readIds } from "../model/arguments.ts";
import { plainLine } from "../model/plain.ts";
import { choiceIn, type Way, resolutionWords, shownText, waysOf } from "../model/resolving.ts";
import type { Proposal } from "../model/store.ts";
import type { ConflictChoice, ConflictView, ProposalView, SuggestionView } from "../protocol.ts";
import { resolvingUri } from "../views/resolving-texts.ts";
import { choose, proposalOf } from "./choosing.ts";
import { exists, showConflict } from "./open.ts";
import { LookAgain, conflictOf, settle } from "./settle.ts";

const AGAIN = "Choose Again";
const TAKE = "Take It";
const OTHER = "Choose Another";

interface Case {
  readonly proposal: Proposal;
  readonly conflict: ConflictView;
}

/** Gives the proposal once the conflict is settled; nothing while it is not. */
export async function resolveConflict(context: Context, argument: unknown): Promise<ProposalView | undefined> {
  const ids = readIds(argument);
  const found = await caseOf(context, ids, (view) => view.conflicts ?? []);
  if (found === undefined) {
    return undefined;
  }
  const choice = choiceIn(ids, found.conflict);
  return choice === undefined ? byChoosing(context, found) : send(context, found, choice, ids.revision);
}

/** Puts it back in conflict; where it was settled the server says so. */
export async function takeResolutionBack(context: Context, argument: unknown): Promise<ProposalView | undefined> {
  const settled = (view: ProposalView): readonly ConflictView[] =>
    [...(view.resolved ?? []), ...(view.conflicts ?? []).filter((one) => one.resolution)];
  const ids = readIds(argument);
  const found = await caseOf(context, ids, settled);
  return found && send(context, found, { uri: found.conflict.uri, take: "nothing" }, ids.revision);
}

async function caseOf(context: Context, ids: Ids, among: (view: ProposalView) => readonly ConflictView[]): Promise<Case | undefined> {
  const proposal = await proposalOf(context, ids);
  if (proposal?.view === undefined) {
    return undefined;
  }
  const fitting = among(proposal.view);
  const [only] = fitting;
  const conflict = fitting.find((one) => one.uri === ids.file || one.path === ids.file) ?? (fitting.length === 1 ? only : await pick(proposal, fitting));
  return conflict && { proposal, conflict };
}

function pick({ summary }: Proposal, conflicts: readonly ConflictView[]): Promise<ConflictView | undefined> {
  const items = conflicts.map((one) => ({ label: plainLine(one.path), description: plainLine(`${one.kind} · ${resolutionWords(one)}`), value: one }));
  return choose("Which conflict?", items, `The proposal of ${summary.task} has no such conflict.`);
}

async function byChoosing(context: Context, found: Case): Promise<ProposalView | undefined> {
  const way = await choose(
    plainLine(`${found.conflict.path}: what settles it?`),
    waysOf(found.conflict).map((one) => ({ label: plainLine(one.label), description: plainLine(one.description), value: one })),
    "",
  );
  return way && follow(context, found, way);
}

async function follow(context: Context, found: Case, { action }: Way): Promise<ProposalView | undefined> {
  const { proposal, conflict } = found;
  switch (action.name) {
    case "show":
      await showConflict(context, { proposal: proposal.summary.id, file: conflict.uri });
      return undefined;
    case "preview":
      return preview(context, found, action.suggestion);
    case "take":
      return send(context, found, { uri: conflict.uri, take: action.take });
    case "edit":
      await vscode.commands.executeCommand("vscode.open", uriFor(found), { preview: false });
      void context.notices.info(`Save this text of ${conflict.path} to settle the conflict by it; close it unsaved to leave the conflict as it is. Your own file is not changed.`);
      return undefined;
  }
}

/** What a suggestion gives beside the text as it is, before it is taken. */
async function preview(context: Context, found: Case, suggestion: SuggestionView): Promise<ProposalView | undefined> {
  const { conflict } = found;
  const text = suggestion.text ?? undefined;
  if (text !== undefined) {
    const live = vscode.Uri.parse(conflict.uri);
    const before = (await exists(live)) || !conflict.ours?.uri ? live : vscode.Uri.parse(conflict.ours.uri);
    await vscode.commands.executeCommand("vscode.diff", before, uriFor(found, suggestion.kind), plainLine(`${conflict.path}: ${suggestion.kind} (a suggestion)`));
  }
  const isCut = text !== undefined && shownText(text) !== text;
  const cut = isCut ? " Only its beginning is shown." : "";
  const clicked = await context.notices.info(`${suggestion.title}${cut}`, TAKE, OTHER);
  if (clicked === OTHER) {
    return byChoosing(context, found);
  }
  return clicked === TAKE ? send(context, found, { uri: conflict.uri, take: "suggestion", suggestion: suggestion.kind }) : undefined;
}

function uriFor({ proposal, conflict }: Case, suggestion?: string): vscode.Uri {
  const { id, revision } = proposal.summary;
  return resolvingUri({ proposal: id, revision, file: conflict.uri, suggestion });
}

/** What has changed meanwhile is told, and the choice is offered again with what is there now. */
async function send(context: Context, { proposal, conflict }: Case, choice: ConflictChoice, named?: string): Promise<ProposalView | undefined> {
  const { id, revision } = proposal.summary;
  try {
    return await settle(context, { proposal: id, revision: named ?? revision, choice, conflict });
  } catch (error) {
    if (!(error instanceof LookAgain)) {
      throw error;
    }
    const offered = context.notices.warning(error.message, AGAIN);
    void offered.then((clicked) => (clicked === AGAIN ? again(context, id, conflict) : undefined))
      .catch((failed: unknown) => { void context.notices.error(textOf(failed)); });
    return undefined;
  }
}

async function again(context: Context, proposal: string, { uri, path }: ConflictView): Promise<void> {
  if ((await conflictOf(context, proposal, uri)) === undefined) {
    void context.notices.info(`${path} is in no conflict any more.`);
    return;
  }
  await resolveConflict(context, { proposal, file: uri });
}
