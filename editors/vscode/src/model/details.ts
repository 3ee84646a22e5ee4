/** All that is known of a task's work, as a text for people. */
import type { RunResult, RunSandbox, StoryEvent, TaskView } from "../protocol.ts";
import { usageWords } from "./progress.ts";
import { taskWords } from "./words.ts";

export interface Details {
  readonly task: TaskView;
  /** Absent before its first run. */
  readonly run: RunResult | undefined;
  readonly events: readonly StoryEvent[];
}

export function detailsText({ task, run, events }: Details): string {
  const head = [`${task.id}: ${taskWords(task)}`, ...(task.description ? [task.description] : []), `agent: ${task.agent}`];
  const story = events.map((event) => `${new Date(event.at).toLocaleTimeString()}  ${event.message}`);
  const result = task.resultText ? ["", "Last words of its agent", "", task.resultText.trimEnd()] : [];
  return [...head, ...(run === undefined ? [] : runLines(run)), ...result, "", "What happened", "", ...story, ""].join("\n");
}

function runLines({ run, argv, folder, prompt, sandbox, survivors }: RunResult): readonly string[] {
  const used = [...usageWords(run.usage), ...(run.tools ? [`${String(run.tools)} calls of tools`] : [])];
  return [
    ...(used.length === 0 ? [] : [`used: ${used.join(", ")}`]),
    `command line: ${argv.join(" ")}`,
    `folder: ${folder}`,
    `sandbox: ${sandboxWords(sandbox)}`,
    ...((survivors ?? []).length > 0 ? [`processes that could not be ended: ${(survivors ?? []).join(", ")}`] : []),
    "",
    "What it was told",
    "",
    prompt,
  ];
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
