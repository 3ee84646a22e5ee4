/** What the suites do with the extension: by its commands, as a person would, and by its API to look at what came of it. */

import * as assert from "node:assert/strict";
import * as path from "node:path";
import { commands, extensions, workspace, type Extension } from "vscode";
import type { SennitApi, ShownNotice, TreeNodeView } from "../../src/api";
import type { ApplicationView, DispatchResult, ProposalView, TaskView, TicketView, UnitView } from "../../src/protocol";
import { until } from "./until";

export const SETTLED_MS = 90_000;
/** Files of a proposal that the tree lists. */
const FILES_SHOWN = 200;

export interface TaskWish {
  readonly id: string;
  readonly agent: string;
  readonly prompt: string;
  readonly [key: string]: unknown;
}

/** The extension's API once its server runs. */
export async function sennit(): Promise<SennitApi> {
  const api = await extension().activate();
  await api.whenRunning();
  return api;
}

export function extension(): Extension<SennitApi> {
  const found = extensions.getExtension<SennitApi>("sennit.sennit");
  assert.ok(found, "the extension is not installed");
  return found;
}

/** A task for the built-in agent, which runs the prompt; `script` is for a shell. */
export function shell(id: string, script: string, more: Readonly<Record<string, unknown>> = {}): TaskWish {
  return { id, agent: "command", prompt: `sh -c ${quoted(script)}`, ...more };
}

export function quoted(text: string): string {
  return `'${text.replaceAll("'", `'"'"'`)}'`;
}

/** Runs a command of the extension that must succeed. */
export async function did<T>(command: string, argument: unknown): Promise<T> {
  const api = await sennit();
  const last = api.notices.at(-1);
  const answer = await commands.executeCommand<T | undefined>(command, argument);
  assert.ok(answer !== undefined, `${command} gave nothing; shown: ${JSON.stringify(after(api.notices, last))}`);
  return answer;
}

export async function dispatch(tasks: readonly TaskWish[], more: Readonly<Record<string, unknown>> = {}): Promise<string> {
  return (await did<DispatchResult>("sennit.dispatch", { tasks, ...more })).ticket;
}

export async function settled(ticket: string): Promise<TicketView> {
  const api = await sennit();
  const { timedOut, view } = await api.request("sennit/wait", { ticket, timeoutMs: SETTLED_MS });
  assert.equal(timedOut ?? false, false, `${ticket} did not settle`);
  return view;
}

export async function ran(tasks: readonly TaskWish[], more: Readonly<Record<string, unknown>> = {}): Promise<string> {
  const ticket = await dispatch(tasks, more);
  await settled(ticket);
  return ticket;
}

export async function taskOf(ticket: string, id: string): Promise<TaskView> {
  const view = await (await sennit()).request("sennit/ticket", { ticket });
  const found = (view.tasks ?? []).find((task) => task.id === id);
  assert.ok(found, `${ticket} has no task ${id}`);
  return found;
}

/** The proposal of a task with its files and units, once the tree shows all that: commands act on what is shown. */
export async function proposalOf(ticket: string, task: string): Promise<ProposalView> {
  const api = await sennit();
  const { proposals } = await api.request("sennit/proposals", { ticket });
  const found = proposals.find((each) => each.task === task);
  assert.ok(found, `${task} left no proposal; there are ${proposals.map((each) => each.task).join(", ")}`);
  return until(`the tree shows the proposal of ${task} as the server has it`, async () => {
    const view = await api.request("sennit/proposal", { proposal: found.id });
    return isShown(view, new Set(allNodes(api.tree()).map((each) => each.id))) && view;
  });
}

/** Units have other ids in another revision, so that an older one does not pass for this. */
function isShown(view: ProposalView, shown: ReadonlySet<string>): boolean {
  const id = view.summary.id;
  const conflicts = [...(view.conflicts ?? []), ...(view.resolved ?? [])].map((each) => `conflict:${id}:${each.uri}`);
  const files = (view.files ?? []).slice(0, FILES_SHOWN);
  const units = files.flatMap((each) => (each.units ?? []).map((unit) => `unit:${unit.id}`));
  return [`proposal:${id}`, ...conflicts, ...files.map((each) => `file:${id}:${each.uri}`), ...units].every((each) => shown.has(each));
}

export function unitsOf(proposal: ProposalView): UnitView[] {
  return (proposal.files ?? []).flatMap((file) => file.units ?? []);
}

export async function accept(proposal: ProposalView): Promise<void> {
  await did("sennit.acceptProposal", { proposal: proposal.summary.id });
}

export async function apply(ticket: string): Promise<ApplicationView> {
  return did<ApplicationView>("sennit.apply", { ticket });
}

/** Dispatches one task, accepts all of it and applies it. */
export async function wholly(task: TaskWish): Promise<ApplicationView> {
  const ticket = await ran([task]);
  await accept(await proposalOf(ticket, task.id));
  return apply(ticket);
}

export async function undo(application: ApplicationView): Promise<ApplicationView> {
  return did<ApplicationView>("sennit.undo", { application: application.id });
}

/** Every line of the tree, from the top down. */
export function allNodes(nodes: readonly TreeNodeView[]): TreeNodeView[] {
  return nodes.flatMap((node) => [node, ...allNodes(node.children)]);
}

export async function node(id: string, is: (found: TreeNodeView) => boolean = () => true): Promise<TreeNodeView> {
  const api = await sennit();
  return until(`the tree shows ${id} as wanted`, () => allNodes(api.tree()).find((each) => each.id === id && is(each)));
}

/** The last message that was shown; the API forgets old ones, so that a count would not do. */
export async function lastNotice(): Promise<ShownNotice | undefined> {
  return (await extension().activate()).notices.at(-1);
}

/** A message that was shown after `last` and holds `part`. */
export async function notice(last: ShownNotice | undefined, part: RegExp): Promise<string> {
  const api = await extension().activate();
  return until(
    () => `a message with ${String(part)}; shown: ${JSON.stringify(after(api.notices, last))}`,
    () => after(api.notices, last).find((each) => part.test(each.message))?.message,
  );
}

function after(notices: readonly ShownNotice[], last: ShownNotice | undefined): readonly ShownNotice[] {
  return notices.slice(last === undefined ? 0 : notices.lastIndexOf(last) + 1);
}

export function folder(): string {
  const found = workspace.workspaceFolders?.[0]?.uri.fsPath;
  assert.ok(found, "the window has no folder");
  return found;
}

export function file(name: string): string {
  return path.join(folder(), name);
}
