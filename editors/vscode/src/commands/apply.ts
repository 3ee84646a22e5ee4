/** Applying what is accepted, and taking it back. */
import * as vscode from "vscode";
import type { Context } from "../context.ts";
import { reasonOf } from "../errors.ts";
import { BadArgument, type Ids, readIds } from "../model/arguments.ts";
import { plainLine } from "../model/plain.ts";
import { isUndoable } from "../model/store.ts";
import { counted } from "../model/words.ts";
import type { ApplicationView, ApplyParams, Target } from "../protocol.ts";
import { choose, proposalOf, ticketId } from "./choosing.ts";

const TARGETS: readonly string[] = ["editor", "disk", "patch"];
const UNDO = "Undo";

export async function apply(context: Context, argument: unknown): Promise<ApplicationView | undefined> {
  const ids = readIds(argument);
  const what = await whatToApply(context, ids);
  if (what === undefined) {
    return undefined;
  }
  const params: ApplyParams = { target: targetOf(ids), ...what, ...(ids.confirmMoved === true ? { confirmMoved: true } : {}) };
  const view = await confirmed(context, params);
  if (view !== undefined) {
    await done(context, view);
  }
  return view;
}

function targetOf(ids: Ids): Target {
  const target = ids.target ?? "editor";
  if (!TARGETS.includes(target)) {
    throw new BadArgument(`\`target\` must be one of ${TARGETS.join(", ")}.`);
  }
  return target as Target;
}

async function whatToApply(context: Context, ids: Ids): Promise<Omit<ApplyParams, "target"> | undefined> {
  if (ids.proposal === undefined && ids.ticket !== undefined) {
    return { ticket: ids.ticket };
  }
  if (ids.proposal === undefined) {
    const ticket = await ticketId(context, ids, false);
    return ticket === undefined ? undefined : { ticket };
  }
  const proposal = await proposalOf(context, ids);
  return proposal && { proposals: [{ proposal: proposal.summary.id, revision: ids.revision ?? proposal.summary.revision }] };
}

/** Where HEAD has moved since the base was taken the user decides. */
async function confirmed(context: Context, params: ApplyParams): Promise<ApplicationView | undefined> {
  try {
    return await context.request("sennit/apply", params);
  } catch (error) {
    if (reasonOf(error) !== "headMoved" || !(error instanceof Error)) {
      throw error;
    }
    const answer = await context.notices.confirm("HEAD has moved since the agents began.", error.message, "Apply Anyway");
    return answer === undefined ? undefined : context.request("sennit/apply", { ...params, confirmMoved: true });
  }
}

export async function undo(context: Context, argument: unknown): Promise<ApplicationView | undefined> {
  const ids = readIds(argument);
  const application = ids.application ?? (await pickApplication(context, ids));
  if (application === undefined) {
    return undefined;
  }
  const view = await context.request("sennit/undo", { application });
  await done(context, view);
  return view;
}

/** The one of the ticket that was clicked, else one to choose, the last one first. */
async function pickApplication(context: Context, ids: Ids): Promise<string | undefined> {
  // Another client may have applied since, and after a start nothing is known yet.
  await context.sync.catchUp();
  if (ids.ticket !== undefined) {
    await context.sync.readTicket(ids.ticket);
  }
  const tickets = context.sync.store.tickets().filter((one) => (ids.ticket ?? one.summary.id) === one.summary.id);
  const list = tickets
    .filter((one) => context.sync.isShown(one))
    .flatMap((one) => one.applications.filter(isUndoable))
    .sort((one, other) => other.at.localeCompare(one.at));
  if (ids.ticket !== undefined && list.length === 1) {
    return list[0]?.id;
  }
  return choose(
    "Which application is to be undone?",
    list.map((one) => ({
      label: plainLine((one.paths ?? []).slice(0, 3).join(", ")),
      description: `${counted(one.files ?? 0, "file", "files")}, ${new Date(one.at).toLocaleString()}`,
      value: one.id,
    })),
    "Nothing was applied that could be undone.",
  );
}

/** Say how it went; what did not go as meant is named file by file. */
async function done(context: Context, view: ApplicationView): Promise<void> {
  // What was applied of a ticket comes only with the ticket in full.
  await context.sync.readTicket(view.ticket);
  const files = view.files ?? [];
  const applied = files.filter((file) => file.state === "applied").length;
  const message = [headline(view, applied, files.length), ...details(context, view)].join(" ");
  const isWhole = view.state === "applied" && (view.conflicts ?? []).length === 0;
  const buttons = view.undoes || view.target === "patch" || applied === 0 ? [] : [UNDO];
  const clicked = isWhole ? context.notices.info(message, ...buttons) : context.notices.warning(message, ...buttons);
  void clicked.then((button) => {
    if (button === UNDO) {
      // As a command, which tells by itself what goes wrong.
      void vscode.commands.executeCommand("sennit.undo", { application: view.id });
    }
  });
}

function details(context: Context, view: ApplicationView): readonly string[] {
  const files = (view.files ?? []).flatMap((file) => (file.message ? [`${file.path}: ${file.message}`] : []));
  const notices = (view.notices ?? []).map((notice) => notice.message);
  return [...new Set([...files, ...notices, ...there(view.alreadyThere ?? []), ...leftOut(context, view.conflicts ?? [])])];
}

function there(units: readonly string[]): readonly string[] {
  return units.length === 0 ? [] : [`${counted(units.length, "change", "changes")} needed nothing, since your text held that already.`];
}

/** Which accepted changes did not go together with the text as it is now, and where. */
function leftOut(context: Context, units: readonly string[]): readonly string[] {
  if (units.length === 0) {
    return [];
  }
  const paths = new Set(units.flatMap((unit) => context.sync.store.pathOfUnit(unit) ?? []));
  const where = paths.size === 0 ? "" : ` in ${[...paths].join(", ")}`;
  return [`${counted(units.length, "change was", "changes were")} left out${where}, since your text has changed there. Your text was kept; the rest was applied.`];
}

function headline(view: ApplicationView, applied: number, all: number): string {
  const verb = view.undoes ? "Undone" : "Applied";
  switch (view.state) {
    case "applied": return `${verb}: ${counted(applied, "file", "files")}.`;
    case "partlyApplied": return `${verb} in part: ${String(applied)} of ${counted(all, "file", "files")}.`;
    case "unknown": return `${verb}, but it is not known whether all of it arrived.`;
    case "failed": return view.undoes ? "It could not be undone." : "It could not be applied.";
    case "none": return "Nothing had to be changed.";
    case "applying": return "It is still being applied.";
    case "undone": return "It was undone.";
  }
}
