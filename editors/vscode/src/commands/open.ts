/** Showing proposals, files, conflicts and outputs with what VS Code has for each. */
import * as vscode from "vscode";
import { type Context } from "../context.ts";
import { type Ids, readIds } from "../model/arguments.ts";
import { textOf } from "../errors.ts";
import { filesOf, unitOf } from "../model/decisions.ts";
import { revisionWords } from "../model/follow.ts";
import { type Part, partsOf } from "../model/parts.ts";
import { plainLine } from "../model/plain.ts";
import type { Proposal } from "../model/store.ts";
import { outputUri } from "../model/uris.ts";
import type { ConflictView, FileView, SideView, UnitView } from "../protocol.ts";
import { choose, fileOf, proposalOf, taskOf } from "./choosing.ts";

type Change = [vscode.Uri, vscode.Uri | undefined, vscode.Uri | undefined];

/** All files of a proposal in the multi-diff editor. */
export async function openProposal(context: Context, argument: unknown): Promise<void> {
  const proposal = await proposalOf(context, readIds(argument));
  if (proposal === undefined) {
    return;
  }
  const files = filesOf(proposal.view);
  if (files.length === 0) {
    void context.notices.info(`${proposal.summary.task} proposes no change.`);
    return;
  }
  await openPart(context, proposal, partsOf(files, FILES_AT_ONCE), 0);
}

/** VS Code takes long for a thousand files in one editor, and cannot be stopped meanwhile. */
const FILES_AT_ONCE = 100;

/** One editor for a part of the files, and the way to the next one. */
async function openPart(context: Context, proposal: Proposal, parts: readonly Part<FileView>[], index: number): Promise<void> {
  const part = parts[index];
  if (part === undefined) {
    return;
  }
  const title = parts.length === 1 ? titleOf(proposal) : `${titleOf(proposal)}, ${part.words}`;
  await vscode.commands.executeCommand("vscode.changes", title, part.items.map(change));
  const next = parts[index + 1];
  if (next === undefined) {
    return;
  }
  const button = `Show ${String(next.items.length)} More`;
  void context.notices.info(`${proposal.summary.task} proposes very many files; shown are the ${part.words}.`, button).then(async (clicked) => {
    if (clicked === button) {
      await openPart(context, proposal, parts, index + 1);
    }
  }).catch((error: unknown) => { void context.notices.error(`The next files could not be opened: ${textOf(error)}`); });
}

/** VS Code adds the number of files. */
export function titleOf({ summary }: Proposal): string {
  const revision = revisionWords(summary);
  return plainLine(`${summary.task} ${summary.id}${revision === undefined ? "" : ` (${revision})`}`);
}

function change(file: FileView): Change {
  return [vscode.Uri.parse(file.uri), parsed(file.baseUri), parsed(file.proposedUri)];
}

function parsed(uri: string | null | undefined): vscode.Uri | undefined {
  return uri ? vscode.Uri.parse(uri) : undefined;
}

/** What the agent itself has done to a file whose conflict was settled; the file shows what goes in. */
export async function showAgentText(context: Context, argument: unknown): Promise<void> {
  const ids = readIds(argument);
  const proposal = await proposalOf(context, ids);
  const file = proposal && (await fileOf(proposal, ids));
  if (file === undefined) {
    return;
  }
  const [before, after] = [parsed(file.settled?.agentBaseUri), parsed(file.settled?.agentUri)];
  if (after === undefined) {
    throw new Error(`No conflict of ${file.path} was settled, so its diff shows what the agent has done.`);
  }
  const title = plainLine(`${file.path} (by the agent)`);
  await (before === undefined ? vscode.commands.executeCommand("vscode.open", after, { preview: true }, title) : vscode.commands.executeCommand("vscode.diff", before, after, title));
}

/** One file as a diff, at the change that was named. */
export async function openFile(context: Context, argument: unknown): Promise<void> {
  const ids = readIds(argument);
  const proposal = await proposalOf(context, ids);
  const file = proposal && (await fileOf(proposal, ids));
  if (proposal === undefined || file === undefined) {
    return;
  }
  const [, before, after] = change(file);
  const unit = ids.unit === undefined || proposal.view === undefined ? undefined : unitOf(proposal.view, ids.unit);
  const title = plainLine(`${file.path} (${proposal.summary.task})`);
  const options: vscode.TextDocumentShowOptions = { preview: true, ...selectionOf(unit) };
  if (before !== undefined && after !== undefined) {
    await vscode.commands.executeCommand("vscode.diff", before, after, title, options);
  } else {
    // Created or deleted as a whole: with one side missing the multi-diff editor says so.
    await vscode.commands.executeCommand("vscode.changes", title, [change(file)]);
  }
}

function selectionOf(unit: UnitView | undefined): vscode.TextDocumentShowOptions {
  const after = unit?.after;
  if (!after) {
    return {};
  }
  return { selection: new vscode.Range(after.start, 0, after.start, 0) };
}

/** A conflict in the merge editor; the result is the user's own file, so that their undo works. */
export async function showConflict(context: Context, argument: unknown): Promise<void> {
  const ids = readIds(argument);
  const proposal = await proposalOf(context, ids);
  const conflict = proposal && (await conflictOf(proposal, ids));
  if (proposal === undefined || conflict === undefined) {
    return;
  }
  const [base, ours, theirs] = [conflict.base, conflict.ours, conflict.theirs].map(uriOfSide);
  const isThere = await exists(vscode.Uri.parse(conflict.uri));
  // Without the filter, which leaves out those that begin with "_".
  const commands = await vscode.commands.getCommands(false);
  if (base && ours && theirs && isThere && commands.includes("_open.mergeEditor")) {
    await mergeEditor(proposal, conflict, { base, ours, theirs });
    return;
  }
  await showSides(context, conflict, { base, ours, theirs });
}

interface Sides {
  readonly base: vscode.Uri | undefined;
  readonly ours: vscode.Uri | undefined;
  readonly theirs: vscode.Uri | undefined;
}

async function mergeEditor(proposal: Proposal, conflict: ConflictView, sides: Sides): Promise<void> {
  const others = (conflict.withTasks ?? []).join(", ");
  await vscode.commands.executeCommand("_open.mergeEditor", {
    base: sides.base,
    input1: { uri: sides.ours, title: "Merged before", description: plainLine(others), detail: "" },
    input2: { uri: sides.theirs, title: "Proposed", description: plainLine(proposal.summary.task), detail: "" },
    output: vscode.Uri.parse(conflict.uri),
  });
}

/** Without a merge editor, or with a side that is absent, what is there is compared. */
async function showSides(context: Context, conflict: ConflictView, sides: Sides): Promise<void> {
  void context.notices.info(conflict.message);
  const [one, other] = sides.ours && sides.theirs ? [sides.ours, sides.theirs] : [sides.base, sides.ours ?? sides.theirs];
  if (one && other) {
    await vscode.commands.executeCommand("vscode.diff", one, other, plainLine(`conflict in ${conflict.path}`));
  } else if (one ?? other) {
    await vscode.commands.executeCommand("vscode.open", one ?? other);
  }
}

function uriOfSide(side: SideView | null | undefined): vscode.Uri | undefined {
  return parsed(side?.uri);
}

async function conflictOf(proposal: Proposal, ids: Ids): Promise<ConflictView | undefined> {
  const conflicts = [...(proposal.view?.conflicts ?? []), ...(proposal.view?.resolved ?? [])];
  const named = conflicts.find((one) => one.uri === ids.file || one.path === ids.file);
  if (named !== undefined || conflicts.length === 1) {
    return named ?? conflicts[0];
  }
  return choose(
    "Which conflict?",
    conflicts.map((one) => ({ label: plainLine(one.path), description: one.kind, value: one })),
    `The proposal of ${proposal.summary.task} has no conflict.`,
  );
}

export async function exists(uri: vscode.Uri): Promise<boolean> {
  return vscode.workspace.fs.stat(uri).then(() => true, () => false);
}

/** What an agent has written, as a document that follows it. */
export async function showOutput(context: Context, argument: unknown): Promise<void> {
  const ids = readIds(argument);
  const found = await taskOf(context, ids, (task) => (task.runs ?? []).length > 0, "No task has run yet.");
  if (found === undefined) {
    return;
  }
  const document = await vscode.workspace.openTextDocument(vscode.Uri.parse(outputUri(found.ticket, found.task)));
  await vscode.window.showTextDocument(document, { preview: true });
}
