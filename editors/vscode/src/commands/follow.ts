/** More work on what has ended: its next revision. */
import { randomUUID } from "node:crypto";
import * as vscode from "vscode";
import type { Context } from "../context.ts";
import { reasonOf, textOf } from "../errors.ts";
import { type Ids, isRecord, readIds } from "../model/arguments.ts";
import { canFollow } from "../model/follow.ts";
import { revisionText, sinceUri } from "../model/uris.ts";
import type { Attachment, DispatchResult, FollowParams, RevisionSummary } from "../protocol.ts";
import { type TaskOf, choose, proposalOf, taskOf } from "./choosing.ts";
import { optionsIn, pickOptions } from "./follow-options.ts";
import { begun } from "./send.ts";
import { typeText } from "./typing.ts";

const AGAIN = "Try Again";
const EDIT = "Edit…";
const NEWEST = "Follow Up the Newest";
const TELL = "Tell Agent…";

/** On the task or the proposal that is named, else on that of the active diff; lines that are selected in its texts go along. */
export async function follow(context: Context, argument: unknown): Promise<DispatchResult | undefined> {
  const ids = readIds(argument);
  const found = await ended(context, ids);
  if (found === undefined) {
    return undefined;
  }
  const params = { ...found, ...optionsIn(ids) };
  return ids.text === undefined ? followTyped(context, params) : send(context, { ...params, prompt: ids.text });
}

/** As `follow`, asking first by whom, in which session and on which text. */
export async function followWith(context: Context, argument: unknown): Promise<DispatchResult | undefined> {
  const found = await ended(context, readIds(argument));
  const task = found && context.sync.store.ticket(found.ticket)?.tasks.get(found.task);
  const options = task && (await pickOptions(context, task.agent));
  return options && followTyped(context, { ...found, ...options });
}

/** The task that is meant, with what goes along. */
async function ended(context: Context, ids: Ids): Promise<FollowParams | undefined> {
  const selected = selectedLines(context);
  const shown = ids.proposal ?? (ids.task === undefined ? selected?.proposal : undefined);
  const named = shown === undefined ? await taskOf(context, ids, canFollow, "No task has ended that could be followed up.") : taskOfProposal(context, shown);
  if (named === undefined) {
    return undefined;
  }
  const proposal = context.sync.store.ticket(named.ticket)?.tasks.get(named.task)?.proposal ?? shown;
  const isAbout = selected !== undefined && selected.proposal === proposal;
  return { ticket: named.ticket, task: named.task, ...(isAbout ? { attach: [selected.lines] } : {}) };
}

function taskOfProposal(context: Context, proposal: string): TaskOf {
  const summary = context.sync.store.proposal(proposal)?.summary;
  if (summary === undefined) {
    throw new Error(`The proposal ${proposal} is not known here. Refresh the tickets, or name its task.`);
  }
  return { ticket: summary.ticket, task: summary.task };
}

/** What was typed is kept until a ticket has come of it. */
async function followTyped(context: Context, params: FollowParams): Promise<DispatchResult | undefined> {
  const draft = `follow ${params.ticket}/${params.task}`;
  let prompt = await typed(context, params, draft);
  let operationId = randomUUID();
  while (prompt !== undefined) {
    try {
      const result = await send(context, { ...params, operationId, ...(prompt.trim() === "" ? {} : { prompt }) });
      context.drafts.sent(draft);
      return result;
    } catch (error) {
      const clicked = await context.notices.error(textOf(error), ...buttonsFor(error));
      if (clicked !== AGAIN && clicked !== EDIT) {
        return clicked === undefined ? undefined : elsewhere(context, params, error, prompt);
      }
      if (clicked === EDIT) {
        prompt = await typed(context, params, draft);
        operationId = randomUUID();
      }
    }
  }
  return undefined;
}

function buttonsFor(error: unknown): readonly string[] {
  const reason = reasonOf(error);
  return reason === "followed" ? [NEWEST] : reason === "notEnded" ? [TELL] : [AGAIN, EDIT];
}

/** What is meant was named by the error; what was typed goes there. */
async function elsewhere(context: Context, params: FollowParams, error: unknown, prompt: string): Promise<DispatchResult | undefined> {
  const { ticket, task } = newestIn(error) ?? params;
  if (reasonOf(error) === "notEnded") {
    context.drafts.keep(`steer ${ticket}/${task}`, [prompt]);
    await vscode.commands.executeCommand("sennit.steer", { ticket, task });
    return undefined;
  }
  context.drafts.keep(`follow ${ticket}/${task}`, [prompt]);
  return followTyped(context, { ...params, ticket, task });
}

function newestIn(error: unknown): TaskOf | undefined {
  const data: unknown = error instanceof Error ? (error as { data?: unknown }).data : undefined;
  const isNamed = isRecord(data) && typeof data["ticket"] === "string" && typeof data["task"] === "string";
  return isNamed ? { ticket: String(data["ticket"]), task: String(data["task"]) } : undefined;
}

async function typed(context: Context, params: FollowParams, draft: string): Promise<string | undefined> {
  const along = (params.attach ?? []).map((one) => ` ${one.label ?? ""} go along.`).join("");
  const { entered, text } = await typeText({
    title: `Follow up ${params.task}`,
    prompt: `What is to be done now? Nothing: the same again.${along}`,
    value: context.drafts.of(draft)[0] ?? "",
  });
  context.drafts.keep(draft, [text]);
  return entered;
}

async function send(context: Context, params: FollowParams): Promise<DispatchResult> {
  const result = await context.request("sennit/follow", params);
  await begun(context, result);
  await context.sync.readTicket(params.ticket);
  return result;
}

interface Selected {
  readonly lines: Attachment;
  readonly proposal: string;
}

/** The lines that are selected in a text of a proposal; they are given as text, since no file of the user holds them yet. */
function selectedLines(context: Context): Selected | undefined {
  const editor = vscode.window.activeTextEditor;
  const of = editor === undefined ? undefined : revisionText(editor.document.uri);
  const proposal = of === undefined ? undefined : context.sync.store.proposalOfRevision(of.revision)?.summary.id;
  if (editor === undefined || of === undefined || proposal === undefined || editor.selection.isEmpty) {
    return undefined;
  }
  const { start, end } = editor.selection;
  const path = vscode.workspace.asRelativePath(of.path, false);
  const whole = new vscode.Range(start.line, 0, end.line, Number.MAX_SAFE_INTEGER);
  const side = of.side === "proposed" ? "as proposed" : `of the side “${of.side}”`;
  return {
    lines: { label: `Lines ${String(start.line + 1)} to ${String(end.line + 1)} of ${path} ${side}`, text: editor.document.getText(whole) },
    proposal,
  };
}

/** What the newest revision changes against an earlier one. */
export async function compareRevisions(context: Context, argument: unknown): Promise<void> {
  const proposal = await proposalOf(context, readIds(argument));
  if (proposal === undefined) {
    return;
  }
  const earlier = (proposal.view?.revisions ?? []).filter((one) => one.id !== proposal.summary.revision).reverse();
  const [only] = earlier;
  const chosen = earlier.length === 1 && only !== undefined ? only.id : await pickRevision(earlier);
  if (chosen !== undefined) {
    const document = await vscode.workspace.openTextDocument(vscode.Uri.parse(sinceUri(proposal.summary.id, chosen)));
    await vscode.languages.setTextDocumentLanguage(document, "diff");
    await vscode.window.showTextDocument(document, { preview: true });
  }
}

function pickRevision(earlier: readonly RevisionSummary[]): Promise<string | undefined> {
  const items = earlier.map((one) => ({ label: `revision ${String(one.number)}`, description: new Date(one.at).toLocaleString(), value: one.id }));
  return choose("Against which revision?", items, "There is only this revision.");
}
