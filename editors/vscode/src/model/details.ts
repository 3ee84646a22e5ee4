/** All that is known of a task's work, as a text for people. */
import type { ProposalView, RunResult, RunSandbox, RunWorkspace, StoryEvent, TaskView, TicketView } from "../protocol.ts";
import { usageWords } from "./progress.ts";
import { baseLines, noticeLines } from "./remarks.ts";
import { taskWords } from "./words.ts";

export interface Details {
  readonly ticket: TicketView;
  readonly task: TaskView;
  readonly proposal: ProposalView | undefined;
  /** Absent before its first run. */
  readonly run: RunResult | undefined;
  readonly events: readonly StoryEvent[];
}

export function detailsText(details: Details): string {
  const { task, run, events } = details;
  const head = [`${task.id}: ${taskWords(task)}`, ...(task.description ? [task.description] : []), `agent: ${task.agent}`];
  const story = events.map((event) => `${new Date(event.at).toLocaleTimeString()}  ${event.message}`);
  const result = task.resultText ? ["", "Last words of its agent", "", task.resultText.trimEnd()] : [];
  return [...head, ...remarkLines(details), ...(run === undefined ? [] : runLines(run)), ...result, "", "What happened", "", ...story, ""].join("\n");
}

function remarkLines({ ticket, task, proposal }: Details): readonly string[] {
  const { following, followedBy } = task;
  const notices = [task, proposal, ticket].flatMap((one) => noticeLines(one?.notices));
  return [
    ...(following ? [`follows ${following.task} of ${following.ticket}`] : []),
    ...(followedBy ? [followedBy === ticket.id ? "done again in this ticket" : `followed up in ${followedBy}`] : []),
    ...notices.map((one) => `note: ${one}`),
    ...(ticket.bases ?? []).flatMap(baseLines),
  ];
}

function runLines({ run, argv, folder, prompt, workspace, sandbox, survivors }: RunResult): readonly string[] {
  const used = [...usageWords(run.usage), ...(run.tools ? [`${String(run.tools)} calls of tools`] : [])];
  return [
    ...(used.length === 0 ? [] : [`used: ${used.join(", ")}`]),
    `command line: ${argv.join(" ")}`,
    `folder: ${folder}`,
    ...workspaceLines(workspace),
    `sandbox: ${sandboxWords(sandbox)}`,
    ...sessionLines(run.resumed),
    ...((survivors ?? []).length > 0 ? [`processes that could not be ended: ${(survivors ?? []).join(", ")}`] : []),
    "",
    "What it was told",
    "",
    prompt,
  ];
}

/** How the workspace of a run was made, and why in no other way. */
export function workspaceLines(workspace: RunWorkspace | null | undefined): readonly string[] {
  if (!workspace) {
    return ["workspace: not known"];
  }
  return [`workspace: ${workspace.kind}`, ...(workspace.refused ?? []).map((why) => `  not by ${why}`)];
}

function sessionLines(resumed: boolean | null | undefined): readonly string[] {
  if (typeof resumed !== "boolean") {
    return [];
  }
  return [resumed ? "session: it went on with an earlier one" : "session: a new one, since the earlier one could not be gone on with"];
}

export function sandboxWords(sandbox: RunSandbox | null | undefined): string {
  if (!sandbox) {
    return "nothing is recorded";
  }
  if (!sandbox.confined) {
    return `none (${sandbox.wanted})${sandbox.whyNot ? `: ${sandbox.whyNot}` : ""}`;
  }
  const places = [...(sandbox.workspaceWritable ? ["its workspace"] : []), ...(sandbox.writable ?? [])];
  const leftOut = (sandbox.leftOut ?? []).length > 0 ? `; left out: ${(sandbox.leftOut ?? []).join(", ")}` : "";
  return `confined; it could write to ${places.length === 0 ? "nothing" : places.join(", ")}${leftOut}`;
}
